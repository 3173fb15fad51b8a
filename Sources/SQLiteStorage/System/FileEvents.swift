internal import CLibrary
internal import Dispatch

#if canImport(Darwin)
  /// Reports writes to files, through the kernel's event queue.
  ///
  /// Only logs are watched, since SQLite does not lock them. A database file must not be opened
  /// here: closing it would release the POSIX locks that SQLite has on it in this process. If a log
  /// does not exist, its folder is watched until it does.
  final class FileEvents {
    private let sources: [any DispatchSourceFileSystemObject]
    /// Whether all logs exist and are watched.
    let isComplete: Bool

    /// - Returns: nil if neither a log nor its folder can be watched.
    init?(of paths: [String], on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      func source(at path: String) -> (any DispatchSourceFileSystemObject)? {
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
        source.setEventHandler(handler: handler)
        source.setCancelHandler { close(descriptor) }
        return source
      }
      let logs = paths.filter { $0.hasSuffix("-wal") }.map { ($0, source(at: $0)) }
      let folders = Set(logs.filter { $0.1 == nil }.map { splitPath($0.0).folder })
      sources = logs.compactMap(\.1) + folders.compactMap(source)
      isComplete = folders.isEmpty
      guard !sources.isEmpty else { return nil }
      for source in sources { source.resume() }
    }

    func pause() { for source in sources { source.suspend() } }

    func resume() { for source in sources { source.resume() } }

    func cancel() { for source in sources { source.cancel() } }
  }
#endif

#if os(Linux) || os(Android)
  /// Reports writes to files, through inotify. The files are not opened: closing a file would
  /// release the POSIX locks that SQLite has on it in this process. If a file does not exist, it is
  /// reported when it is created.
  ///
  /// Source: [inotify(7)](https://man7.org/linux/man-pages/man7/inotify.7.html).
  final class FileEvents {
    private let instance: InotifyInstance
    private let client: Int
    /// Whether all files exist and are watched.
    let isComplete: Bool

    /// - Returns: nil if the system provides no watch, or none of the folders exists.
    init?(of paths: [String], on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      guard let instance = InotifyInstance.shared(),
        let (client, isComplete) = instance.add(paths, on: queue, handler)
      else { return nil }
      self.instance = instance
      self.client = client
      self.isComplete = isComplete
    }

    func pause() { instance.setPaused(true, client) }

    /// An event that arrived during the pause is reported.
    func resume() { instance.setPaused(false, client) }

    func cancel() { instance.remove(client) }
  }

  /// The inotify instance of the process, for all its databases: the system grants a user 128.
  ///
  /// `@unchecked Sendable`: `source`, which the compiler does not know to be thread-safe, is used with
  /// `state` locked, and in `init` and `deinit`.
  private final class InotifyInstance: @unchecked Sendable {
    private struct Client {
      let queue: DispatchQueue
      let handler: @Sendable () -> Void
      var isPaused = false
      /// Whether an event arrived that the handler was not called for.
      var isPending = false
    }

    /// What the system watches. It has one number for a file or folder, however often it is added.
    private struct Watch: Hashable {
      let number: Int32
      /// The file that is awaited in the folder with this number; nil for an existing file.
      var name: String?
    }

    private struct State {
      var clients: [Int: Client] = [:]
      var watches: [Watch: Set<Int>] = [:]
      var lastClient = 0
      var isResting = false
      var isSuspended = false
    }

    private static let current = Locked<Weak<InotifyInstance>?>(nil)

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "FetchedResults.FileEvents")
    private let source: any DispatchSourceRead
    private let state = Locked(State())

    /// - Returns: nil if the system provides none.
    static func shared() -> InotifyInstance? {
      current.withLock { current in
        if let instance = current?.object { return instance }
        let instance = InotifyInstance()
        current = instance.map(Weak.init)
        return instance
      }
    }

    private init?() {
      guard Descriptors.isOneFree else { return nil }
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      self.descriptor = descriptor
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [weak self] in self?.readEvents() }
      source.setCancelHandler { close(descriptor) }
      source.resume()
    }

    deinit {
      // A dispatch source must not be released while it is suspended.
      if state.withLock({ $0.isSuspended }) { source.resume() }
      source.cancel()
    }

    /// - Returns: the number of the client, and whether all of the files are watched; nil if none is.
    func add(
      _ paths: [String], on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> (client: Int, isComplete: Bool)? {
      // With the lock, so that no event is read before its client is known.
      state.withLock { state in
        let watches = paths.compactMap(watch)
        guard !watches.isEmpty else { return nil }
        state.lastClient += 1
        for watch in watches { state.watches[watch, default: []].insert(state.lastClient) }
        state.clients[state.lastClient] = Client(queue: queue, handler: handler)
        suspendIfPaused(&state)
        return (state.lastClient, watches.count { $0.name == nil } == paths.count)
      }
    }

    /// Watches a file, or its folder if there is no such file.
    private func watch(_ path: String) -> Watch? {
      func number(_ path: String, _ events: Int) -> Int32? {
        let number = inotify_add_watch(descriptor, path, UInt32(events))
        return number < 0 ? nil : number
      }
      if let file = number(path, Int(IN_MODIFY)) { return Watch(number: file) }
      let (folder, name) = splitPath(path)
      guard let folder = number(folder, Int(IN_CREATE | IN_MOVED_TO)) else { return nil }
      // It may have been created since.
      if let file = number(path, Int(IN_MODIFY)) { return Watch(number: file) }
      return Watch(number: folder, name: name)
    }

    func remove(_ client: Int) {
      state.withLock { state in
        state.clients[client] = nil
        for (watch, clients) in state.watches where clients.contains(client) {
          state.watches[watch]?.remove(client)
          guard clients.count == 1 else { continue }
          state.watches[watch] = nil
          guard !state.watches.keys.contains(where: { $0.number == watch.number }) else { continue }
          inotify_rm_watch(descriptor, watch.number)
        }
        suspendIfPaused(&state)
      }
    }

    func setPaused(_ isPaused: Bool, _ client: Int) {
      state.withLock { state in
        state.clients[client]?.isPaused = isPaused
        suspendIfPaused(&state)
        guard !isPaused, state.clients[client]?.isPending == true else { return }
        call(client, &state)
      }
    }

    /// Reads no events while all clients pause or the instance rests: a writer makes one for each page.
    private func suspendIfPaused(_ state: inout State) {
      let isSuspended = state.isResting || state.clients.values.allSatisfy(\.isPaused)
      guard isSuspended != state.isSuspended else { return }
      state.isSuspended = isSuspended
      if isSuspended { source.suspend() } else { source.resume() }
    }

    private func call(_ client: Int, _ state: inout State) {
      state.clients[client]?.isPending = true
      state.clients[client]?.queue.async { [weak self] in
        // Several events are one call. None is made after the client was removed.
        let handler = self?.state.withLock { state -> (@Sendable () -> Void)? in
          guard let known = state.clients[client], known.isPending, !known.isPaused else {
            return nil
          }
          state.clients[client]?.isPending = false
          return known.handler
        }
        handler?()
      }
    }

    private func readEvents() {
      state.withLock { state in
        var isNews = false
        for client in readClients(&state) {
          guard let known = state.clients[client], !known.isPending else { continue }
          isNews = true
          if known.isPaused {
            state.clients[client]?.isPending = true
          } else {
            call(client, &state)
          }
        }
        // Otherwise a writer that does not pause would keep a thread busy for the other databases.
        if !isNews { rest(&state) }
      }
    }

    /// Reads no events for a moment.
    private func rest(_ state: inout State) {
      state.isResting = true
      suspendIfPaused(&state)
      queue.asyncAfter(deadline: .now() + .microseconds(500)) { [weak self] in
        // Kept until the lock is released, which `deinit` needs.
        guard let self else { return }
        self.state.withLock { state in
          state.isResting = false
          self.suspendIfPaused(&state)
        }
      }
    }

    /// Reads all pending events.
    ///
    /// - Returns: the clients whose files were written.
    private func readClients(_ state: inout State) -> Set<Int> {
      var clients: Set<Int> = []
      withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
        while true {
          let count = read(descriptor, buffer.baseAddress, buffer.count)
          guard count > 0 else { return }
          var offset = 0
          while offset + MemoryLayout<inotify_event>.size <= count {
            let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
            offset += MemoryLayout<inotify_event>.size
            // In a folder, the name of a file follows, filled up with zeros.
            var watch = Watch(number: event.wd)
            if event.len > 0 {
              watch.name = String(decoding: buffer[offset...].prefix { $0 != 0 }, as: UTF8.self)
            }
            offset += Int(event.len)
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { clients.formUnion(state.clients.keys) }
            clients.formUnion(state.watches[watch] ?? [])
            // The file or the folder was removed.
            if event.mask & UInt32(IN_IGNORED) != 0 {
              for watch in state.watches.keys where watch.number == event.wd {
                state.watches[watch] = nil
              }
            }
          }
        }
      }
      return clients
    }
  }
#endif

private func splitPath(_ path: String) -> (folder: String, name: String) {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
  let folder = path[..<slash]
  return (folder.isEmpty ? "/" : String(folder), String(path[path.utf8.index(after: slash)...]))
}
