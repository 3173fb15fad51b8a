import FetchedResults
import Testing

struct ReplicasSamples {
  @Test(.timeLimit(.minutes(5))) func aReplicaIsReadUntilTheTaskIsCancelled() async throws {
    let file = try TemporaryFile()
    let path = file.path
    let source = try Database.library()
    try source.withWriter { try $0.execute("VACUUM INTO ?", [.text(path)]) }
    let lines = try await printed {
      let task = Task {
        let replica = try Database(path: path, access: .readOnly)
        let updates = FetchedUpdates(database: replica, request: Track.all.sorted(by: \.name))
        for try await update in updates {
          print(update.new.objects.count, "tracks:", update.changes)
        }
      }
      task.cancel()
      try await task.value
    }
    // Cancelled before or after the first version.
    #expect(lines.allSatisfy { $0.hasPrefix("5 tracks:") } && lines.count < 2)
  }
}
