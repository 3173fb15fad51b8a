// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "FetchedResults",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "FetchedResults", targets: ["FetchedResults"]),
    .library(name: "FetchedResultsExplaining", targets: ["FetchedResultsExplaining"]),
    .library(name: "TableData", targets: ["TableData"]),
    .library(name: "TableDataTesting", targets: ["TableDataTesting"]),
    .library(name: "SQLiteStorage", targets: ["SQLiteStorage"]),
    .library(name: "RecordImporting", targets: ["RecordImporting"]),
    .library(name: "LocalizedCollation", targets: ["LocalizedCollation"]),
    // No `.executable` product: an explicit one would make adopters resolve the tool's
    // dependencies. `swift run sections` works without it.
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]
    ),
    // What compresses the answers of the server.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
    // The library of C under one name. Not a product.
    .target(name: "CLibrary"),
    // The smaller Foundation under one name. Not a product.
    .target(name: "SmallFoundation"),
    // What all modules use: the form of errors, locks, weak references, broken invariants. Not a product.
    .target(name: "Basics", dependencies: ["CLibrary", "SmallFoundation"]),
    .target(
      name: "SQLiteStorage", dependencies: ["Basics", "CLibrary", "CSQLite", "SmallFoundation"]),
    // Not a product. Its declarations are public because only those are compiled for each use.
    .target(name: "CountedTrees", dependencies: ["Basics"]),
    // The part of `TableData` that an app without tables needs too. Not a product: `TableData`
    // re-exports it.
    .target(name: "SectionedData", dependencies: ["Basics", "CountedTrees", "SmallFoundation"]),
    .target(name: "TableData", dependencies: ["Basics", "CountedTrees", "SectionedData"]),
    // For tests: it throws what is wrong and needs no testing library itself.
    .target(name: "TableDataTesting", dependencies: ["Basics", "SmallFoundation", "TableData"]),
    // What changed rows of tables mean for a SELECT: its syntax, its names, its derivations. Not a product.
    .target(name: "LiveQueries", dependencies: ["Basics", "SQLiteStorage"]),
    .target(
      name: "FetchedResults",
      dependencies: [
        "Basics", "CountedTrees", "LiveQueries", "SQLiteStorage", "SectionedData",
        "SmallFoundation",
      ]),
    // Apart, so that an app that explains nothing does not link it.
    .target(
      name: "FetchedResultsExplaining",
      dependencies: ["FetchedResults", "LiveQueries", "SQLiteStorage"]),
    .target(
      name: "RecordImporting",
      dependencies: ["Basics", "FetchedResults", "SQLiteStorage", "SmallFoundation"]),
    .target(name: "LocalizedCollation", dependencies: ["SQLiteStorage"]),
    // What the tool and its server have in common: rows by the name of a table, and as JSON.
    .target(
      name: "RowQueries",
      dependencies: [
        "CLibrary", "FetchedResults", "FetchedResultsExplaining", "SQLiteStorage", "SectionedData",
      ]),
    // What `sections serve` serves: HTTP, events, and the page, whose files are in the binary.
    .target(
      name: "SectionsServer",
      dependencies: [
        "Basics", "CLibrary", "CZlib", "FetchedResults", "FetchedResultsExplaining", "RowQueries",
        "SQLiteStorage", "SectionedData",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      resources: [.embedInCode("Page")]),
    .executableTarget(
      name: "sections",
      dependencies: [
        "Basics", "CLibrary", "CountedTrees", "FetchedResults", "FetchedResultsExplaining",
        "RecordImporting", "RowQueries", "SQLiteStorage", "SectionedData", "SectionsServer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Yams", package: "Yams"),
      ],
      // A link to the folder of the package: the tool builds the demo store wherever it is installed.
      resources: [.embedInCode("Migrations")]
    ),
    // Programs that tests run beside themselves. Not a product.
    .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
    .target(
      name: "TestProcesses", dependencies: ["CLibrary", "CSpawn", "SQLiteStorage"],
      path: "Tests/TestProcesses"),
    // Random lists, with the changes that are expected of them. Not a product.
    .target(name: "TestLists", dependencies: ["TableData"], path: "Tests/TestLists"),
    // How many tests run at a time. Not a product.
    .target(name: "CTestLimit", path: "Tests/CTestLimit"),
    .testTarget(name: "TestProcessesTests", dependencies: ["CLibrary", "TestProcesses"]),
    .testTarget(
      name: "SQLiteStorageTests",
      dependencies: [
        "Basics", "CLibrary", "CSQLite", "LocalizedCollation", "SQLiteStorage", "TableDataTesting",
      ]),
    .testTarget(name: "CountedTreesTests", dependencies: ["CountedTrees", "TableDataTesting"]),
    .testTarget(
      name: "TableDataTests",
      dependencies: ["Basics", "CountedTrees", "TableData", "TableDataTesting", "TestLists"]),
    .testTarget(
      name: "TableDataTestingTests", dependencies: ["TableData", "TableDataTesting", "TestLists"]),
    .testTarget(
      name: "FetchedResultsTests",
      dependencies: [
        "CLibrary", "CountedTrees", "FetchedResults", "FetchedResultsExplaining", "LiveQueries",
        "SQLiteStorage", "TableData", "TableDataTesting", "TestLists", "TestProcesses",
      ]),
    .testTarget(
      name: "RecordImportingTests",
      dependencies: ["FetchedResults", "RecordImporting", "SQLiteStorage"]),
    .testTarget(
      name: "LiveQueriesTests",
      dependencies: [
        "CSQLite", "FetchedResults", "FetchedResultsExplaining", "LiveQueries", "SQLiteStorage",
        "TableData", "TableDataTesting",
      ]),
    .testTarget(
      name: "sectionsTests",
      dependencies: [
        "sections", "CLibrary", "FetchedResults", "RowQueries", "SQLiteStorage", "TableData",
        "TableDataTesting", "TestProcesses",
      ]),
    .testTarget(
      name: "SectionsServerTests",
      dependencies: [
        "CLibrary", "RowQueries", "SectionsServer", "SQLiteStorage", "TableDataTesting",
        "TestProcesses",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    // The Swift of the articles and the README, compiled and run.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "FetchedResults", "FetchedResultsExplaining", "LocalizedCollation", "RecordImporting",
        "SQLiteStorage", "TableData", "TableDataTesting",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .test {
  target.dependencies.append("CTestLimit")
}
for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
