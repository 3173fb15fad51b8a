import Testing

/// The checks that are made for everybody's providers, of those of the package.
struct EveryProviderTests {
  @Test(arguments: EveryProvider.allCases)
  func theProviderKeepsTheProtocolsPromises(_ provider: EveryProvider) throws {
    try provider.checkConformance()
  }
}
