/// That the file has changed, and what its tables and views are then.
struct FileNews: FeedNews {
  /// What was read last. Its number names the version.
  private var sources: SourceList.Content?
  /// The number of the first version with the same sources.
  private var sourcesSince = 0
  /// Whether it was read since the file is followed.
  private var isCurrent = false

  /// - Returns: whether this is news.
  mutating func show(_ new: SourceList.Content) -> Bool {
    // The file was followed anew meanwhile, and more is known.
    guard new.number >= sources?.number ?? 0 else { return false }
    let isNew = !isCurrent || sources?.number != new.number
    if sources?.json != new.json { sourcesSince = new.number }
    (sources, isCurrent) = (new, true)
    return isNew
  }

  mutating func end() { isCurrent = false }

  func event(after known: Int?, _ run: RunName) -> (number: Int, bytes: [UInt8])? {
    guard isCurrent, let sources else { return nil }
    // A later one is of a server that has ended.
    let isKnown = known.map { sourcesSince...sources.number ~= $0 } ?? false
    let event = WindowEvent.file(
      version: run.text(sources.number), schema: sources.schema,
      sources: isKnown ? nil : sources.json)
    return (sources.number, event)
  }
}

typealias FileFeed = NewsFeed<FileNews>

extension FileFeed {
  convenience init(_ list: SourceList, _ context: ServedList.Context) {
    let pause = context.limits.filePause
    self.init(FileNews(), context.run, idleTime: .zero) { change in
      await list.follow(pause: pause) { sources in change { $0.show(sources) } }
    }
  }
}
