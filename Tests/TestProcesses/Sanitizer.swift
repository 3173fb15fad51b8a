import CLibrary

/// The sanitizer that the tests are built for.
package enum Sanitizer {
  /// Whether there is one, for addresses or for threads.
  package static let isUsed = keepsFreedMemory || isDefined("__tsan_init")

  /// Whether memory that is given back is kept for a while, as the address sanitizer does: then its size says nothing.
  package static let keepsFreedMemory = isDefined("__asan_init")

  private static func isDefined(_ symbol: String) -> Bool {
    dlsym(dlopen(nil, RTLD_NOW), symbol) != nil
  }
}
