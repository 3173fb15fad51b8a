#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A C function that only some builds of SQLite have. It is looked up at run time, so that the
/// program also links with a library that does not have it.
///
/// `@unchecked Sendable`: the address of a function, which never changes.
struct OptionalSymbol<Function>: @unchecked Sendable {
  /// The function; nil if the library does not have it.
  let value: Function?

  /// - Parameter name: the name of a function of exactly the type `Function`, which must be a C
  ///   function type.
  init(_ name: String) {
    // Searches the program and all libraries it is linked with.
    value = dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: Function.self) }
  }
}
