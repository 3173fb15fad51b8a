// swift-tools-version: 6.2
import PackageDescription

// Packages that adopt this one: one with the storage only; a screen with one import beside a module with
// its own `Section`, `Row` and `Value`; and without a warning, a screen in Swift 5 mode, one in a
// module whose default isolation is the main actor, and the sample of the README.
let package = Package(
  name: "Adoption",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "FetchedResults", path: "../.."),
    .package(path: "Other"),
  ],
  targets: [
    .executableTarget(
      name: "Adopter",
      dependencies: [.product(name: "SQLiteStorage", package: "FetchedResults")]
    ),
    .executableTarget(
      name: "Screen",
      dependencies: [
        .product(name: "FetchedResults", package: "FetchedResults"),
        .product(name: "Views", package: "Other"),
      ]
    ),
    .executableTarget(
      name: "SwiftFive",
      dependencies: [.product(name: "FetchedResults", package: "FetchedResults")],
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
    ),
    .executableTarget(
      name: "MainActorScreen",
      dependencies: [.product(name: "FetchedResults", package: "FetchedResults")],
      swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)]
    ),
    .executableTarget(
      name: "Readme",
      dependencies: [.product(name: "FetchedResults", package: "FetchedResults")],
      swiftSettings: [.treatAllWarnings(as: .error)]
    ),
  ],
  swiftLanguageModes: [.v6]
)
