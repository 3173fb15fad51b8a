// The part of Foundation without the tables of languages, where it is a module; else all of Foundation.

#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
