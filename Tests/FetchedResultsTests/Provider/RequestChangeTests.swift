import Dispatch
import Foundation
import SQLiteStorage
import Synchronization
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Rule 22: another request.
@Suite(.timeLimit(.minutes(5))) struct RequestChangeTests {
  private let item = FetchRequest(table: "item")
  private let bySection = SectionKey<Row>.property(\Row["section"])

  private func list(sectionedBy section: String? = nil) throws -> LiveList {
    try LiveList(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, section TEXT COLLATE NOCASE);
      INSERT INTO item VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'X'), (4, 'd', NULL);
      """, "name", sectionedBy: section)
  }

  // MARK: What changes

  @Test func aFilterTakesRowsOutAndBringsThemBack() throws {
    let list = try list()
    let byName = item.sorted(by: \Row["name"])
    #expect(try list.set(byName.filter("id % 2 = 0")).description == "-[0,2] -[0,0]")
    #expect(try list.set(byName.filter("id < 4")).description == "-[0,1] +[0,0] +[0,2]")
    #expect(try list.set(byName.filter("id < 4 AND 1")).isEmpty)
    #expect(try list.set(byName).description == "+[0,3]")
  }

  @Test func anotherOrderMovesAsFewRowsAsPossible() throws {
    let list = try list()
    #expect(
      try list.set(item.sorted(by: \Row["name"], .descending)).description
        == "[0,3]>[0,0] [0,2]>[0,1] [0,1]>[0,2]")
    #expect(
      try list.set(item.sorted(.expression("(id + 1) % 4"))).description
        == "[0,1]>[0,0] [0,3]>[0,2]")
  }

  @Test func aLimitIsAWindowOfTheSameOrder() throws {
    let list = try list()
    let byName = item.sorted(by: \Row["name"])
    #expect(try list.set(byName.limited(to: 2)).description == "-[0,3] -[0,2]")
    #expect(try list.set(byName.limited(to: 2, offset: 1)).description == "-[0,0] +[0,1]")
    #expect(
      try list.commit("INSERT INTO item VALUES (9, 'bb', NULL)").description == "-[0,1] +[0,1]")
  }

  @Test func sectionsWithEqualKeysStay() throws {
    let list = try list(sectionedBy: "section")
    #expect(try list.provider.lines() == ["NULL: 4", "\"x\": 1 3", "\"y\": 2"])
    #expect(
      try list.set(item.sorted(by: \Row["name"]).filter("id > 1"), sectionedBy: bySection)
        .description == "[1]=[1] -[1,0]")
    #expect(
      try list.set(
        item.sorted(by: \Row["name"]), sectionedBy: .property(\Row["section"], .descending)
      ).insertedSections.count == 2)
  }

  @Test func sectionsThatOnlyOneSideTakesForEqualAreDistinguished() throws {
    let list = try list(sectionedBy: "section")
    let exact = SectionKey<Row>.property(\Row["section"], .ascending, collation: .binary)
    try list.set(item.sorted(by: \Row["name"]), sectionedBy: exact)
    #expect(try list.provider.lines() == ["NULL: 4", "\"X\": 3", "\"x\": 1", "\"y\": 2"])
    try list.set(item.sorted(by: \Row["name"]), sectionedBy: bySection)
  }

  @Test func aSectionWhoseOtherKeyIsSpelledDifferentlyIsRenamed() throws {
    let list = try LiveList(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, a, b);
      INSERT INTO item VALUES (1, 4, 4.0), (2, 5, 'x'), (3, 6, 'y');
      """, sectionedBy: "a")
    let changes = try list.set(FetchRequest(table: "item"), sectionedBy: .property(\Row["b"]))
    #expect(changes.updatedSections == [.init(old: 0, new: 0)])
  }

  @Test func aListThatIsDividedOrNotAnyMoreIsReplacedRowByRow() throws {
    let list = try list()
    #expect(
      try list.set(item, sectionedBy: bySection).description
        == "-[0] +[0] +[1] +[2] -[0,3] -[0,2] -[0,1] -[0,0] +[0,0] +[1,0] +[1,1] +[2,0]")
    try list.set(item.filter("0"), sectionedBy: bySection)
    #expect(try list.set(item.filter("0")).description == "+[0]")
    #expect(try list.set(item.filter("0"), sectionedBy: bySection).description == "-[0]")
  }

  @Test func aRequestOfRowsWithARepeatedKeyIsSetAsItIsFetched() throws {
    let store = try Database.store(
      """
      CREATE TABLE item(id TEXT PRIMARY KEY, n);
      INSERT INTO item VALUES ('a', 1), (NULL, 2), (NULL, 3);
      """)
    let item = FetchRequest(table: "item")
    let provider = try FetchedResultsProvider(
      database: store, request: item.filter("id IS NOT NULL"))
    try provider.performFetch()
    #expect(
      try provider.setRequest(item) == .reset(oldSectionCount: 1, newSectionCount: 1))
    #expect(provider.fetchedObjects?.count == 3)
    try store.run("DELETE FROM item WHERE n = 2")
    #expect(try provider.refresh().deletedRows.count == 1)
  }

  @Test func parametersOfASelectMayChangeWhatARowContains() throws {
    let request = FetchRequest(select: "SELECT id, name || :end AS title FROM item", key: ["id"])
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO item VALUES (1, 'a'), (2, NULL);
        """), request.with(parameters: ["end": .text("!")]))
    #expect(
      try list.set(request.with(parameters: ["end": .text("?")])).description == "[0,0]=[0,0]")
  }

  @Test func tooManyChangesAreAReset() throws {
    let list = try list()
    let provider = list.provider
    func set(
      _ condition: SQLFragment<Row>, _ direction: SortTerm<Row>.Direction, _ limit: Int
    ) throws
      -> String
    {
      list.recorder.clear()
      let request = item.filter(condition).sorted(by: \Row["name"], direction)
      let changes = try provider.setRequest(request, resetAbove: limit)
      let fresh = try FetchedResultsProvider(database: list.database, request: request)
      #expect(try provider.lines() == fresh.fetchedLines())
      #expect(
        list.recorder.calls == (changes.isEmpty ? [] : Recorder<Row>.calls(for: changes)))
      return changes.reset == nil ? "\(changes)" : "reset"
    }
    #expect(try set("id <> 2", .ascending, 1) == "-[0,1]")
    #expect(try set("id <> 2", .ascending, 0) == "no changes")
    #expect(try set("id = 2", .ascending, 3) == "reset")
    #expect(try set("1", .ascending, 3) == "+[0,0] +[0,2] +[0,3]")
    #expect(try set("1", .descending, 2) == "reset")
    #expect(try set("1", .ascending, 3) == "[0,3]>[0,0] [0,2]>[0,1] [0,1]>[0,2]")
    #expect(try set("id < 3", .ascending, 1) == "reset")
    let silent = try provider.setRequest(item, silently: true, resetAbove: 100)
    #expect(silent.reset != nil)
  }

  @Test func aLimitOfChangesCountsThoseOfRowsWithoutKeysAndWithOtherContents() throws {
    let request = FetchRequest(select: "SELECT id, name || :end AS title FROM item", key: ["id"])
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, NULL);
        """), request.with(parameters: ["end": .text("!")]))
    let other = request.with(parameters: ["end": .text("?")])
    #expect(try list.provider.setRequest(other, resetAbove: 1).reset != nil)
    #expect(try list.provider.setRequest(list.request, resetAbove: 2).updatedRows.count == 2)
    let keyless = FetchRequest(select: "SELECT name FROM item")
    let names = try FetchedResultsProvider(database: list.database, request: keyless)
    try names.performFetch()
    let first = keyless.filter("name < 'b'")
    #expect(try names.setRequest(first, resetAbove: 1).reset != nil)
    #expect(try names.setRequest(keyless, resetAbove: 2).insertedRows.count == 2)
  }

  @Test(arguments: [
    FetchRequest(table: "item").columns(["name"]), FetchRequest(table: "other"),
    FetchRequest(table: "item", key: ["name"]), FetchRequest(select: "SELECT count(*) FROM item"),
    FetchRequest(select: "SELECT id, name, section FROM item", key: ["id"]),
  ])
  func requestsThatHaveNothingInCommonAreAReset(request: FetchRequest<Row>) throws {
    let list = try list()
    try list.commit("CREATE TABLE other(id INTEGER PRIMARY KEY, name TEXT)")
    list.recorder.clear()
    let changes = try list.provider.setRequest(request)
    #expect(changes.description.contains("reset"))
    #expect(list.recorder.calls == Recorder<Row>.calls(for: changes))
    let fresh = try FetchedResultsProvider(database: list.database, request: request)
    #expect(try list.provider.lines() == fresh.fetchedLines())
  }

  @Test func asManySectionsAsPossibleStayThoughFewerRowsDo() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, section TEXT);
        INSERT INTO item(section) VALUES ('x'), ('y'), ('z'), ('z'), ('z');
        """), item, sectionedBy: .property(\Row["section"]))
    let changes = try list.set(
      item, sectionedBy: .expression("section", order: .expression("section <> 'z'")))
    #expect(changes.compacted.description == "-[2] +[0]")
  }

  @Test func randomRequestsLeadFromOneToTheNext() throws {
    for seed in SeededGenerator.seeds(20) {
      var generator = SeededGenerator(seed: seed)
      let list = try list()
      let names = (10..<40).map { _ in
        let letter = "abcdefgh".randomElement(using: &generator) ?? "a"
        let section = ["'x'", "'X'", "'y'", "NULL"].randomElement(using: &generator) ?? "NULL"
        return "INSERT INTO item(name, section) VALUES ('\(letter)', \(section));"
      }
      try list.database.run(names.joined())
      // Under another collation other keys are one section.
      list.harness.requiresSameSectionNames = false
      try list.step()
      for _ in 0..<12 {
        let (request, section) = randomRequest(&generator)
        do {
          try list.set(request, sectionedBy: section)
          try list.commit("UPDATE item SET name = name || 'z' WHERE id % 7 = 3")
        } catch {
          Issue.record("seed \(seed): \(request): \(error)")
          return
        }
      }
    }
  }

  private func randomRequest(
    _ generator: inout SeededGenerator
  ) -> (FetchRequest<Row>, SectionKey<Row>?) {
    var request = item
    if Bool.random(using: &generator) {
      request = request.filter("id % \(Int.random(in: 1...4, using: &generator)) = 0")
    }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: request = request.sorted(by: \Row["name"])
    case 1: request = request.sorted(by: \Row["name"], .descending)
    case 2: request = request.sorted(.expression("id * 7 % 11"))
    default: break
    }
    if Int.random(in: 0..<3, using: &generator) == 0 {
      request = request.limited(
        to: Int.random(in: 0...20, using: &generator),
        offset: Int.random(in: 0...5, using: &generator))
    }
    let section: SectionKey<Row>? =
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: nil
      case 1: .property(\Row["section"], .descending)
      case 2: .property(\Row["section"], .ascending, collation: .binary)
      case 3: .expression("id % 3")
      default: bySection
      }
    return (request, section)
  }

  // MARK: How it is told

  @Test func aSilentRequestReportsNothing() throws {
    let list = try list()
    let changes = try list.provider.setRequest(item.filter("id = 2"), silently: true)
    // Nothing was compared, so everything may be different.
    #expect(changes == .reset(oldSectionCount: 1, newSectionCount: 1))
    #expect(list.recorder.calls.isEmpty)
    #expect(try list.provider.lines() == ["all: 2"])
    // It is kept true from there on.
    try list.database.run("UPDATE item SET name = 'z' WHERE id IN (1, 2)")
    #expect(try list.provider.refresh().description == "[0,0]=[0,0]")
  }

  @Test(arguments: [0, 1_000])
  func silentlyItReadsWhatAFetchReadsAndComparesNothing(identityLimit: Int) async throws {
    let count = Atomic(0)
    let counted = ScalarFunction("counted", argumentCount: 1) { _ in
      count.add(1, ordering: .relaxed)
      return 1
    }
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
      INSERT INTO item SELECT i, 'n' || i FROM n;
      """
    ) { $0.functions = [counted] }
    // Rows that the index holds in chunks are read again for a comparison.
    let request = item.filter("counted(id)").chunked(above: identityLimit, size: 10)
    let provider = try FetchedResultsProvider(database: database, request: request)
    let recorder = Recorder<Row>()
    provider.delegate = recorder
    func rowsRead(_ body: () async throws -> Void) async rethrows -> Int {
      count.store(0, ordering: .relaxed)
      try await body()
      return count.load(ordering: .relaxed)
    }
    try await provider.performFetch()
    let fetched = try await rowsRead { try await provider.performFetch() }
    let silent = try await rowsRead {
      try await provider.setRequest(request.filter("id > 0"), silently: true)
    }
    let compared = try await rowsRead { try await provider.setRequest(request.filter("id > 1")) }
    #expect(fetched >= 300)
    #expect(silent == fetched)
    if identityLimit == 0 { #expect(compared > fetched) }
    #expect(recorder.batches.map(\.description) == ["-[0,0]"])
  }

  @Test func beforeTheFirstFetchTheRequestIsJustReplaced() throws {
    let provider = try FetchedResultsProvider(database: Track.store(), request: Track.all)
    try provider.setRequest(Track.all.filter("id > 3"))
    #expect(provider.fetchedObjects == nil)
    #expect(try provider.fetchedLines() == ["all: 4 5"])
  }

  @Test func commitsSinceThenAreTheNextBatch() throws {
    let list = try list()
    try list.database.run("DELETE FROM item WHERE id = 1")
    #expect(try list.provider.setRequest(item.filter("id < 3")).description == "-[0,3] -[0,2]")
    #expect(try list.provider.refresh().description == "-[0,0]")
  }

  @Test func afterAnErrorRequestAndContentAreAsTheyWere() throws {
    let list = try list()
    let error = #expect(throws: DatabaseError.self) {
      try list.provider.setRequest(item.filter("nope = 1"))
    }
    #expect(error?.message.contains("nope") == true)
    #expect(throws: FetchError.self) {
      try list.provider.setRequest(item, sectionedBy: .expression("id % 2", order: .by(\Row["id"])))
    }
    #expect(list.recorder.calls.isEmpty)
    #expect(try list.provider.lines() == ["all: 1 2 3 4"])
    #expect(try list.commit("DELETE FROM item WHERE id = 1").description == "-[0,0]")
  }

  @Test func aRequestSetInDidIsTheNextBatch() throws {
    let list = try list()
    list.recorder.onDid = { [list, item] provider in
      list.recorder.onDid = nil
      try provider.setRequest(item.filter("id = 3"))
      #expect(try provider.lines() == ["all: 2 3 4"])
    }
    try list.database.run("DELETE FROM item WHERE id = 1")
    #expect(try list.provider.refresh().description == "-[0,0]")
    #expect(list.recorder.batches.map(\.description) == ["-[0,0]", "-[0,2] -[0,0]"])
    #expect(try list.provider.lines() == ["all: 3"])
  }

  @Test func aWrongRequestSetInDidIsAnErrorThere() throws {
    let list = try list()
    list.recorder.onDid = { [item] provider in try provider.setRequest(item.filter("nope = 1")) }
    try list.database.run("DELETE FROM item WHERE id = 1")
    try list.provider.refresh()
    #expect(list.recorder.errors.count == 1)
    #expect(try list.provider.lines() == ["all: 2 3 4"])
  }

  @Test func aRefreshInDidIsDoneThoughTheRequestSetThereIsWrong() throws {
    let list = try list()
    list.recorder.onDid = { [item, recorder = list.recorder] provider in
      recorder.onDid = nil
      // It is valid, but fails when it is fetched.
      try provider.setRequest(item.filter("abs(-9223372036854775807 - id / id)"))
      try provider.database.run("DELETE FROM item WHERE id = 2")
      try provider.refresh()
    }
    try list.database.run("DELETE FROM item WHERE id = 1")
    try list.provider.refresh()
    #expect(list.recorder.errors.map { ($0 as? DatabaseError)?.message } == ["integer overflow"])
    #expect(try list.provider.lines() == ["all: 3 4"])
  }

  // MARK: On an actor

  @Test @MainActor func theResultOfASupersededRequestIsNeverShown() async throws {
    // The first result is ready only when the second request is set.
    let (isAtWork, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let slow = ScalarFunction("slow", argumentCount: 1) { values in
      if values == [1] {
        isAtWork.signal()
        mayGoOn.wait()
      }
      return 1
    }
    let provider = try FetchedResultsProvider(
      database: try .store(Track.sample) { $0.functions = [slow] }, request: Track.all)
    let recorder = Recorder<Track>()
    provider.delegate = recorder
    try await provider.performFetch()
    let first = Task { try await provider.setRequest(Track.all.filter("id = 1 AND slow(id)")) }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        isAtWork.wait()
        continuation.resume()
      }
    }
    let second = Task { try await provider.setRequest(Track.all.filter("id = 2")) }
    await Task.yield()
    mayGoOn.signal()
    #expect(try await second.value.description == "-[0,4] -[0,3] -[0,2] -[0,0]")
    // Nobody cancelled its task.
    #expect(try await first.value == second.value)
    #expect(recorder.batches.count == 1)
    #expect(try provider.lines() == ["all: 2"])
  }

  /// A list whose next request waits until it is released.
  @MainActor private func heldList() async throws -> (
    provider: FetchedResultsProvider<Track>, held: HeldFunction,
    first: Task<TableChanges, any Error>
  ) {
    let held = HeldFunction("held")
    let provider = try FetchedResultsProvider(
      database: try .store(Track.sample) { $0.functions = [held.function] }, request: Track.all)
    try await provider.performFetch()
    held.hold()
    let first = Task { try await provider.setRequest(Track.all.filter("held(id) < 3")) }
    await held.arrival()
    return (provider, held, first)
  }

  @Test @MainActor func aRequestThatIsSupersededOnTheSpotReturnsWhatSupersededIt() async throws {
    let provider = try FetchedResultsProvider(database: try Track.store(), request: Track.all)
    try await provider.performFetch()
    // The work of the first request does not begin before the second one is set.
    let engine = await HeldEngine(provider.engine)
    let first = Task { try await provider.setRequest(Track.all.filter("id < 3")) }
    await Task.yield()
    func setOnTheSpot() throws -> TableChanges {
      try provider.setRequest(Track.all.filter("id = 4"))
    }
    let changes = try setOnTheSpot()
    await engine.release()
    #expect(try await first.value == changes)
    #expect(try provider.lines() == ["all: 4"])
  }

  @Test @MainActor func aSupersededRequestThrowsTheErrorOfTheLaterOne() async throws {
    let (provider, held, first) = try await heldList()
    let second = Task { try await provider.setRequest(Track.all.filter("nope = 1")) }
    await Task.yield()
    held.release()
    let error = await #expect(throws: DatabaseError.self) { try await second.value }
    let same = await #expect(throws: DatabaseError.self) { try await first.value }
    #expect(same?.message == error?.message)
    #expect(try provider.lines() == ["all: 1 2 3 4 5"])
  }

  @Test @MainActor func aRequestIsSetIfTheOneThatSupersededItIsCancelled() async throws {
    let (provider, held, first) = try await heldList()
    let second = Task { try await provider.setRequest(Track.all.filter("id = 2")) }
    await Task.yield()
    second.cancel()
    held.release()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(try await !first.value.isEmpty)
    #expect(try provider.lines() == ["all: 1 2"])
  }

  @Test @MainActor func aSupersededRequestOfACancelledTaskIsCancelled() async throws {
    let (provider, held, first) = try await heldList()
    first.cancel()
    let second = Task { try await provider.setRequest(Track.all.filter("id = 2")) }
    await Task.yield()
    held.release()
    _ = try await second.value
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(try provider.lines() == ["all: 2"])
  }

  @Test @MainActor func aFetchThatAnotherOneSupersedesEndsAsThatOneDoes() async throws {
    let (provider, held, first) = try await heldList()
    held.release()
    _ = try await first.value
    held.hold()
    let fetch = Task { try await provider.performFetch() }
    await held.arrival()
    try await provider.database.write { try $0.execute("DELETE FROM track WHERE id = 1") }
    let later = Task { try await provider.performFetch() }
    await Task.yield()
    held.release()
    try await fetch.value
    #expect(try provider.lines() == ["all: 2"])
    try await later.value
  }

  @Test @MainActor func aListAsksForWhatSupersededItsRequest() async throws {
    let held = HeldFunction("held")
    let list = FetchedList(
      database: try .store(Track.sample) { $0.functions = [held.function] },
      request: Track.all)
    try list.fetch()
    held.hold()
    let first = Task { await list.setRequest(Track.all.filter("held(id) < 3")) }
    await held.arrival()
    let second = Task { await list.setRequest(Track.all.filter("id = 4")) }
    await Task.yield()
    held.release()
    await first.value
    #expect(list.rows.compactMap(\.object?.id) == [4])
    await second.value
    #expect(list.error == nil)
    // What is asked for is shown, not the superseded request.
    try list.fetch()
    #expect(list.rows.compactMap(\.object?.id) == [4])
  }

  /// A refresh or a fetch shows a newer version, and does not set a request.
  @Test(arguments: [false, true]) @MainActor
  func aRequestThatIsBeingSetIsNotLostByARefresh(isFetch: Bool) async throws {
    let held = HeldFunction("held")
    let provider = try FetchedResultsProvider(
      database: try .store(Track.sample) { $0.functions = [held.function] }, request: Track.all)
    try await provider.performFetch()
    held.hold()
    let request = Task { try await provider.setRequest(Track.all.filter("held(id) < 3")) }
    await held.arrival()
    try await provider.database.write { try $0.execute("DELETE FROM track WHERE id = 1") }
    let other = Task {
      if isFetch { try await provider.performFetch() } else { try await provider.refresh() }
    }
    await Task.yield()
    held.release()
    #expect(try await request.value.deletedRows.isEmpty == false)
    try await other.value
    #expect(try provider.lines() == ["all: 2"])
  }

  /// Another list of the actor is slow, so that a step of it is always under way.
  @Test(arguments: [false, true]) @MainActor
  func aRequestIsSetWhileCommitsAreFasterThanItsResult(isBesideASlowList: Bool) async throws {
    let count = Atomic(0)
    let slow = ScalarFunction("slow", argumentCount: 1) { values in
      if values == [1], count.add(1, ordering: .relaxed).newValue < 20 {
        Thread.sleep(forTimeInterval: 0.2)
      }
      return values[0]
    }
    let slower = ScalarFunction("slower", argumentCount: 1) { values in
      Thread.sleep(forTimeInterval: 0.03)
      return values[0]
    }
    let store = try Database.store(
      Track.sample + "CREATE TABLE other(id INTEGER PRIMARY KEY); INSERT INTO other VALUES (1);"
    ) { $0.functions = [slow, slower] }
    let provider = try FetchedResultsProvider(database: store, request: Track.all)
    let other = try FetchedResultsProvider(
      database: store, request: FetchRequest<Row>(select: "SELECT slower(max(id)) FROM other"))
    try await provider.performFetch()
    try await other.performFetch()
    provider.startObserving()
    if isBesideASlowList { other.startObserving() }
    let writing = Task.detached {
      while !Task.isCancelled {
        try store.run("INSERT INTO other DEFAULT VALUES")
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    try await provider.setRequest(Track.all.filter("slow(id) < 3"))
    writing.cancel()
    try await writing.value
    #expect(count.load(ordering: .relaxed) < 5)
    #expect(try provider.lines() == ["all: 1 2"])
    provider.stopObserving()
    other.stopObserving()
  }

  @Test @MainActor func aCancelledTaskShowsNothing() async throws {
    let list = try list()
    let provider = list.provider
    let task = Task { try await provider.setRequest(item.filter("id = 1")) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try provider.lines() == ["all: 1 2 3 4"])
    #expect(list.recorder.calls.isEmpty)
  }

  @Test @MainActor func fetchingElsewhereShowsTheSame() async throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(database: database, request: Track.all)
    try await provider.performFetch()
    #expect(try provider.lines() == ["all: 1 2 3 4 5"])
    try await database.write { try $0.execute("DELETE FROM track WHERE id = 2") }
    #expect(try await provider.refresh().description == "-[0,1]")
    #expect(try await provider.refresh().isEmpty)
    await #expect(throws: DatabaseError.self) {
      try await provider.setRequest(Track.all.filter("nope = 1"))
    }
    #expect(try await provider.setRequest(Track.all.filter("id > 3")).rowCount == 2)
  }

  /// The rows of the SELECT are compared by their columns, and a computed section is not a column.
  @Test func anotherComputedSectionOfOtherParametersIsAReset() throws {
    struct Item: Codable, FetchableRecord {
      let id: Int64
      let name: String
      var initial: String { String(name.prefix(1)) }
      var length: Int { name.count }

      static func all(from id: Int64) -> FetchRequest<Item> {
        Item.all.sorted(by: \.name).with(parameters: ["from": .integer(id)])
      }
      static let recordDescription = RecordDescription(
        select: "SELECT id, name FROM item WHERE id > :from", key: \Item.id)
    }
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'bb'), (4, 'cc');
      """)
    let provider = try FetchedResultsProvider(
      database: database, request: Item.all(from: 0), sectionedBy: .property(\.initial))
    try provider.performFetch()
    let changes = try provider.setRequest(
      Item.all(from: -1), sectionedBy: .property(\.length))
    #expect(changes.reset != nil)
    #expect(provider.numberOfSections == 2)
    // With the same property, only what differs is a change.
    #expect(
      try provider.setRequest(Item.all(from: 1), sectionedBy: .property(\.length)).description
        == "-[0,0]")
  }
}
