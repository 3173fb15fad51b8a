import TableDataTesting
import Testing

import SQLiteStorage

@testable import FetchedResults
@testable import LiveQueries

@Suite struct LivePlanTests {
  /// No differing key is missed, and the restricted SELECT has the rows of the whole one.
  @Test(arguments: LiveShape.all) func waysMissNoKeyOfAShape(_ shape: LiveShape) throws {
    let seed = fuzzSeed()
    var numbers = SeededGenerator(seed: seed)
    var counts = (histories: 0, all: 0, keys: 0, differing: 0)
    var plan: LivePlan?
    var other: TwoVersions?
    // Of some SELECTs few histories concern a row.
    for number in 0..<SeededGenerator.scaled(300)
    where number < SeededGenerator.scaled(8) || counts.keys == 0 {
      let versions = try TwoVersions(&numbers, reusing: other)
      other = versions
      let current = try plan ?? LivePlan(shape.sql, keys: shape.keys, schema: versions.schema)
      plan = current
      let (fault, isAll, count, differing) = try versions.fault(
        in: current, shape.sql, keys: shape.keys, isFolded: shape.isFolded)
      if let fault {
        try Issue.record(
          "seed \(seed), history \(number): \(fault)\n\(shape.sql)\n\(sortedPlaces(current.references))"
        )
        return
      }
      counts.histories += 1
      counts.all += isAll ? 1 : 0
      counts.keys += count
      counts.differing += differing
    }
    log("shape: seed \(seed), \(counts): \(shape.sql)")
    #expect(counts.keys > 0 && counts.all < counts.histories, "\(counts)")
  }

  @Test func waysMissNoKeyOfRandomSelects() throws {
    let seed = fuzzSeed()
    var numbers = SeededGenerator(seed: seed)
    var random = RandomLiveSelect()
    var versions = try TwoVersions(&numbers)
    var reasons: [String: Int] = [:]
    var counts = (selects: 0, refused: 0, failing: 0, histories: 0, all: 0, keys: 0, differing: 0)
    for number in 0..<SeededGenerator.scaled(40) {
      if number.isMultiple(of: 10) { versions = try TwoVersions(&numbers, isRandomSchema: true) }
      let sql = random.next(&numbers)
      if let failure = versions.old.failure(preparing: sql) {
        // SQLite 3.40 says it also of a function beside a RIGHT JOIN whose argument is a column before it.
        guard failure != "ON clause references tables to its right" else { continue }
        Issue.record("\(failure): \(sql)")
        continue
      }
      counts.selects += 1
      let plan: LivePlan
      let references: [LivePlan.TableReference]
      do throws(SelectRefusal) {
        plan = try LivePlan(sql, keys: ["k"], schema: versions.schema)
        references = try plan.references
      } catch {
        counts.refused += 1
        reasons[error.reason, default: 0] += 1
        continue
      }
      for reference in references {
        if case .none(let reason) = reference.derivation {
          reasons["reference: " + reason, default: 0] += 1
        }
      }
      for _ in 0..<6 {
        versions = try TwoVersions(&numbers, reusing: versions)
        do {
          let (fault, isAll, count, differing) = try versions.fault(
            in: plan, sql, keys: ["k"], isFolded: versions.isFolded)
          if let fault {
            Issue.record(
              "seed \(seed), case \(number): \(fault)\n\(sql)\n\(sortedPlaces(references))")
            break
          }
          counts.histories += 1
          counts.all += isAll ? 1 : 0
          counts.keys += count
          counts.differing += differing
        } catch let failure as TestStore.Failure {
          // SQLite before 3.46 has a parser that permits a depth of 100. A caller that cannot
          // prepare a query has no derivation.
          guard
            failure.message.hasPrefix("parser stack overflow")
              || (try? versions.old.rows(sql)) == nil
          else {
            Issue.record("seed \(seed), case \(number): \(failure)\n\(sql)")
            break
          }
          counts.failing += 1
          break
        }
      }
    }
    log("live: seed \(seed), \(counts), \(reasons)")
    #expect(counts.keys > 0 && counts.differing > 0 && counts.all < counts.histories, "\(counts)")
  }

  private func sortedPlaces(_ references: [LivePlan.TableReference]) -> String {
    references.map {
      "\($0.table): \($0.derivation)".replacing("\\\"", with: "").replacing(
        "FetchedResults.LivePlan.Derivation.", with: "")
    }
    .joined(separator: "\n")
  }
}
