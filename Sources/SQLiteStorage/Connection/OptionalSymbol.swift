#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A C function that a build of SQLite may or may not have: it is looked up at run time, so that a
/// library without it links all the same.
///
/// `@unchecked Sendable`: a function's address, which never changes.
struct OptionalSymbol<Function>: @unchecked Sendable {
  /// The function; nil where the library does not have it.
  let value: Function?

  /// - Parameter name: the name of a function of exactly the type `Function`, which must be a
  ///   C function type.
  init(_ name: String) {
    // The program and everything it is linked with.
    value = dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: Function.self) }
  }
}
