import CLibrary
import Dispatch
import RowQueries
import SQLiteStorage

#if canImport(Darwin)
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias SpawnAttributes = posix_spawnattr_t?
#else
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias SpawnAttributes = posix_spawnattr_t
#endif

/// Runs a command of the shell for each batch, with its JSON on standard input.
actor CommandLogOutput: LogOutput {
  private let command: String
  private let writer: LogEventWriter

  init(_ command: String, _ columns: LoggedColumns) {
    self.command = command
    writer = LogEventWriter(columns)
  }

  func begin(tables: [String], omitted: [String], time: String) async throws {
    guard !omitted.isEmpty else { return }
    Console.report("left out, since virtual: \(omitted.joined(separator: ", "))")
  }

  func write(_ batch: LogBatch) async throws -> Bool {
    guard let input = try writer.line(of: batch) else { return false }
    let run = ShellRun(command: command, input: input)
    // The command may take long, and Swift's own threads must not wait.
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: Result { try run.status() }) }
    }
    let status = try result.get()
    try Interruption.check()
    guard status == 0 else {
      throw ToolError(
        "the command ended with status \(status) at batch \(batch.number): \(command)",
        .inputOutput)
    }
    return true
  }
}

private struct ShellRun {
  let command: String
  let input: [UInt8]

  /// Runs the command to its end.
  ///
  /// - Returns: its exit status; 128 and the number of the signal that ended it.
  func status() throws -> Int32 {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw failure(errno) }
    let (reading, writing) = (ends[0], ends[1])
    // Another command would hold the end open.
    _ = fcntl(writing, F_SETFD, FD_CLOEXEC)
    let process: pid_t
    do {
      process = try start(input: reading)
    } catch {
      close(reading)
      close(writing)
      throw error
    }
    close(reading)
    let output = OutputBuffer(fileDescriptor: writing)
    output.append(bytes: input)
    // A command need not read what it gets.
    try? output.flush()
    close(writing)
    var end: Int32 = 0
    while waitpid(process, &end, 0) == -1 {
      guard errno == EINTR else { throw failure(errno) }
    }
    let signal = end & 0x7F
    return signal == 0 ? (end >> 8) & 0xFF : 128 + signal
  }

  private func start(input: Int32) throws -> pid_t {
    var actions = FileActions()
    try check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try check(posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO))
    if input != STDIN_FILENO { try check(posix_spawn_file_actions_addclose(&actions, input)) }

    // The tool ignores signals that the command must not ignore.
    var attributes = SpawnAttributes()
    try check(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    try check(posix_spawnattr_setsigdefault(&attributes, &signals))
    sigemptyset(&signals)
    try check(posix_spawnattr_setsigmask(&attributes, &signals))
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    try check(posix_spawnattr_setflags(&attributes, Int16(flags)))

    var process: pid_t = 0
    let words: [String] = ["/bin/sh", "-c", command]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    try check(posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ))
    return process
  }

  private func check(_ code: Int32) throws {
    guard code == 0 else { throw failure(code) }
  }

  private func failure(_ code: Int32) -> ToolError {
    ToolError(
      "cannot run the command: \(String(cString: strerror(code))): \(command)", .inputOutput)
  }
}
