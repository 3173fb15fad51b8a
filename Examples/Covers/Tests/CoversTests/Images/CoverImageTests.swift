import Covers
import Foundation
import Testing

@Suite struct CoverImageTests {
  @Test func theFormatAndTheSizeAreRead() throws {
    let png = try #require(CoverImage(.png(width: 7, height: 9)))
    #expect((png.format, png.width, png.height) == (.png, 7, 9))
    let gif = try #require(CoverImage(Data(Array("GIF89a".utf8) + [0x40, 1, 0xF0, 0])))
    #expect((gif.format, gif.width, gif.height) == (.gif, 320, 240))
    let jpeg = try #require(
      CoverImage(
        Data(
          [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC4, 0, 3, 0]
            + [0xFF, 0xC2, 0, 17, 8, 1, 0, 2, 0])))
    #expect((jpeg.format, jpeg.width, jpeg.height) == (.jpeg, 512, 256))
  }

  @Test func whatBreaksOffOrIsSomethingElseIsNoImage() {
    let png = Data.png()
    for count in 0..<png.count { #expect(CoverImage(png.prefix(count)) == nil, "\(count) bytes") }
    #expect(CoverImage(.png(width: 0)) == nil)
    #expect(CoverImage(Data("<!doctype html>".utf8)) == nil)
    #expect(CoverImage(Data(Array("GIF89a".utf8) + [1, 0])) == nil)
    #expect(CoverImage(Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0])) == nil)
    #expect(CoverImage(Data([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0])) == nil)
  }
}
