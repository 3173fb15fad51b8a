import Covers
import Testing

@Suite struct CoverErrorTests {
  @Test func eachErrorNamesTheThingAndTheNextStep() {
    #expect(
      CoverError.invalidPath("/a.json", reason: "there is no such file").description
        == "/a.json cannot be read: there is no such file. Check the path")
    #expect(
      CoverError.invalidImageUrl("x").description
        == "\"x\" is not the address of an image. Give one that begins with http:, https: or file:")
    #expect(
      CoverError.invalidImageData("file:///a", reason: "it is empty").description
        == "there is no image at file:///a: it is empty. Check the address")
  }
}
