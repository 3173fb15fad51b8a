// swift-tools-version: 6.2
import PackageDescription

// A record collection with the screens of the articles: master and detail, a composed list, a form of generators,
// pages. A program shows them as text, by the headless table.
let package = Package(
  name: "Covers",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "FetchedResults", path: "../..")],
  targets: [
    .target(
      name: "Covers",
      dependencies: [
        .product(name: "FetchedResults", package: "FetchedResults"),
        .product(name: "RecordImporting", package: "FetchedResults"),
        .product(name: "SQLiteStorage", package: "FetchedResults"),
        .product(name: "TableData", package: "FetchedResults"),
        .product(name: "TableDataTesting", package: "FetchedResults"),
      ]),
    .executableTarget(
      name: "CoversScreen",
      dependencies: [
        "Covers",
        .product(name: "SQLiteStorage", package: "FetchedResults"),
        .product(name: "TableData", package: "FetchedResults"),
        .product(name: "TableDataTesting", package: "FetchedResults"),
      ]),
    .testTarget(
      name: "CoversTests",
      dependencies: [
        "Covers",
        .product(name: "RecordImporting", package: "FetchedResults"),
        .product(name: "SQLiteStorage", package: "FetchedResults"),
        .product(name: "TableData", package: "FetchedResults"),
        .product(name: "TableDataTesting", package: "FetchedResults"),
      ]),
    .testTarget(
      name: "CoversScreenTests",
      dependencies: [
        "Covers", "CoversScreen",
        .product(name: "SQLiteStorage", package: "FetchedResults"),
        .product(name: "TableData", package: "FetchedResults"),
        .product(name: "TableDataTesting", package: "FetchedResults"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
