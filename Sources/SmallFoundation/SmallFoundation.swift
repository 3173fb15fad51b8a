// Exports the part of Foundation that needs no tables of languages, where that is a module of its own. Elsewhere it exports all
// of Foundation.

#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
