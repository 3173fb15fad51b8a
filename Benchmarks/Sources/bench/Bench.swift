import Foundation

/// The command: runs each workload in a process of its own, so that its memory is its own, then
/// prints the table and writes the file.
@main
enum Bench {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      switch options.mode {
      case .help: print(Options.usage)
      case .all: try runAll(options)
      case .report: try Report(remark: options.remark).write()
      case .workload(let id): try await runWorkload(id, options)
      case .probe(let id, let name): try await runProbe(id, name, options)
      }
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func runAll(_ options: Options) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var options = options
    options.folder = folder.path
    var measurements: [Measurement] = []
    var failed: [String] = []
    for workload in workloads where options.includes(workload.id) {
      report("\(workload.id)  \(workload.title)")
      do {
        measurements += try measure(workload.id, options)
      } catch {
        // What the others measure in half an hour is not lost.
        report("error: \(workload.id): \(error)")
        failed.append(workload.id)
      }
    }
    print(Table(measurements).text)
    guard failed.isEmpty else {
      throw BenchError("no file was written, since these failed: \(failed.joined(separator: ", "))")
    }
    // The report is of a whole run.
    guard options.isWhole else { return }
    try Results.write(measurements)
    report("\nwritten to \(Results.url.path)")
  }

  /// - Returns: the median run of each row.
  private static func measure(_ id: String, _ options: Options) throws -> [Measurement] {
    let runs = try (0..<options.runCount).map { _ in
      try ChildProcess.run(["--workload", id] + options.forwarded, as: [Measurement].self)
    }
    return runs[0].indices.map { row in Measurement.merged(runs.map { $0[row] }) }
  }

  private static func runWorkload(_ id: String, _ options: Options) async throws {
    try ChildProcess.reply(try await workload(id).run(Context(options)))
  }

  private static func runProbe(
    _ id: String, _ name: String, _ options: Options
  ) async throws {
    try ChildProcess.reply(try await workload(id).probe(name, Context(options)))
  }

  private static func workload(_ id: String) throws -> any Workload {
    guard let workload = workloads.first(where: { $0.id == id }) else {
      throw BenchError("there is no workload \(id)")
    }
    return workload
  }
}

/// Says on standard error what is going on; standard output is for results.
func report(_ line: String) {
  FileHandle.standardError.write(Data("\(line)\n".utf8))
}

/// Why a run cannot go on, a wrong answer above all.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
