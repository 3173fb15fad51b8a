// swift-tools-version: 6.1
import PackageDescription

/// Stands for any package with types that are called as some of FetchedResults.
let package = Package(
  name: "Other",
  products: [.library(name: "Views", targets: ["Views"])],
  targets: [.target(name: "Views")]
)
