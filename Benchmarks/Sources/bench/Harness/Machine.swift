import CSQLite
import Foundation

/// What the benchmarks run on.
enum Machine {
  /// One sentence.
  static var description: String {
    let process = ProcessInfo.processInfo
    let memory = Double(process.physicalMemory) / 1e9
    return """
      Measured on \(processor), \(process.activeProcessorCount) cores, \(memory.short) GB of \
      memory, \(process.operatingSystemVersionString), SQLite \(String(cString: sqlite3_libversion())).
      """
  }

  /// Linux only: elsewhere the file is not there.
  private static var processor: String {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = lines.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
      ?? "an unknown processor"
  }
}
