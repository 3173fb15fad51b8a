/// A part of what a stream of events shows.
protocol StreamWindow: AnyObject, Sendable {
  var sender: EventInbox.Sender { get }

  /// The event that leads from what the client shows to what it is to show; nil if that is the same.
  func nextEvent() -> [UInt8]?
}
