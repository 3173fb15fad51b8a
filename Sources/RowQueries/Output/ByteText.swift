extension Int {
  /// A number of bytes for people, such as `12 bytes` or `1.2 MB`, in decimal units.
  package var byteText: String {
    guard self >= 1_000 else { return self == 1 ? "1 byte" : "\(self) bytes" }
    let units = ["kB", "MB", "GB", "TB"]
    var (unit, tenth) = (0, 100)
    // Rounded before the unit is chosen: 999,999 bytes are 1.0 MB, not 1000.0 kB.
    var tenths: Int { (self + tenth / 2) / tenth }
    while tenths >= 10_000, unit < units.count - 1 { (unit, tenth) = (unit + 1, tenth * 1_000) }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
