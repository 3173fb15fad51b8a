package import SQLiteStorage

/// A row as a JSON object: the keys are escaped once, not for each row.
///
/// The keys are in the order of the columns. JSON readers keep one value for each key, so a column
/// with the name of an earlier one gets a number: `name`, `name:1`, `name:2`.
package struct JSONObjectTemplate {
  /// The text before each value: `{"a":`, then `,"b":`.
  private let prefixes: [[UInt8]]

  package init(columns: [String]) {
    prefixes = Self.distinctNames(columns).enumerated().map { index, name in
      let prefix = OutputBuffer()
      prefix.append(index == 0 ? "{" : ",")
      prefix.append(json: name)
      prefix.append(":")
      return prefix.bytes
    }
  }

  /// The names, with a number added to those that repeat an earlier one.
  ///
  /// A number that would repeat another column's own name is skipped.
  package static func distinctNames(_ names: [String]) -> [String] {
    var taken = Set(names.exact)
    var seen: Set<ExactText> = []
    var lastNumber: [ExactText: Int] = [:]
    return names.map { name in
      if seen.insert(name.exact).inserted { return name }
      var number = lastNumber[name.exact, default: 0] + 1
      while !taken.insert("\(name):\(number)").inserted { number += 1 }
      lastNumber[name.exact] = number
      return "\(name):\(number)"
    }
  }

  /// Appends `values`, one for each column, to `output`.
  package func append(_ values: [Value], to output: OutputBuffer) throws(OutputError) {
    try append(values, to: output, output.append(json:))
  }

  package func append(
    _ values: [Value], to output: OutputBuffer, _ append: (Value) throws(OutputError) -> Void
  ) throws(OutputError) {
    precondition(values.count == prefixes.count, "A row has as many values as there are columns.")
    if prefixes.isEmpty { output.append(UInt8(ascii: "{")) }
    for (prefix, value) in zip(prefixes, values) {
      output.append(bytes: prefix)
      try append(value)
    }
    output.append(UInt8(ascii: "}"))
  }
}
