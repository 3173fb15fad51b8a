// What the check must refuse: each line after a comment, for the reason that it gives.

import SwiftUI

struct Title: View {
  let isShown: Bool

  var body: some View {
    // refused: integer literal value '1' cannot be used as a boolean
    Text(text(1))
  }

  private func text(_ isShown: Bool) -> String { "" }
}
