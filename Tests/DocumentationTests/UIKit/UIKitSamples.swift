#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import TableData
  import UIKit

  final class PlanetView: UITableViewCell, @MainActor Configurable {
    func configure(with planet: Planet) { textLabel?.text = planet.name }
  }

  final class PlanetItem: UICollectionViewListCell, @MainActor Configurable {
    func configure(with planet: Planet) {
      var content = defaultContentConfiguration()
      content.text = planet.name
      contentConfiguration = content
    }
  }

  struct SharedPlanets: @MainActor TableViewDataSourceFactory {
    let planets: ArrayDataProvider<Planet>

    @MainActor func makeDataSource() throws -> any ComposableTableViewDataSource {
      let source = try TableViewDataSource(dataProvider: planets)
      source.registerCell(PlanetView.self)
      return source
    }
  }

  @MainActor
  final class DiffablePlanets: @MainActor TableChangesObserver {
    private let source: TableViewDataSource<ArrayDataProvider<Planet>>
    private let table: UITableViewDiffableDataSource<DiffableSection, Planet.ID>

    init(
      _ source: TableViewDataSource<ArrayDataProvider<Planet>>,
      _ table: UITableViewDiffableDataSource<DiffableSection, Planet.ID>
    ) {
      self.source = source
      self.table = table
      source.observer = self
    }

    func contentWillChange(of sender: any TableChangesSender) {}
    func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      do {
        table.apply(
          try NSDiffableDataSourceSnapshot(source, after: changes, replacing: table.snapshot()))
      } catch { report(error) }
    }
    func content(of sender: any TableChangesSender, didFailWith error: any Error) { report(error) }
  }

  @MainActor func report(_ error: any Error) { print(error) }

  @MainActor func show(
    _ source: TableViewDataSource<ArrayDataProvider<Planet>>, in tableView: UITableView
  ) throws -> UIKitTableViewAdapter {
    source.registerCell(PlanetView.self)
    let adapter = try UIKitTableViewAdapter(source, in: tableView, onError: report)
    tableView.reloadData()
    return adapter
  }

  @MainActor func show(
    _ source: TableViewDataSource<ArrayDataProvider<Planet>>, in tableView: UITableView,
    with nib: UINib
  ) throws {
    source.registerCell(PlanetView.self, from: .nib(nib))
  }

  @MainActor func show(
    _ source: TableViewDataSource<ArrayDataProvider<Planet>>, in collectionView: UICollectionView,
    selection: Selection
  ) throws -> UIKitCollectionViewAdapter {
    source.registerCell(PlanetItem.self)
    let adapter = try UIKitCollectionViewAdapter(
      source, in: collectionView, selection: selection, onError: report)
    collectionView.collectionViewLayout = adapter.makeListLayout(appearance: .insetGrouped)
    return adapter
  }

  @MainActor func makeScreen(
    _ planets: ArrayDataProvider<Planet>, selection: Selection, storyboard: UIStoryboard
  ) throws -> [UIViewController] {
    let screen = UIKitTableViewController(
      selection: selection, factory: SharedPlanets(planets: planets), onError: report)
    let fromStoryboard = storyboard.instantiateViewController(identifier: "planets") { coder in
      UIKitTableViewController(
        coder: coder, selection: selection, factory: SharedPlanets(planets: planets),
        onError: report)
    }
    try screen.setDataSource(nil)
    return [screen, fromStoryboard]
  }

  final class VolumeGenerator: TableCellGenerator {
    var volume = 5
    weak var displayManager: DataDisplayManager?
    var row: TableRow { TableRow(self, estimatedHeight: 44) }
  }

  extension VolumeGenerator: @MainActor ViewBuilding {
    @MainActor func build(view: UITableViewCell) { view.textLabel?.text = "Volume: \(volume)" }
  }

  @MainActor func showVolume(in tableView: UITableView) throws -> UIKitTableViewAdapter {
    let volume = VolumeGenerator()
    let form = try DataDisplayManager { volume }
    volume.volume = 6
    try volume.refresh()
    return try UIKitTableViewAdapter(form, in: tableView)
  }

  // MARK: - The samples of the other articles, with cells of UIKit

  final class TitleView: UITableViewCell, @MainActor Configurable {
    func configure(with title: String) { textLabel?.text = title }
  }

  @MainActor func showFamily(
    _ planets: [Planet], _ moons: [Planet], in tableView: UITableView
  ) throws -> UIKitTableViewAdapter {
    let form = try DataDisplayManager {
      TitleHeaderGenerator(title: "Planets")
      for planet in planets { CellGenerator(PlanetView.self, planet) }
      CellGenerator(TitleView.self, "Moons", isFolded: true) {
        for moon in moons { CellGenerator(PlanetView.self, moon) }
      }
    }
    return try UIKitTableViewAdapter(form, in: tableView, onError: report)
  }

  @MainActor func showFamily(
    _ parents: [Planet], in collectionView: UICollectionView
  ) throws -> UIKitCollectionViewAdapter {
    let form = try DataDisplayManager {
      TitleHeaderGenerator(title: "Family")
      for parent in parents { CellGenerator(PlanetItem.self, parent) }
    }
    return try UIKitCollectionViewAdapter(form, in: collectionView, onError: report)
  }

  /// The settings of a list are a form, and its rows have cells with details.
  @MainActor func showSettings(
    of planets: ArrayDataProvider<Planet>, on screen: UIKitTableViewController
  ) throws {
    final class DetailView: UITableViewCell, @MainActor Configurable {
      func configure(with planet: Planet) {
        textLabel?.text = planet.name
        detailTextLabel?.text = "No. \(planet.id)"
      }
    }
    let details = try TableViewDataSource(dataProvider: planets)
    details.registerCell(DetailView.self)
    let settings = try DataDisplayManager {
      TitleHeaderGenerator(title: "Settings")
      CellGenerator(TitleView.self, "Sort by name") { _ in
        do {
          try planets.performBatch { $0.sort { $0.name < $1.name } }
        } catch { print(error) }
      }
    }
    try screen.setDataSource(try ComposedTableViewDataSource([settings, details]))
  }

  /// Books and magazines are two lists of their own, in their own cells.
  @MainActor func showReading(on screen: UIKitTableViewController) throws {
    struct Book: ItemViewModel { let id: String }
    struct Magazine: ItemViewModel { let id: String }
    final class BookView: UITableViewCell, @MainActor Configurable {
      func configure(with book: Book) { textLabel?.text = book.id }
    }
    final class MagazineView: UITableViewCell, @MainActor Configurable {
      func configure(with magazine: Magazine) { textLabel?.text = magazine.id }
    }
    let books = try TableViewDataSource(
      dataProvider: ArrayDataProvider(title: "Books", items: ["Dune", "Emma"].map(Book.init)))
    books.registerCell(BookView.self)
    let magazines = try TableViewDataSource(
      dataProvider: ArrayDataProvider(title: "Magazines", items: ["Byte"].map(Magazine.init)))
    magazines.registerCell(MagazineView.self)
    let reading = try ComposedTableViewDataSource([books, magazines])
    try screen.setDataSource(reading)
    try reading.swap(books, magazines)
  }

  /// The page of a list depends on the selection and the data, and not on the list.
  final class PlanetScreen: UIViewController, @MainActor SelectionObserver {
    private let planets: ArrayDataProvider<Planet>

    init(_ planets: ArrayDataProvider<Planet>, selection: Selection) {
      self.planets = planets
      super.init(nibName: nil, bundle: nil)
      selection.addObserver(self)
    }

    required init?(coder: NSCoder) { nil }

    func selectionDidChange(_ selection: Selection) {
      let id = selection.identity(as: Planet.ID.self)
      title = planets.items.first { $0.id == id }?.name
    }
  }

  @MainActor func makeMasterAndDetail(
    _ planets: ArrayDataProvider<Planet>, router: DestinationRouter
  ) throws -> [UIViewController] {
    let selection = Selection()
    let detail = PlanetScreen(planets, selection: selection)
    let master = UIKitTableViewController(
      selection: selection, router: router, factory: SharedPlanets(planets: planets),
      onError: report)
    master.register(destination: "planet", for: Planet.self)
    return [master, detail]
  }
#endif
