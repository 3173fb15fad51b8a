import Foundation

/// A generator of random numbers that are the same for a seed on every platform: SplitMix64.
///
/// ```swift
/// @Test(arguments: SeededGenerator.seeds(100))
/// func theListSurvivesRandomEdits(seed: UInt64) throws {
///   var generator = SeededGenerator(seed: seed)
///   …
/// }
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates the generator of one sequence. Print the seed when a test fails.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number of the sequence. O(1).
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension SeededGenerator {
  /// How many times longer than usual the random suites run: the environment variable `FETCHED_RESULTS_TEST_SCALE`,
  /// such as 20 or 0.2; 1 if it is not set.
  package static let scale: Double = {
    let text = ProcessInfo.processInfo.environment["FETCHED_RESULTS_TEST_SCALE"]
    guard let scale = text.flatMap(Double.init), scale > 0, scale.isFinite else { return 1 }
    return scale
  }()

  /// A number of rounds, times ``scale``; at least 1.
  package static func scaled(_ rounds: Int) -> Int { max(1, Int(Double(rounds) * scale)) }

  /// Whether the random suites run for long, with a ``scale`` of 3 or more: each of their runs has its full size then.
  package static var isLongRun: Bool { scale >= 3 }

  /// `count` seeds, times the environment variable `FETCHED_RESULTS_TEST_SCALE` if it is set, and at least one. As
  /// arguments of a test they are printed when it fails.
  public static func seeds(_ count: Int) -> Range<UInt64> { 0..<UInt64(scaled(count)) }

  /// A number from 1 to a small limit, for keys that often meet.
  package mutating func small(_ limit: Int64 = 30) -> Int64 {
    Int64.random(in: 1...limit, using: &self)
  }

  package mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }
}
