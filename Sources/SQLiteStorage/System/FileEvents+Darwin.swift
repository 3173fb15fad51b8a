#if canImport(Darwin)
  internal import Darwin
  internal import Dispatch

  /// Reports writes to files, through the kernel's event queue.
  ///
  /// Only logs are watched, since SQLite does not lock them. A database file must not be opened
  /// here: closing it would release the POSIX locks that SQLite has on it in this process.
  final class FileEvents {
    private let sources: [any DispatchSourceFileSystemObject]

    /// - Returns: nil if none of the files is an existing log.
    init?(of paths: [String], on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      sources = paths.filter { $0.hasSuffix("-wal") }.compactMap { path in
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
        source.setEventHandler(handler: handler)
        source.setCancelHandler { close(descriptor) }
        return source
      }
      guard !sources.isEmpty else { return nil }
      for source in sources { source.resume() }
    }

    func pause() { for source in sources { source.suspend() } }

    func resume() { for source in sources { source.resume() } }

    func cancel() { for source in sources { source.cancel() } }
  }
#endif
