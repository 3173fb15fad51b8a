import TableData
import TableDataTesting

// The samples of these tests import only what their article names, which is not the harness.

/// The batches that a data source sends while `body` runs. A harness has checked them.
func checkedBatches(
  of source: any ComposableTableViewDataSource, _ body: () throws -> Void
) throws -> [String] {
  let harness = try ProviderHarness(DataSourceProvider(source))
  harness.allowsReinsertedRows = true
  harness.observe()
  try body()
  try harness.checkObserved()
  return harness.batches.map(\.description)
}

/// The batches that a provider of different values sends while `body` runs. A harness has checked
/// them.
func checkedBatches<Provider: ViewModelDataProvider>(
  of provider: Provider, _ body: () throws -> Void
) throws -> [String] where Provider.Item: Hashable {
  let harness = try ProviderHarness(provider, id: { $0 }, isUnchanged: { $0 == $1 })
  harness.observe()
  try body()
  try harness.checkObserved()
  return harness.batches.map(\.description)
}
