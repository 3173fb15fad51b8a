#if canImport(SwiftUI)
  import SwiftUI
  import TableData

  /// No name of `TableData` makes an attribute of SwiftUI ambiguous.
  struct Titled: View {
    let title: String

    var body: some View { content }

    @ViewBuilder private var content: some View { Text(title) }
  }
#endif
