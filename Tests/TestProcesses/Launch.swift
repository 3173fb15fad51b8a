internal import CLibrary
internal import CSpawn
internal import Foundation

#if canImport(Darwin)
  typealias FileActions = posix_spawn_file_actions_t?
  typealias SpawnAttributes = posix_spawnattr_t?
#else
  typealias FileActions = posix_spawn_file_actions_t
  typealias SpawnAttributes = posix_spawnattr_t
#endif

/// All that is needed to start a program.
struct Launch {
  let executable: String
  let arguments: [String]
  let environment: [String: String]
  let directory: String?
  let input: SpawnedProcess.Input
  let output: SpawnedProcess.Output
  let errors: SpawnedProcess.Output

  /// Why a program could not be started.
  struct Failure: Error, CustomStringConvertible {
    let executable: String
    let code: Int32

    var description: String {
      "cannot start \(executable): \(String(cString: strerror(code))). Is it there and executable?"
    }
  }

  /// Starts it.
  ///
  /// - Returns: the number of the process.
  func start() throws(Failure) -> pid_t {
    var actions = FileActions()
    try check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let directory { try check(posix_spawn_file_actions_addchdir_np(&actions, directory)) }
    try check(input.connect(&actions))
    try check(output.connect(STDOUT_FILENO, &actions))
    try check(errors.connect(STDERR_FILENO, &actions))

    var attributes = SpawnAttributes()
    try check(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    try setSignals(&attributes)

    var identifier: pid_t = 0
    let code = withCStrings([executable] + arguments) { arguments in
      withCStrings(environment.map { "\($0)=\($1)" }) { environment in
        posix_spawn(&identifier, executable, &actions, &attributes, arguments, environment)
      }
    }
    try check(code)
    return identifier
  }

  /// Shells ignore some signals for what they start in the background, as tests may be, and threads
  /// that start a program may hold some back: both would be inherited.
  private func setSignals(_ attributes: inout SpawnAttributes) throws(Failure) {
    var signals = sigset_t()
    sigfillset(&signals)
    try check(posix_spawnattr_setsigdefault(&attributes, &signals))
    sigemptyset(&signals)
    try check(posix_spawnattr_setsigmask(&attributes, &signals))
    var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    try check(posix_spawnattr_setflags(&attributes, Int16(flags)))
  }

  private func check(_ code: Int32) throws(Failure) {
    guard code == 0 else { throw Failure(executable: executable, code: code) }
  }

  /// Runs `body` with strings as C has them, nil after the last.
  private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
  }
}
