// swift-tools-version: 6.1
import PackageDescription

/// Stands for any package that names its SQLite as most do.
let package = Package(
  name: "Other",
  products: [
    .library(name: "Other", targets: ["Other"]),
    .library(name: "Views", targets: ["Views"]),
  ],
  targets: [
    .target(name: "CSQLite"),
    .target(name: "Other", dependencies: ["CSQLite"]),
    .target(name: "Views"),
  ]
)
