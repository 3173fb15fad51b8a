internal import SQLiteStorage

// Two requests have the same shape if they are compiled to the same SQL, and differ only in its values. What is not
// known here makes another shape.

extension FetchRequest {
  /// Whether a request of the same description has the same conditions, order and window, with other values.
  func hasShape(of other: FetchRequest) -> Bool {
    guard identity == nil, other.identity == nil, window.hasShape(of: other.window),
      filters.count == other.filters.count, sortTerms.count == other.sortTerms.count,
      parameters.count == other.parameters.count
    else { return false }
    return zip(filters, other.filters).allSatisfy { $0.hasShape(of: $1) }
      && zip(sortTerms, other.sortTerms).allSatisfy { $0.hasShape(of: $1) }
      && parameters.keys.allSatisfy { other.parameters[$0] != nil }
  }
}

extension RowWindow {
  fileprivate func hasShape(of other: RowWindow) -> Bool {
    switch (self, other) {
    case (.all, _), (_, .all): self == other
    case (.first, .first), (.last, .last): true
    default: false
    }
  }
}

extension SQLFragment {
  fileprivate func hasShape(of other: SQLFragment) -> Bool {
    pieces.count == other.pieces.count
      && zip(pieces, other.pieces).allSatisfy { $0.hasShape(of: $1) }
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
    if case .membership(let property, let values) = self,
      case .membership(let otherProperty, let others) = other
    {
      return property == otherProperty && values.count == others.count
        && values.contains(.null) == others.contains(.null)
    }
    if case .name(.success(let name)) = self, case .name(.success(let other)) = other {
      return name.exact == other.exact
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
  /// Whether the records of another description are read from the same columns of the same source.
  func hasShape(of other: RecordDescription) -> Bool {
    source.isSame(as: other.source) && key.isSame(as: other.key)
      && mapping.isSame(as: other.mapping)
      && columns?.count == other.columns?.count
      && zip(columns ?? [], other.columns ?? []).allSatisfy {
        $0.name.exact == $1.name.exact && $0.sql.exact == $1.sql.exact
      }
  }
}

extension RecordDescription.Source {
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.table(let name), .table(let other)): name.exact == other.exact
    case (.select(let select), .select(let other)): select.hasShape(of: other)
    default: false
    }
  }
}

extension RecordDescription.Key {
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.ofTable, .ofTable), (.inferred, .inferred), (.repeated, .repeated): true
    case (.columns(let names), .columns(let others)):
      names.count == others.count && zip(names, others).allSatisfy { $0.exact == $1.exact }
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
    return zip(properties, others).allSatisfy { $0.property == $1.property }
  }
}
