internal import SQLiteStorage

// Two requests have the same shape if they are compiled to the same SQL, and differ only in its values. What is not
// known here makes another shape.
//
// The loops are over positions: this generic code is not specialised, and sequences of the record's types would ask the
// runtime for types at each step.

extension FetchRequest {
  /// Whether a request of the same description has the same conditions, order and window, with other values.
  func hasShape(of other: FetchRequest) -> Bool {
    guard identity == nil, other.identity == nil, window.hasShape(of: other.window),
      filters.count == other.filters.count, sortTerms.count == other.sortTerms.count,
      parameters.count == other.parameters.count
    else { return false }
    for index in 0..<filters.count where !filters[index].hasShape(of: other.filters[index]) {
      return false
    }
    for index in 0..<sortTerms.count where !sortTerms[index].hasShape(of: other.sortTerms[index]) {
      return false
    }
    for name in parameters.keys where other.parameters[name] == nil { return false }
    return true
  }
}

extension RowWindow {
  fileprivate func hasShape(of other: RowWindow) -> Bool {
    switch (self, other) {
    case (.first, .first): (self == .all) == (other == .all)
    case (.last, .last): true
    default: false
    }
  }
}

extension SQLFragment {
  func hasShape(of other: SQLFragment) -> Bool {
    guard pieces.count == other.pieces.count else { return false }
    for index in 0..<pieces.count where !pieces[index].hasShape(of: other.pieces[index]) {
      return false
    }
    return true
  }
}

extension SQLFragment.Piece {
  fileprivate func hasShape(of other: SQLFragment.Piece) -> Bool {
    if case .sql(let text, let values) = self, case .sql(let otherText, let others) = other {
      return text.exact == otherText.exact && values.count == others.count
    }
    if case .property(let property) = self, case .property(let other) = other {
      return property == other
    }
    if case .name(.success(let name)) = self, case .name(.success(let other)) = other {
      return name.exact == other.exact
    }
    if case .membership(let property, let values) = self,
      case .membership(let otherProperty, let others) = other
    {
      // The number of their forms is compared when they are bound.
      return property == otherProperty && values.count == others.count
        && values.contains(.null) == others.contains(.null)
    }
    if case .written(let property, _) = self, case .written(let other, _) = other {
      return property == other
    }
    return false
  }
}

extension SortTerm {
  fileprivate func hasShape(of other: SortTerm) -> Bool {
    guard direction == other.direction, nulls == other.nulls, collation == other.collation else {
      return false
    }
    if case .property(let property) = subject, case .property(let other) = other.subject {
      return property == other
    }
    if case .expression(let sql) = subject, case .expression(let other) = other.subject {
      return sql.hasShape(of: other)
    }
    return false
  }
}

extension RecordDescription {
  /// Whether the records of another description are read from the same columns of the same source, and stored in the same
  /// forms. What makes a record of a row may differ.
  func hasShape(of other: RecordDescription) -> Bool {
    guard source.isSame(as: other.source), key.isSame(as: other.key),
      mapping.isSame(as: other.mapping), storage.isSame(as: other.storage),
      (columns == nil) == (other.columns == nil)
    else { return false }
    return (columns ?? []).areSame(as: other.columns ?? [])
  }
}

extension RecordDescription.Source {
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.table(let name), .table(let other)): name.exact == other.exact
    case (.select(let select), .select(let other)): select.hasText(of: other)
    default: false
    }
  }
}

extension RecordDescription.Key {
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.ofTable, .ofTable), (.inferred, .inferred), (.repeated, .repeated): true
    case (.columns(let names), .columns(let others)):
      names.count == others.count
        && names.indices.allSatisfy { names[$0].exact == others[$0].exact }
    default: false
    }
  }
}

extension RecordDescription.Mapping {
  /// Whether both read the same columns for the same properties, if their columns are the same.
  fileprivate func isSame(as other: Self) -> Bool {
    guard case .listed(let properties) = self, case .listed(let others) = other else {
      // The columns of a type and of a row follow from their names.
      return true
    }
    guard properties.count == others.count else { return false }
    for index in 0..<properties.count where properties[index].property != others[index].property {
      return false
    }
    return true
  }
}

extension [ColumnStorage?] {
  /// Whether both store values in the same way. Closures cannot be compared: it is known only of one array.
  fileprivate func isSame(as other: [ColumnStorage?]) -> Bool {
    isEmpty && other.isEmpty || isOne(with: other)
  }
}

extension Array {
  /// Whether both are one array in memory. A description that is a `static let` has one for all of its requests.
  fileprivate func isOne(with other: [Element]) -> Bool {
    withUnsafeBufferPointer { own in
      other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
    }
  }
}

extension [SelectedColumn] {
  fileprivate func areSame(as others: [SelectedColumn]) -> Bool {
    if isOne(with: others) { return true }
    return count == others.count
      && indices.allSatisfy {
        self[$0].name.exact == others[$0].name.exact && self[$0].sql.exact == others[$0].sql.exact
      }
  }
}
