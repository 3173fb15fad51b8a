import Covers
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct URLTransportTests {
  /// Answers requests without a network: with the status that is their path, and an image.
  final class Stub: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      guard let url = request.url, let status = Int(url.lastPathComponent),
        let response = HTTPURLResponse(
          url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: [:])
      else {
        client?.urlProtocol(self, didFailWithError: URLError(.cannotFindHost))
        return
      }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: .png())
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }

  private func loader(byteLimit: Int = 1 << 20) -> ImageLoader {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Stub.self]
    return ImageLoader(
      transport: URLTransport(
        session: URLSession(configuration: configuration), byteLimit: byteLimit))
  }

  @Test func anImageIsLoadedByHTTP() async throws {
    #expect(try await loader().image(at: "https://example.com/200").width == 2)
  }

  @Test func aStatusThatIsNotTwoHundredIsAnError() async throws {
    let address = "https://example.com/404"
    await #expect(
      throws: CoverError.invalidImageData(address, reason: "the server answers with status 404")
    ) { try await loader().image(at: address) }
  }

  @Test func aServerThatIsNotThereIsAnError() async throws {
    let error = await #expect(throws: CoverError.self) {
      try await loader().image(at: "https://example.com/none")
    }
    guard case .invalidImageData("https://example.com/none", _)? = error else {
      Issue.record("\(error?.description ?? "no error")")
      return
    }
  }

  @Test func anImageThatIsTooLargeIsAnError() async throws {
    let address = "https://example.com/200"
    await #expect(
      throws: CoverError.invalidImageData(address, reason: "it has 24 bytes, and may have 23")
    ) { try await loader(byteLimit: 23).image(at: address) }
  }

  @Test func anImageIsLoadedFromAFile() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).png")
    try Data.png().write(to: file)
    #expect(try await loader().image(at: file.absoluteString).height == 3)
    try FileManager.default.removeItem(at: file)
    // A new loader: the first has kept it.
    await #expect(throws: CoverError.invalidPath(file.path, reason: "there is no such file")) {
      try await loader().image(at: file.absoluteString)
    }
  }
}
