// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that what it is tested with never reaches an adopter's build.
let package = Package(
  name: "Interop",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "FetchedResults", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .testTarget(
      name: "InteropTests",
      dependencies: [
        .product(name: "FetchedResults", package: "FetchedResults"),
        .product(name: "SQLiteStorage", package: "FetchedResults"),
        .product(name: "TableData", package: "FetchedResults"),
        .product(name: "TableDataTesting", package: "FetchedResults"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    )
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
