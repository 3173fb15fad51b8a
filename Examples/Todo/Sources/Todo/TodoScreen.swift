#if canImport(SwiftUI)
  import FetchedResults
  import SwiftUI

  /// The open items by list, and what is done.
  struct TodoScreen: View {
    @State var model: TodoModel
    @State private var text = ""

    var body: some View {
      List {
        ForEach(model.open.sections) { section in
          Section(section.name ?? "") {
            ForEach(section) { row in
              if let item = row.object {
                Button(item.title) { try? model.edit(item) { $0.isDone = true } }
              }
            }
          }
        }
        Section("Done (\(model.done.rows.count))") {
          ForEach(model.done.rows) { row in Text(row.object?.title ?? "") }
        }
      }
      .searchable(text: $text)
      .onChange(of: text) { model.search(text) }
      .task { await model.open.observe() }
      .task { await model.done.observe() }
    }
  }
#endif
