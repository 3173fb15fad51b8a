import CLibrary
import Foundation
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct SpawnedProcessTests {
  private func shell(
    _ script: String, environment: [String: String]? = nil, in directory: String? = nil,
    input: SpawnedProcess.Input = .nothing, output: SpawnedProcess.Output = .nowhere
  ) throws -> SpawnedProcess {
    try SpawnedProcess(
      "/bin/sh", ["-c", script], environment: environment, in: directory, input: input,
      output: output)
  }

  @Test(arguments: [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 128 + SIGTERM)])
  func theStatusIsThatOfTheShell(script: String, status: Int32) async throws {
    #expect(try await shell(script).end() == status)
  }

  @Test func theEndCanBeAskedForTwice() async throws {
    let process = try shell("exit 3")
    #expect(await process.end() == 3)
    #expect(await process.end() == 3)
  }

  @Test func outputIsReadByLines() async throws {
    let output = try OutputPipe()
    let process = try shell(#"printf 'one\n\ntwo\nno end'"#, output: .pipe(output))
    var lines = output.lines
    #expect(await lines.next() == "one")
    #expect(await lines.next() == "")
    #expect(await lines.next() == "two")
    #expect(await lines.next() == nil)
    #expect(await process.end() == 0)
  }

  @Test func itAnswersItsInputWhileItRuns() async throws {
    let (input, output) = (try InputPipe(), try OutputPipe())
    let process = try SpawnedProcess("/bin/cat", [], input: .pipe(input), output: .pipe(output))
    var lines = output.lines
    for number in 1...3 {
      try input.write("\(number)\n")
      #expect(await lines.next() == "\(number)")
    }
    process.send(SIGINT)
    #expect(await process.end() == 128 + SIGINT)
    #expect(await lines.next() == nil)
  }

  @Test func itRunsInItsFolderWithItsOwnVariables() async throws {
    let output = try OutputPipe()
    let process = try shell(
      #"pwd; echo "$NAME$HOME""#, environment: ["NAME": "x"], in: "/", output: .pipe(output))
    var lines = output.lines
    #expect(await lines.next() == "/")
    #expect(await lines.next() == "x")
    #expect(await process.end() == 0)
  }

  @Test func whatIsReadAndWrittenCanBeAFile() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "what was there before\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try await shell("echo new", output: .file(file)).end() == 0)
    #expect(try await shell("read x && [ $x = new ] && ! read x", input: .file(file)).end() == 0)
  }

  @Test func noPipeIsInheritedByAnotherProcess() async throws {
    var input: InputPipe? = try InputPipe()
    let cat = try SpawnedProcess("/bin/cat", [], input: .pipe(try #require(input)))
    let other = try SpawnedProcess("/bin/sleep", ["1000"])
    // It reads to the end, which comes when nobody can write any more.
    input = nil
    #expect(await cat.end() == 0)
    other.send(SIGKILL)
    #expect(await other.end() == 128 + SIGKILL)
  }

  @Test func noSignalIsHeldBackInIt() async throws {
    var (signals, before) = (sigset_t(), sigset_t())
    sigfillset(&signals)
    pthread_sigmask(SIG_SETMASK, &signals, &before)
    let process = Result { try shell("kill -TERM $$; exit 3") }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    #expect(try await process.get().end() == 128 + SIGTERM)
  }

  @Test func itIsKilledWithTheTaskThatWaits() async throws {
    let process = try SpawnedProcess("/bin/sleep", ["1000"])
    let end = Task { await process.end() }
    end.cancel()
    #expect(await end.value == 128 + SIGKILL)
  }

  @Test func itIsKilledWithItsLastReference() async throws {
    let output = try OutputPipe()
    do { _ = try shell("exec sleep 1000", output: .pipe(output)) }
    var lines = output.lines
    #expect(await lines.next() == nil)
  }

  @Test func whatIsNotThereIsNamed() {
    let error = #expect(throws: (any Error).self) { try SpawnedProcess("/none/such", []) }
    #expect(error.map { "\($0)" }?.hasPrefix("cannot start /none/such: No such file") == true)
  }
}
