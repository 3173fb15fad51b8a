import Foundation

/// What an app pays for the library: the CPU time of its clean release build, and the size of its
/// binary without symbols. The app observes a list and prints what changed; the peer's does the same.
/// Packages are resolved before.
struct AppBuild: Workload {
  let id = "P24"
  let title = "an app that follows a list: its clean release build and its size"
  let note: String? = """
    CPU time of all processes of `swift build -c release`, after the packages were resolved. `peak MB` is that of the
    compiler. The apps follow the rows of one table in sections, and print what changed.
    """

  func run(_ context: Context) throws -> [Measurement] {
    let own = try Self.build(.own, in: context.options.folder)
    let peer = try Self.build(.grdb, in: context.options.folder)
    return [
      Measurement(
        self, "clean release build, CPU time", n: 1, unit: "s", p50: own.seconds, p95: own.seconds,
        rssMB: own.peakMB, peer: ("GRDB", peer.seconds), target: .timesPeer(atMost: 1.3)),
      Measurement(
        self, "stripped binary", n: 1, unit: "MB", p50: own.sizeMB, p95: own.sizeMB,
        rssMB: own.peakMB, peer: ("GRDB", peer.sizeMB), target: .timesPeer(atMost: 1.3)),
    ]
  }

  // MARK: - Building

  private struct Build {
    let seconds: Double
    let peakMB: Double
    let sizeMB: Double
  }

  private static func build(_ app: App, in folder: String) throws -> Build {
    let package = URL(fileURLWithPath: folder).appendingPathComponent("app-\(app.name)")
    // What an earlier run has built would not be built again.
    if FileManager.default.fileExists(atPath: package.path) {
      try FileManager.default.removeItem(at: package)
    }
    let sources = package.appendingPathComponent("Sources/App")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try app.manifest.write(
      to: package.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
    try app.source.write(
      to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    try run(["swift", "package", "resolve"], in: package)

    let before = try usage()
    try run(["swift", "build", "-c", "release"], in: package)
    let after = try usage()

    let binary = package.appendingPathComponent(".build/release/App").path
    try run(["strip", "-o", "\(binary).stripped", binary], in: package)
    let size = try FileManager.default.attributesOfItem(atPath: "\(binary).stripped")[.size]
    guard let bytes = size as? Int else { throw BenchError("\(binary).stripped has no size") }
    return Build(
      seconds: after.seconds - before.seconds, peakMB: after.peakMB, sizeMB: Double(bytes) / 1e6)
  }

  /// Runs a command, whose output is shown only if it fails.
  private static func run(_ command: [String], in folder: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let message = String(decoding: text, as: UTF8.self)
      throw BenchError("\(command.joined(separator: " ")): \(message)")
    }
  }

  /// Of all processes that this one has waited for, and theirs.
  private static func usage() throws -> (seconds: Double, peakMB: Double) {
    #if canImport(Glibc)
      let children = RUSAGE_CHILDREN.rawValue
    #else
      let children = RUSAGE_CHILDREN
    #endif
    var usage = rusage()
    guard getrusage(children, &usage) == 0 else { throw BenchError("getrusage failed") }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return (seconds(usage.ru_utime) + seconds(usage.ru_stime), Double(usage.ru_maxrss) / 1e3)
  }
}

// MARK: - The apps

private struct App {
  let name: String
  let dependency: String
  let product: String
  let source: String

  var manifest: String {
    """
    // swift-tools-version: 6.1
    import PackageDescription

    let package = Package(
      name: "App",
      platforms: [.macOS(.v15)],
      dependencies: [\(dependency)],
      targets: [.executableTarget(name: "App", dependencies: [\(product)])])
    """
  }

  static let own = App(
    name: "own",
    dependency: ".package(name: \"FetchedResults\", path: \"\(repository)\")",
    product: ".product(name: \"FetchedResults\", package: \"FetchedResults\")",
    source: """
      import FetchedResults

      struct Track: Codable, Identifiable, FetchableRecord {
        let id: Int64
        let name: String
        let genre: String?
        static let recordDescription = RecordDescription(table: "track", key: \\Track.id)
      }

      let updates = FetchedUpdates(
        database: try Database(path: CommandLine.arguments[1]),
        request: Track.all.sorted(by: \\.name), sectionedBy: .property(\\.genre))
      for try await update in updates { print(update.changes) }
      """)

  static let grdb = App(
    name: "grdb",
    dependency: ".package(url: \"https://github.com/groue/GRDB.swift\", from: \"7.10.0\")",
    product: ".product(name: \"GRDB\", package: \"GRDB.swift\")",
    source: """
      import GRDB

      struct Track: Codable, Identifiable, FetchableRecord, PersistableRecord {
        let id: Int64
        let name: String
        let genre: String?
      }

      let database = try DatabasePool(path: CommandLine.arguments[1])
      let observation = ValueObservation.tracking { database in
        try Track.order(Column("genre"), Column("name")).fetchAll(database)
      }
      for try await tracks in observation.values(in: database) { print(tracks.count) }
      """)

  /// The folder of the package that is measured.
  private static var repository: String { Results.folder.deletingLastPathComponent().path }
}
