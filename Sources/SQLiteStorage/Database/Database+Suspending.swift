// MARK: - Suspending

extension Database {
  /// Whether the file is open.
  enum Access {
    case open(OpenDatabase)
    case suspended
    case closed

    /// Nil if the file is not open.
    var opened: OpenDatabase? { if case .open(let opened) = self { opened } else { nil } }
  }

  /// - Throws: `DatabaseError` with code `.closed`.
  func opened() throws -> OpenDatabase {
    switch access.withLock({ $0 }) {
    case .open(let opened): return opened
    case .suspended:
      throw DatabaseError.closed("suspended: \(path)", nextStep: "Call resume() first")
    case .closed: throw closedForGood
    }
  }

  private var closedForGood: DatabaseError {
    .closed("closed: \(path)", nextStep: "Open it anew")
  }

  /// Whether ``suspend()`` was called, and ``resume()`` or ``close()`` was not.
  public var isSuspended: Bool {
    if case .suspended = access.withLock({ $0 }) { true } else { false }
  }

  /// Closes the file until ``resume()``, so that no lock, no transaction and no descriptor is held: for an app that shares
  /// its file with an extension. The system ends an app that is suspended while it holds a lock of a shared file.
  ///
  /// ```swift
  /// func sceneDidEnterBackground(_ scene: UIScene) { try? library.suspend() }
  /// func sceneWillEnterForeground(_ scene: UIScene) { try? library.resume() }
  /// ```
  ///
  /// Reads and writes that run are waited for; later ones throw `.closed`. Snapshots expire. Lists stay as they are: they
  /// remember 8 to 24 bytes of each row, by which they find what has changed when the database is resumed. Until then,
  /// records that were not read before cannot be read.
  ///
  /// Meanwhile any process may do anything to the file: write, `VACUUM`, change the journal mode, or replace it.
  ///
  /// A database that is suspended or closed stays so. An ``inMemory(configuration:)`` store has a file that nobody shares,
  /// and stays open.
  ///
  /// Complexity: O(n) for n rows of the lists.
  ///
  /// - Throws: `DatabaseError` with code `.nestedWrite` inside `write`. Do not call it inside `read`: it would wait for its
  ///   end.
  public func suspend() throws {
    guard reopen != nil else { return }
    try leave(.suspended)
  }

  /// Opens the file again after ``suspend()``. Each list moves to the newest version, with one batch if its rows have
  /// changed.
  ///
  /// - Throws: the errors of ``init(path:access:configuration:)``. The database stays suspended then.
  ///   `DatabaseError` with code `.closed` if it was closed.
  public func resume() throws {
    try transition.withLock { _ in
      switch access.withLock({ $0 }) {
      case .open: return
      case .closed: throw closedForGood
      case .suspended: break
      }
      guard let file = try reopen?() else { return }
      let opened = try OpenDatabase(file)
      try opened.startCapture(signals)
      access.withLock { $0 = .open(opened) }
      signals.resume()
    }
  }

  /// Closes the file for good: as ``suspend()`` does, and the sequences of its observers end.
  ///
  /// It is not necessary: a database is closed when the last reference to it and to its snapshots is released. It is for
  /// code that must know that the file is closed.
  ///
  /// - Throws: the same as ``suspend()``.
  public func close() throws {
    try leave(.closed)
    signals.finish()
  }

  private func leave(_ next: Access) throws {
    // The calling thread may write in the one that is open.
    try access.withLock({ $0.opened })?.writer?.refuseClosing()
    transition.withLock { _ in
      let opened = access.withLock { access -> OpenDatabase? in
        defer { if case .closed = access {} else { access = next } }
        return access.opened
      }
      signals.pause()
      opened?.close()
    }
  }
}
