#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import TableData
#endif
