/// Which destination the rows of a screen lead to, by the type of what they show.
struct RouteTable {
  private var destinations: [ObjectIdentifier: String] = [:]

  /// - Throws: `TableDataError` of code `.duplicateRegistration` for a type that has a destination.
  mutating func register<ViewModel>(_ destination: String, for type: ViewModel.Type) throws {
    if let other = destinations[ObjectIdentifier(type)] {
      throw TableDataError(
        .duplicateRegistration,
        "\(type) already leads to \"\(other)\", and not to \"\(destination)\": register one "
          + "destination for each type of view model")
    }
    destinations[ObjectIdentifier(type)] = destination
  }

  /// The destination of a row; nil where it leads nowhere.
  func destination(for viewModel: Any) -> String? {
    destinations[ObjectIdentifier(type(of: viewModel))]
  }
}
