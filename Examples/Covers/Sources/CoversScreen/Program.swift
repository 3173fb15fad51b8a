import Covers
import SQLiteStorage

/// `CoversScreen FILE [--images]`: shows the store that `sections demo FILE` makes, and what other programs write to it.
@main struct Program {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--images" }
    guard arguments.count == 1 else {
      print("Give the file of a store. Make one with: sections demo covers.sqlite")
      return
    }
    let database = try Database(path: arguments[0], access: .readWrite)
    let loadsImages = CommandLine.arguments.contains("--images")
    let screen = try Screen(
      DataController(database),
      images: loadsImages ? CoverImages(ImageLoader(transport: URLTransport())) : nil)
    try screen.start(isolation: MainActor.shared)
    print(Screen.help)
    repeat {
      // What has changed meanwhile is delivered between two lines.
      try await Task.sleep(for: .milliseconds(200))
      print("\n" + (try screen.lines()).joined(separator: "\n"))
    } while readLine().map(screen.enter) ?? false
  }
}
