import Foundation
import TestProcesses
import Testing

/// The time of day as some programs see it, set while they run: a library that stands between them
/// and the system, compiled by the test.
///
/// The clocks that only go forward stay as they are, as they do when somebody sets the time.
struct WrongClock {
  /// The compiler; nil where there is none, or nothing can be put before the system's library.
  static let compiler: String? = {
    #if os(Linux)
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      return ["cc", "clang", "gcc"].flatMap { name in folders.map { "\($0)/\(name)" } }
        .first(where: FileManager.default.isExecutableFile)
    #else
      return nil
    #endif
  }()

  private let library: String
  /// A file that the programs have mapped: how many seconds the clock is ahead.
  private let offset: String
  private let folder: TestFolder

  init(in folder: TestFolder) async throws {
    self.folder = folder
    library = folder.scratch + "/clock.so"
    offset = folder.scratch + "/clock"
    try await WrongClock.compiled.value.write(to: URL(filePath: library))
    try #require(FileManager.default.createFile(atPath: offset, contents: Data(count: 8)))
  }

  /// The content of the library, compiled once for all tests.
  private static let compiled = Task {
    let folder = try TestFolder()
    let library = folder.file("clock.so")
    let source = try folder.write(WrongClock.source, to: "clock.c")
    let compilation = try SpawnedProcess(
      try #require(WrongClock.compiler), ["-shared", "-fPIC", "-o", library, source, "-ldl"])
    try #require(await compilation.end() == 0)
    return try Data(contentsOf: URL(filePath: library))
  }

  /// The variables of a program that sees this clock.
  var environment: [String: String] { ["LD_PRELOAD": library, "WRONG_CLOCK": offset] }

  /// The variables that keep the system from telling the program that a file was written.
  static let withoutEvents = ["WITHOUT_EVENTS": "1"]

  /// Sets the clock, for programs that run as well.
  func set(ahead: Duration) throws {
    // In place: the programs have the file mapped.
    let file = try FileHandle(forUpdating: URL(filePath: offset))
    try file.write(contentsOf: withUnsafeBytes(of: ahead.components.seconds) { Data($0) })
    try file.close()
  }

  /// How far the time of day is ahead for a program that asks now.
  func ahead() async throws -> Duration {
    let output = try OutputPipe()
    var lines = output.lines
    let date = try SpawnedProcess(
      "/bin/date", ["+%s"], environment: environment, output: .pipe(output))
    let text = try #require(await lines.next())
    _ = await date.end()
    return .seconds(try #require(Int(text)) - Int(Date().timeIntervalSince1970))
  }

  private static let source = """
    #define _GNU_SOURCE
    #include <errno.h>
    #include <fcntl.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <sys/inotify.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static volatile int64_t *seconds;

    __attribute__((constructor)) static void begin(void) {
      int file = open(getenv("WRONG_CLOCK"), O_RDONLY);
      void *memory = mmap(0, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
      if (memory == MAP_FAILED) abort();
      seconds = memory;
    }

    int clock_gettime(clockid_t clock, struct timespec *time) {
      if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
      if (seconds && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += *seconds;
      return 0;
    }

    int gettimeofday(struct timeval *restrict time, void *restrict zone) {
      struct timespec now;
      if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
      time->tv_sec = now.tv_sec;
      time->tv_usec = now.tv_nsec / 1000;
      return 0;
    }

    time_t time(time_t *result) {
      struct timespec now;
      if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
      if (result) *result = now.tv_sec;
      return now.tv_sec;
    }

    int inotify_init1(int flags) {
      if (!getenv("WITHOUT_EVENTS")) return (int)syscall(SYS_inotify_init1, flags);
      errno = EMFILE;
      return -1;
    }
    """
}
