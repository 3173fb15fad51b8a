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

#if os(Linux) || os(Android)
  internal import Dispatch
  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Android)
    internal import Android
  #endif

  /// Reports writes to files, through inotify. The files are not opened: closing a file would
  /// release the POSIX locks that SQLite has on it in this process.
  ///
  /// Source: [inotify(7)](https://man7.org/linux/man-pages/man7/inotify.7.html).
  final class FileEvents {
    private let source: any DispatchSourceRead

    /// - Returns: nil if the system provides no watch, or none of the files exists.
    init?(of paths: [String], on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      guard Descriptors.isOneFree else { return nil }
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      let watches = paths.map { inotify_add_watch(descriptor, $0, UInt32(IN_MODIFY)) }
      guard watches.contains(where: { $0 >= 0 }) else {
        close(descriptor)
        return nil
      }
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        FileEvents.drain(descriptor)
        handler()
      }
      source.setCancelHandler { close(descriptor) }
      source.resume()
    }

    func pause() { source.suspend() }

    func resume() { source.resume() }

    func cancel() { source.cancel() }

    /// Reads and ignores all pending events: only their arrival matters.
    private static func drain(_ descriptor: Int32) {
      withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
        while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
      }
    }
  }
#endif
