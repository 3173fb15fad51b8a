import SQLiteStorage

/// The limits of a server, above which it answers 503.
package struct ServerLimits: Sendable {
  /// The number of bytes of a request's head.
  var headLength = 16_384
  /// How long a request may take to arrive, and a connection to begin the next one.
  var requestTime = Duration.seconds(10)
  /// How long a client may read nothing of an answer. Its system reads megabytes in advance, so a slow client seems
  /// to read nothing for many seconds.
  var readTime = Duration.seconds(60)
  /// The number of connections in all.
  package var connections = Int.max
  /// The number of connections of another machine.
  var connectionsOfAddress = 256
  /// The number of clients that receive events.
  package var clients = 4_096
  /// The number of lists that are followed at the same time, those of the values beside a list included.
  var lists = 64
  /// The number of different windows of one list.
  var windowsOfList = 256
  /// The number of windows of one client that receives events. It may have some for other windows of its browser.
  var windowsOfClient = 64
  /// The number of lines of a window.
  var linesOfWindow = 1_000
  /// How long the first fetch of a list may take, and each refresh.
  package var queryTime = Duration.seconds(5)
  /// How long the count of one source may take.
  var countTime = Duration.milliseconds(300)
  /// The number of exports at the same time.
  var exports = 16
  /// The number of bytes from which a blob or a text is long, and of those that are sent at the same time: each keeps
  /// its version in the database until its client has read it or, if it is of a view, is in memory.
  var longValue = 1_000_000
  var longValues = 4
  /// The number of bytes of a value that SQL of a client can make or read.
  var typedValue = 16_000_000
  /// The number of bytes that SQLite may have in memory, in all, as soon as a client has typed SQL.
  var heap = 1_000_000_000
  /// The number of requests for which a file is opened, at the same time.
  var inspections = 8
  /// The number of changes that are kept for who asks what has changed, and of their bytes.
  var changes = 300
  var changesSize = 2_000_000
  /// The number of rows that are told of one batch of changes; the others are counted.
  var changesOfBatch = 200
  /// The time between two reports that the file has changed, at least: with each, all rows are counted.
  var filePause = Duration.milliseconds(500)
  /// How long changes are followed after somebody has asked for them: longer than the pause of a hidden page.
  var changesTime = Duration.seconds(150)
  /// How long an export or a long value may take. Meanwhile its version stays in the database.
  var exportTime = Duration.seconds(300)
  /// How long a list without clients is followed.
  var idleTime = Duration.seconds(10)
  /// The time between two comments to a client that has nothing else to receive.
  var commentTime = Duration.seconds(5)

  package init() {}
}

/// A limited number of answers of a kind at the same time.
///
/// Sendable: a lock protects the count.
final class PermitPool: Sendable {
  private let count = Locked(0)
  private let limit: Int
  /// The error while there are as many as the limit.
  private let error: RequestError

  /// - Parameter what: what there is a limited number of, as in *exports are running*.
  init(limit: Int, _ what: String, nextStep: String, retryAfter: Int) {
    self.limit = limit
    error = .full("\(limit) \(what)", nextStep: nextStep, retryAfter: retryAfter)
  }

  /// Permits one more answer, until the result is released.
  ///
  /// - Throws: `RequestError` of status 503 if there are too many.
  func take() throws -> Permit {
    try count.withLock { count in
      guard count < limit else { throw error }
      count += 1
    }
    return Permit { [count] in count.withLock { $0 -= 1 } }
  }
}

/// One of a limited number of answers of a kind, until it is released.
///
/// Sendable: immutable.
final class Permit: Sendable {
  private let onEnd: @Sendable () -> Void

  fileprivate init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  deinit { onEnd() }
}
