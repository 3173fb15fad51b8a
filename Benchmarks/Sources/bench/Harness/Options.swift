import Foundation

/// What the command line asks for.
struct Options {
  enum Mode {
    case help
    case all
    /// The page about the last run.
    case report
    /// One workload, in a process of its own.
    case workload(String)
    /// A part of a workload that needs a fresh process.
    case probe(String, name: String)
  }

  static let usage = """
    usage: swift run -c release bench [--quick] [--only P1,P10,...] [--runs 5]
           swift run -c release bench --report [--remark TEXT]

      --quick        a tenth of the rows and fewer repetitions: to see that it works; the report stays as it is
      --only IDS     only these workloads
      --runs N       each workload N times: the median run, and the least and the most of p50
      --report       write RESULTS.md and plots/ from the results.json of the last run
      --remark TEXT  what to say in it of the run, such as what else the machine did
    """

  var mode = Mode.all
  var isQuick = false
  var only: Set<String> = []
  var runCount = 1
  /// What the report says of the run.
  var remark = ""
  /// Where the databases are, which the workloads of a run share.
  var folder = ""

  init(_ arguments: some Sequence<String>) throws {
    var arguments = Array(arguments)[...]
    func value(of option: String) throws -> String {
      guard let value = arguments.popFirst() else {
        throw BenchError("\(option) needs a value\n\(Options.usage)")
      }
      return value
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--help", "-h": mode = .help
      case "--quick": isQuick = true
      case "--report": mode = .report
      case "--remark": remark = try value(of: argument)
      case "--runs":
        let text = try value(of: argument)
        guard let count = Int(text), count > 0 else { throw BenchError("--runs \(text)?") }
        runCount = count
      case "--only":
        only = Set(
          try value(of: argument).split(separator: ",").map { name in
            guard let id = workloads.first(where: { $0.id.lowercased() == name.lowercased() })?.id
            else { throw BenchError("there is no workload \(name)") }
            return id
          })
      // The rest is what the command says to its own child processes.
      case "--workload": mode = .workload(try value(of: argument))
      case "--probe": mode = .probe(try value(of: argument), name: try value(of: argument))
      case "--folder": folder = try value(of: argument)
      default: throw BenchError("what is \(argument)?\n\(Options.usage)")
      }
    }
  }

  /// Whether all workloads run, at their full size.
  var isWhole: Bool { only.isEmpty && !isQuick }

  func includes(_ id: String) -> Bool { only.isEmpty || only.contains(id) }

  /// The options that child processes get as well.
  var forwarded: [String] { (isQuick ? ["--quick"] : []) + ["--folder", folder] }
}
