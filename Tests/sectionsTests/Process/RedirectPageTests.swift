import CLibrary
import Foundation
import Testing

@testable import sections

/// The page by which a browser gets an address with a token.
struct RedirectPageTests {
  @Test func onlyTheUserCanReadThePage() throws {
    let folder = try TestFolder()
    let page = RedirectPage(in: URL(fileURLWithPath: folder.path))
    let address = "http://127.0.0.1:8080/?token=0123456789abcdef&source=t"
    let start = try page.write(leadingTo: address)
    // It is what others see.
    #expect(start == "file://\(page.path)" && !start.contains("token"))
    let attributes = try FileManager.default.attributesOfItem(atPath: page.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let html = try String(contentsOfFile: page.path, encoding: .utf8)
    #expect(html.contains("url=http://127.0.0.1:8080/?token=0123456789abcdef&amp;source=t\""))
    // Nor is a file or a link of somebody else written.
    #expect(throws: ToolError.self) { try page.write(leadingTo: address) }
    page.remove()
    #expect(try folder.contents().isEmpty)
    page.remove()
  }
}
