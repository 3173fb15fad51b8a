import Testing

@testable import SQLiteStorage

@Suite("SHA-256")
struct SHA256Tests {
  @Test(
    "gives the digests of the standard's examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func standardExamples(message: String, digest: String) {
    #expect(SHA256.hexDigest(of: message.utf8) == digest)
  }

  @Test("agrees with another implementation at every length around the block size")
  func allLengths() {
    // Python: h = lambda b: hashlib.sha256(b).hexdigest()
    // h(''.join(h(bytes(i % 251 for i in range(n))) for n in range(201)).encode())
    let digests = (0...200).map { length in
      SHA256.hexDigest(of: (0..<length).map { UInt8($0 % 251) })
    }
    #expect(
      SHA256.hexDigest(of: digests.joined().utf8)
        == "b367ea311264aae50e6260b96a10761169ce3eec5d5f8f2258351f82c7252776")
  }
}
