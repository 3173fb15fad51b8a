enum ToolVersion {
  static let number = "0.2.0"
}
