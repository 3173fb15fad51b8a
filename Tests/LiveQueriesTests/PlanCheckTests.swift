import SQLiteStorage
import Testing

@testable import FetchedResults
@testable import LiveQueries

/// The planner's last look at its queries finds what would miss a row.
@Suite struct PlanCheckTests {
  /// Resolves a SELECT in which a parameter `:key` is the key of a row.
  private func checked(_ sql: String) throws -> String? {
    let schema = try TwoVersions("", then: "").schema
    let analysis = try SelectAnalysis(of: sql, schema)
    let restricted = analysis.resolved.withKeys
    #expect(restricted != analysis.resolved)
    return PlanCheck(finder: analysis.finder).objection(to: restricted)
  }

  @Test func aRestrictionPassesWhatItDivides() throws {
    for sql in [
      "SELECT id FROM a WHERE id = :key",
      "SELECT g, count(*) AS n FROM a WHERE g = :key GROUP BY g",
      "SELECT g, count(*) AS n FROM a WHERE g IN (SELECT g FROM b WHERE id = :key) GROUP BY g, v",
      "SELECT g, count(*) AS n FROM a GROUP BY g HAVING count(*) = :key",
      "SELECT id, count(*) OVER (PARTITION BY g) AS n, max(w) OVER (PARTITION BY v, g) AS m FROM a WHERE g = :key",
      "SELECT * FROM (SELECT id, count(*) OVER (PARTITION BY g) AS n FROM a) WHERE id = :key",
      """
      SELECT id FROM (
        SELECT id, count(*) OVER (PARTITION BY g) AS n, max(w) OVER (PARTITION BY v) AS m FROM a
        WHERE g IN (SELECT g FROM a WHERE id = :key) OR v IN (SELECT v FROM a WHERE id = :key))
      WHERE id = :key
      """,
    ] { #expect(try checked(sql) == nil, "\(sql)") }
  }

  @Test func aRestrictionThatTakesAPartIsObjectedTo() throws {
    for (sql, part) in [
      ("SELECT g, count(*) AS n FROM a WHERE v = :key GROUP BY g", "group"),
      ("SELECT count(*) AS n FROM a WHERE v = :key", "group"),
      ("SELECT g, count(*) AS n FROM a JOIN b USING (g) WHERE b.id = :key GROUP BY g", "group"),
      ("SELECT id, count(*) OVER (PARTITION BY g) AS n FROM a WHERE id = :key", "window"),
      (
        "SELECT id, count(*) OVER (PARTITION BY g) AS n, max(w) OVER (PARTITION BY v) AS m FROM a WHERE g = :key",
        "window"
      ),
      (
        "SELECT * FROM (SELECT id, count(*) OVER (PARTITION BY v) AS n FROM a WHERE g = :key) WHERE n = 1",
        "window"
      ),
      (
        "SELECT g, sum(count(*)) OVER (PARTITION BY w) AS n FROM a GROUP BY g, w HAVING g = :key",
        "window"
      ),
      ("SELECT id FROM a WHERE g IN (SELECT g FROM b WHERE aid = :key LIMIT 1)", "LIMIT"),
      (
        """
        SELECT id FROM (
          SELECT id, count(*) OVER (PARTITION BY g) AS n, max(w) OVER (PARTITION BY v) AS m FROM a
          WHERE g IN (SELECT g FROM a WHERE id = :key) OR w IN (SELECT w FROM a WHERE id = :key))
        WHERE id = :key
        """, "window"
      ),
    ] {
      let objection = try checked(sql)
      #expect(objection?.contains(part) == true, "\(objection ?? "none"): \(sql)")
    }
  }

  /// The row that joined the touched row is in neither version if the touched row itself decides that.
  @Test func aFirstQueryThatReadsItsTableInAConditionIsObjectedTo() throws {
    let schema = try TwoVersions("", then: "").schema
    let analysis = try SelectAnalysis(
      of: "SELECT a.id FROM a WHERE a.id = (SELECT max(b.aid) FROM b WHERE b.g = a.g)", schema)
    let check = PlanCheck(finder: analysis.finder)
    let tree = analysis.resolved
    let inner = try #require(tree.selects.first?.arms.first?.core.from.first)
    var core = tree.arms[0].core
    let query = PlanQuery(.rows, core)
    #expect(check.objection(to: .queries([query]), of: inner.number) == nil)
    core.from.append(inner)
    let twice = PlanQuery(.rows, core)
    #expect(check.objection(to: .queries([twice]), of: inner.number)?.contains("itself") == true)
    #expect(check.objection(to: .invalidation([twice]), of: inner.number) != nil)
    #expect(check.objection(to: .queries([query, twice]), of: inner.number) == nil)
  }

  /// What the planner composes passes: nothing is compared because of a check that is too strict.
  @Test(arguments: LiveShape.all) func whatIsPlannedPasses(_ shape: LiveShape) throws {
    let schema = try TwoVersions("", then: "").schema
    let plan = try LivePlan(shape.sql, keys: shape.keys, schema: schema)
    for reference in try plan.references {
      if case .none(let reason) = reference.derivation {
        #expect(!reason.contains("restriction") && !reason.contains("itself"), "\(reason)")
      }
    }
  }
}

extension SelectTree {
  /// The tree with a key in place of the parameter `:key`.
  fileprivate var withKeys: SelectTree {
    mapCores { core in
      var core = core
      core.condition = core.condition.map(\.withKeys)
      core.having = core.having.map(\.withKeys)
      for index in core.from.indices {
        core.from[index].on = core.from[index].on.map(\.withKeys)
        guard case .select(let select) = core.from[index].source else { continue }
        core.from[index].source = .select(select.withKeys)
      }
      return core
    }
  }
}

extension Expression {
  fileprivate var withKeys: Expression {
    if case .parameter = kind { return Expression(.key(0)) }
    return mapChildren(\.withKeys, select: \.withKeys)
  }
}
