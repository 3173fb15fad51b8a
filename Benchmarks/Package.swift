// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that the peers never reach an adopter's build.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "FetchedResults", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "FetchedResults", package: "FetchedResults"),
        .product(name: "SQLiteStorage", package: "FetchedResults"),
        .product(name: "TableData", package: "FetchedResults"),
        .product(name: "TableDataTesting", package: "FetchedResults"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    // Of its own, so that counting costs does not build the peers.
    .executableTarget(
      name: "costs",
      dependencies: [
        .product(name: "FetchedResults", package: "FetchedResults"),
        .product(name: "SQLiteStorage", package: "FetchedResults"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
