internal import CLibrary

/// The clock that all processes have in common. It may be set, also back: it is not for measuring how long something takes.
enum SystemClock {
  /// The nanoseconds since 1970, modulo 2^64.
  static var now: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return nanoseconds(now)
  }

  static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
