// Base-36 arithmetic on the characters of positions.
//
// Source: [Implementing Fractional
// Indexing](https://observablehq.com/@dgreensp/implementing-fractional-indexing), with small
// letters only.
extension Position {
  static let zero = UInt8(ascii: "0")
  private static let greatest = UInt8(ascii: "z")

  /// The smallest whole number. Alone it is not a position, since no position would precede it.
  static let leastWhole = [UInt8(ascii: "a")] + Array(repeating: zero, count: 13)

  /// The number of characters of a whole number, including its first letter.
  static func wholeCount(head: UInt8) -> Int {
    let middle = UInt8(ascii: "n")
    return head >= middle ? Int(head - middle) + 2 : Int(middle - head) + 1
  }

  /// The characters of a position between two positions.
  static func digits(between lower: [UInt8]?, and upper: [UInt8]?) -> [UInt8] {
    guard let lower else {
      guard let upper else { return [UInt8(ascii: "n"), zero] }
      let (whole, fraction) = parts(upper)
      let isLeast = Array(whole) == leastWhole
      if !isLeast {
        if !fraction.isEmpty { return Array(whole) }
        if let less = decremented(whole), less != leastWhole { return less }
      }
      // Below the smallest whole number there are only fractions.
      return leastWhole + Position.fraction(between: [], and: isLeast ? fraction : nil)
    }
    let (whole, fraction) = parts(lower)
    guard let upper else {
      return incremented(whole) ?? Array(whole) + Position.fraction(between: fraction, and: nil)
    }
    let (upperWhole, upperFraction) = parts(upper)
    if whole == upperWhole {
      return whole + Position.fraction(between: fraction, and: upperFraction)
    }
    if let next = incremented(whole), next != Array(upperWhole) || !upperFraction.isEmpty {
      return next
    }
    return whole + Position.fraction(between: fraction, and: nil)
  }

  private static func parts(
    _ digits: [UInt8]
  ) -> (whole: ArraySlice<UInt8>, fraction: ArraySlice<UInt8>) {
    let count = wholeCount(head: digits[0])
    return (digits[..<count], digits[count...])
  }

  /// A fraction between two fractions. A nil upper bound is 1.
  ///
  /// Fractions do not end in 0, so such a fraction always exists.
  private static func fraction(
    between lower: ArraySlice<UInt8>, and upper: ArraySlice<UInt8>?
  ) -> [UInt8] {
    var result: [UInt8] = []
    var (lower, upper) = (lower, upper)
    while true {
      let low = value(lower.first ?? zero)
      let high = upper.map { value($0.first ?? zero) } ?? 36
      if high - low > 1 {
        result.append(digit((low + high + 1) / 2))
        return result
      }
      if low == high {
        result.append(digit(low))
        upper = upper?.dropFirst()
      } else if let rest = upper?.dropFirst(), !rest.isEmpty {
        // The upper fraction has further digits, so this digit alone is less.
        result.append(digit(high))
        return result
      } else {
        result.append(digit(low))
        upper = nil
      }
      lower = lower.dropFirst()
    }
  }

  /// The next whole number; nil after the largest.
  private static func incremented(_ whole: ArraySlice<UInt8>) -> [UInt8]? {
    var digits = Array(whole)
    for index in digits.indices.dropFirst().reversed() {
      if digits[index] != greatest {
        digits[index] = digit(value(digits[index]) + 1)
        return digits
      }
      digits[index] = zero
    }
    let head = digits[0]
    return head == greatest ? nil : [head + 1] + zeros(wholeCount(head: head + 1) - 1)
  }

  /// The previous whole number; nil before the smallest.
  private static func decremented(_ whole: ArraySlice<UInt8>) -> [UInt8]? {
    var digits = Array(whole)
    for index in digits.indices.dropFirst().reversed() {
      if digits[index] != zero {
        digits[index] = digit(value(digits[index]) - 1)
        return digits
      }
      digits[index] = greatest
    }
    let head = digits[0]
    guard head > UInt8(ascii: "a") else { return nil }
    return [head - 1] + Array(repeating: greatest, count: wholeCount(head: head - 1) - 1)
  }

  private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: zero, count: count) }

  private static func value(_ digit: UInt8) -> Int {
    Int(digit) - (digit < UInt8(ascii: "a") ? 48 : 87)
  }

  private static func digit(_ value: Int) -> UInt8 { UInt8(value + (value < 10 ? 48 : 87)) }
}
