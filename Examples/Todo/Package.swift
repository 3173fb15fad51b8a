// swift-tools-version: 6.2
import PackageDescription

// The model of a to-do app, with its screen and its tests, as an app would have it.
let package = Package(
  name: "Todo",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "Todo", targets: ["Todo"])],
  dependencies: [.package(name: "FetchedResults", path: "../..")],
  targets: [
    .target(
      name: "Todo",
      dependencies: [.product(name: "FetchedResults", package: "FetchedResults")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .testTarget(name: "TodoTests", dependencies: ["Todo"]),
  ]
)
