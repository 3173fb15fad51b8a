extension Workload {
  /// Why a target of this workload is missed, if it is: one line of the report, which is kept here beside the
  /// workloads since a run cannot know it.
  func reasonForMissing(_ part: String) -> String? {
    reasons.first { $0.id == id && part.hasPrefix($0.part) }?.reason
  }
}

/// The first line counts whose part the name of a row begins with.
private let reasons: [(id: String, part: String, reason: String)] = [
  (
    "P1", "first sectioned fetch, covering index",
    """
    near the target. Another run of the same day had 1.28. Three runs in turns with commit 55555cf had 1.35 to 1.51, those \
    of 55555cf 1.28 to 1.42.
    """
  ),
  (
    "P2", "",
    """
    SQLite drops a connection's cached pages when another connection has written, so each version begins with an empty \
    cache. The floor leaves out the search for what changed, a `stat` of three files, the look-ups of the old and the new \
    place, the index in memory and the events.
    """
  ),
  (
    "P4", "",
    "a row takes three look-ups, for its content on both sides and its place; the floor takes them without the index and the events."
  ),
  ("P6", "", "as P2; the row is looked up in two parts of the order."),
  (
    "P7", "",
    "the floor reads the rows of the join once. The list finds their keys by a query on each side, and looks up each row and its place."
  ),
  ("P8", "", "as P2."),
  (
    "P9", "pausing",
    """
    nobody waits for the list. If the log passes its limit before it can be copied between two commits, each version \
    becomes a private copy until the commits leave longer pauses.
    """
  ),
  (
    "P9s", "",
    """
    nobody waits for the list. Without a pause between commits each version becomes a private copy, and its changes are \
    found by comparing all pages, so the list is late by the time that both take.
    """
  ),
  (
    "P13", "log after 100,000 commits, observing",
    "versions are copied only when the log has 33 MB and grows on; until then a late list lets it grow."
  ),
  (
    "P14", "",
    "a list is notified, looks for its changed rows and makes a version of its own; the floor is a look-up for each list."
  ),
  (
    "P17", "",
    "the floor steps once through the SELECT of what was touched; pinning a version and its checks take as long as that."
  ),
  (
    "P18", "",
    "the floor is one row and one group; pinning a version and its checks take most of the rest."
  ),
  (
    "P10", "above baseline, held in chunks",
    "the allocator takes a quarter of a megabyte at a time. Other runs took 3.94 to 4.07 MB."
  ),
  ("P19", "first fetch", "each row adds to three counters, and the scan reads one more column."),
  (
    "P11", "first screen",
    """
    before the rows are read, the request is planned on a connection that is new: a dozen statements are prepared, which \
    takes about a millisecond with cold caches. The floor prepares one.
    """
  ),
  (
    "P20", "",
    "the index of both orders is made and compared."
  ),
  ("P21", "", "an encoder takes the keys of a value one by one."),
  (
    "P22", "",
    "a thousand tasks are resumed on two cores. Another run of the same day took 17.6 ms."
  ),
  (
    "P23", "content of all rows",
    "a SELECT that only passes the rows of a table on costs less than what follows: two statements are stepped, and their rows are compared."
  ),
  (
    "P24", "",
    """
    more code is compiled: beside what reads and writes rows, the reader of the log and the analysis of SELECTs.
    """
  ),
  (
    "P25", "a commit of another process, processor time",
    """
    while a version is pinned, SQLite cannot begin its log anew, and its automatic checkpoint runs after each commit, as \
    beside any reader.
    """
  ),
  (
    "P25", "change log",
    """
    ten thousand rows are in as many as 7,000 pages, each of which is read in both versions, and looked up in both. The \
    floor of P4 takes 112 ms for such look-ups alone.
    """
  ),
]
