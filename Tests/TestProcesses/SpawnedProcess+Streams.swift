internal import CLibrary
internal import Foundation

extension SpawnedProcess {
  /// What a process reads.
  package enum Input: Sendable {
    case nothing
    /// The content of the file at a path.
    case file(String)
    case pipe(InputPipe)
  }

  /// Where it goes what a process writes.
  package enum Output: Sendable {
    case nowhere
    /// Where that of the tests goes.
    case inherited
    /// To the file at a path, in place of what is there.
    case file(String)
    case pipe(OutputPipe)
  }
}

extension SpawnedProcess.Input {
  /// Has a program that is to be started read it.
  ///
  /// - Returns: zero, or what is wrong.
  func connect(_ actions: inout FileActions) -> Int32 {
    switch self {
    case .nothing:
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    case .file(let path):
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDONLY, 0)
    case .pipe(let pipe):
      posix_spawn_file_actions_adddup2(&actions, pipe.childEnd.fileDescriptor, STDIN_FILENO)
    }
  }

  func closeChildEnd() {
    if case .pipe(let pipe) = self { try? pipe.childEnd.close() }
  }
}

extension SpawnedProcess.Output {
  /// Has a program that is to be started write there.
  ///
  /// - Returns: zero, or what is wrong.
  func connect(_ descriptor: Int32, _ actions: inout FileActions) -> Int32 {
    switch self {
    case .nowhere:
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    case .inherited:
      posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor)
    case .file(let path):
      posix_spawn_file_actions_addopen(
        &actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    case .pipe(let pipe):
      posix_spawn_file_actions_adddup2(&actions, pipe.childEnd.fileDescriptor, descriptor)
    }
  }

  func closeChildEnd() {
    if case .pipe(let pipe) = self { try? pipe.childEnd.close() }
  }
}
