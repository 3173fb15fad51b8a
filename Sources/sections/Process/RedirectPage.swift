import CLibrary
import Foundation
import RowQueries
import SectionsServer

/// A page in a file that leads a browser to an address with a token. Other users of the machine see the arguments of a
/// browser in the list of processes, and cannot read this file.
///
/// Sendable: a value.
struct RedirectPage: Sendable {
  let path: String

  /// - Parameter folder: where it is when it is written.
  init(in folder: URL) {
    path = folder.appending(path: "sections-\(UUID().uuidString).html").path
  }

  /// Writes the page.
  ///
  /// - Returns: the address of the page.
  func write(leadingTo address: String) throws -> String {
    // Nobody else can have made the file, and nobody can read it at any time.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw failure(code: errno) }
    defer { close(descriptor) }
    let address = HTML.escaped(address)
    let output = OutputBuffer(fileDescriptor: descriptor)
    output.append(
      text: """
        <!DOCTYPE html>
        <meta charset="utf-8">
        <meta http-equiv="refresh" content="0; url=\(address)">
        <title>sections</title>
        <p><a href="\(address)">Open the page</a></p>

        """)
    do { try output.flush() } catch { throw failure(code: error.code) }
    return URL(fileURLWithPath: path).absoluteString
  }

  /// Removes the page; does nothing if it was not written.
  func remove() { unlink(path) }

  private func failure(code: Int32) -> ToolError {
    ToolError("cannot write \(path): \(String(cString: strerror(code)))", .inputOutput)
  }
}
