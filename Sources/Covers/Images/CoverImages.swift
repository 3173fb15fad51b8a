/// The images of one screen: loads them for the slots that are to show them.
///
/// ```swift
/// let images = CoverImages(loader)
/// images.start()
/// for cell in table.visibleCells.compactMap({ $0 as? CoverCell }) { cell.showImage(from: images) }
/// ```
///
/// A slot is not kept alive, and gets the answer to its last question only.
///
/// Not Sendable: it belongs where its slots belong, the main actor in an app.
public final class CoverImages {
  private struct Answer: Sendable {
    let ticket: Int
    let result: Result<CoverImage, any Error>
  }

  private struct WeakSlot {
    weak var slot: ImageSlot?
  }

  /// Called when a slot shows something else.
  public var didChange: (ImageSlot) -> Void = { _ in }

  private let loader: ImageLoader
  private let answers: AsyncStream<Answer>
  private let continuation: AsyncStream<Answer>.Continuation
  private var slots: [Int: WeakSlot] = [:]
  private var lastTicket = 0
  private var delivery: Task<Void, Never>?

  /// Makes the images of a screen.
  public init(_ loader: ImageLoader) {
    self.loader = loader
    (answers, continuation) = AsyncStream.makeStream()
  }

  deinit {
    continuation.finish()
    delivery?.cancel()
  }

  /// Shows the image of an address in a slot, once it is there. An address that the slot shows
  /// already, or waits for, is not asked for again; one that failed is.
  ///
  /// - Parameter address: empty for no image.
  public func show(_ address: String, in slot: ImageSlot) {
    switch slot.state {
    case .loading, .shown: if slot.address == address { return }
    case .empty, .failed: break
    }
    slot.clear()
    guard !address.isEmpty else { return }
    lastTicket += 1
    let ticket = lastTicket
    slot.address = address
    slot.state = .loading
    slot.ticket = ticket
    slots[ticket] = WeakSlot(slot: slot)
    slot.load = Task { [loader, continuation] in
      let result: Result<CoverImage, any Error>
      do {
        result = .success(try await loader.image(at: address))
      } catch {
        result = .failure(error)
      }
      continuation.yield(Answer(ticket: ticket, result: result))
    }
  }

  /// Shows images as they come, on the actor that this is called from.
  public func start(isolation: isolated any Actor = #isolation) {
    guard delivery == nil else { return }
    // It ends with the stream, which ends when the images go: they must not be kept alive by it.
    delivery = Task { [weak self, answers] in
      _ = isolation
      for await answer in answers { self?.deliver(answer) }
    }
  }

  /// Waits for the next answer, and shows it where it is still wanted. For code on no actor; else see
  /// ``start(isolation:)``.
  ///
  /// - Returns: false where the task was cancelled.
  @discardableResult
  public func deliverNext(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    var iterator = answers.makeAsyncIterator()
    guard let answer = await iterator.next(isolation: isolation) else { return false }
    deliver(answer)
    return true
  }

  private func deliver(_ answer: Answer) {
    guard let slot = slots.removeValue(forKey: answer.ticket)?.slot,
      slot.ticket == answer.ticket
    else { return }
    slot.ticket = nil
    slot.load = nil
    switch answer.result {
    case .success(let image): slot.state = .shown(image)
    case .failure(let error as CoverError): slot.state = .failed(error)
    // Only the slot itself cancels, and then it has another ticket or none.
    case .failure: slot.state = .empty
    }
    didChange(slot)
  }
}
