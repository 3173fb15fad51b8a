import Foundation

/// The folder with the demo store's migrations.
enum Migrations {
  static let path: String = {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appending(path: "Migrations").path
  }()
}
