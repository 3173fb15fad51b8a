internal import CSQLite

/// 2, from C.
public func two() -> Int32 { other_two() }
