import Foundation

/// The memory of this process that is resident, in megabytes of 1,000,000 bytes, and its threads.
enum ProcessMemory {
  /// How much it is now.
  static func current() throws -> Double {
    // Linux only: the second number is the pages that are resident.
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      .split(separator: " ")
    guard fields.count > 1, let pages = Double(fields[1]) else {
      throw BenchError("/proc/self/statm cannot be read")
    }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
  }

  /// The number of threads of this process.
  static func threadCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
  }

  /// The most it has been since the process began, or since ``resetPeak()``.
  static func peak() throws -> Double {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kilobytes = line?.split(separator: " ").compactMap({ Double($0) }).first else {
      throw BenchError("/proc/self/status cannot be read")
    }
    return kilobytes * 1_024 / 1e6
  }

  /// The processor time that this process has used, in milliseconds.
  static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) * 1e3 }

  /// Makes ``peak()`` begin at what is resident now.
  static func resetPeak() throws {
    try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  }
}
