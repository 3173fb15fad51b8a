#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Where the cells with an identifier come from.
  @MainActor
  public enum UIKitCellOrigin {
    /// From the initialiser of the class.
    case code
    /// From a nib, whose one object is a cell of the class.
    case nib(UINib)
    /// From the table's own prototype with the identifier, in a storyboard.
    case storyboard
  }

  extension TableViewDataSource {
    /// Registers the cell of a UITableView for the view models of a type.
    ///
    /// ```swift
    /// try source.registerCell(
    ///   class: TrackCell.self, identifier: "track", for: Track.self, from: .nib(trackNib))
    /// ```
    ///
    /// - Parameters:
    ///   - cellClass: the class of the cells.
    ///   - identifier: the reuse identifier. In one table it must be used for this class only.
    ///   - viewModel: the type of the items.
    ///   - origin: where the cells come from.
    /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type already has a cell of UIKit,
    ///   or the identifier another class.
    @MainActor
    public func registerCell<Cell: UITableViewCell & Configurable>(
      class cellClass: Cell.Type, identifier: String, for viewModel: Cell.ViewModel.Type,
      from origin: UIKitCellOrigin = .code
    ) throws {
      try viewCells.register(cellClass, identifier: identifier, for: viewModel, from: origin)
    }

    /// Registers the cell of a UICollectionView for the view models of a type; as for a UITableView.
    ///
    /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type already has a cell of UIKit,
    ///   or the identifier another class.
    @MainActor
    public func registerCell<Cell: UICollectionViewCell & Configurable>(
      class cellClass: Cell.Type, identifier: String, for viewModel: Cell.ViewModel.Type,
      from origin: UIKitCellOrigin = .code
    ) throws {
      try viewCells.register(cellClass, identifier: identifier, for: viewModel, from: origin)
    }
  }

  extension ViewCells {
    @MainActor
    mutating func register<Cell: UIView & Configurable>(
      _ cellClass: Cell.Type, identifier: String, for viewModel: Cell.ViewModel.Type,
      from origin: UIKitCellOrigin
    ) throws {
      try register(
        cellClass, identifier: identifier, for: viewModel,
        make: { table in
          if let table = table as? UITableView {
            table.register(cellClass, from: origin, identifier: identifier)
          } else if let table = table as? UICollectionView {
            table.register(cellClass, from: origin, identifier: identifier)
          }
          return nil
        },
        show: { (cell: Cell, viewModel: Cell.ViewModel) in cell.configure(with: viewModel) })
    }
  }

  extension UITableView {
    fileprivate func register(
      _ cellClass: AnyClass, from origin: UIKitCellOrigin, identifier: String
    ) {
      switch origin {
      case .code: register(cellClass, forCellReuseIdentifier: identifier)
      case .nib(let nib): register(nib, forCellReuseIdentifier: identifier)
      case .storyboard: break
      }
    }
  }

  extension UICollectionView {
    fileprivate func register(
      _ cellClass: AnyClass, from origin: UIKitCellOrigin, identifier: String
    ) {
      switch origin {
      case .code: register(cellClass, forCellWithReuseIdentifier: identifier)
      case .nib(let nib): register(nib, forCellWithReuseIdentifier: identifier)
      case .storyboard: break
      }
    }
  }
#endif
