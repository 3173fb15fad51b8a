extension String {
  /// The line in reverse video, which is started again after each end of a style in it.
  var inReverse: String {
    let (reverse, plain) = ("\u{1B}[7m", "\u{1B}[0m")
    return reverse
      + split(separator: plain, omittingEmptySubsequences: false)
      .joined(separator: plain + reverse) + plain
  }
}
