// swift-tools-version: 6.1
import PackageDescription

// A package that adopts this one beside another that has a target and a module `CSQLite`: names of
// targets and of C modules must be unique among all packages of a build. And a screen with one import
// beside a module with its own `Section`, `Row` and `Value`.
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
      dependencies: [
        .product(name: "SQLiteStorage", package: "FetchedResults"),
        .product(name: "Other", package: "Other"),
      ]
    ),
    .executableTarget(
      name: "Screen",
      dependencies: [
        .product(name: "FetchedResults", package: "FetchedResults"),
        .product(name: "Views", package: "Other"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
