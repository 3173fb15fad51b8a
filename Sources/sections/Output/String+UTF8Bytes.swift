extension String {
  /// Calls `body` with the string's bytes, without a copy if it is stored as UTF-8.
  ///
  /// A string bridged from Objective-C may be stored otherwise, and is copied.
  func withUTF8Bytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    guard utf8.withContiguousStorageIfAvailable(body) == nil else { return }
    var copy = self
    copy.withUTF8(body)
  }
}
