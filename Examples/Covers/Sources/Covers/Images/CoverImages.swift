/// The images of one screen: loads them for the slots that show them.
///
/// ```swift
/// let images = CoverImages(loader)
/// images.start()
/// for cell in table.visibleCells.compactMap({ $0 as? CoverCell }) { cell.showImage(from: images) }
/// ```
///
/// It has only weak references to slots. A slot gets only the image that was requested last.
///
/// Not Sendable: use it on the actor of its slots, the main actor in an app.
package final class CoverImages {
  private typealias Answer = (ticket: Int, result: Result<CoverImage, any Error>)

  /// Called when the state of a slot has changed.
  package var didChange: (ImageSlot) -> Void = { _ in }

  private let loader: ImageLoader
  private let answers: AsyncStream<Answer>
  private let continuation: AsyncStream<Answer>.Continuation
  private var slots: [Int: WeakSlot] = [:]
  private var lastTicket = 0
  private var delivery: Task<Void, Never>?

  /// Makes the images of a screen.
  package init(_ loader: ImageLoader) {
    self.loader = loader
    (answers, continuation) = AsyncStream.makeStream()
  }

  deinit {
    continuation.finish()
    delivery?.cancel()
  }

  /// Loads the image at an address, and shows it in a slot. If the slot already shows this address
  /// or waits for it, it is not loaded again; if it failed, it is.
  ///
  /// - Parameter address: empty for no image.
  package func show(_ address: String, in slot: ImageSlot) {
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
      continuation.yield((ticket, result))
    }
  }

  /// Shows images when they are loaded, on the actor that this is called from.
  package func start(isolation: isolated any Actor = #isolation) {
    guard delivery == nil else { return }
    // The task ends with the stream, which ends when `self` is released: the task must not retain
    // `self`.
    delivery = Task { [weak self, answers] in
      _ = isolation
      for await answer in answers { self?.deliver(answer) }
    }
  }

  /// Waits for the next image, and shows it if it is still requested. For code on no actor;
  /// otherwise use ``start(isolation:)``.
  ///
  /// - Returns: false if the task was cancelled.
  @discardableResult
  package func deliverNext(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    var iterator = answers.makeAsyncIterator()
    guard let answer = await iterator.next(isolation: isolation) else { return false }
    deliver(answer)
    return true
  }

  private func deliver(_ answer: Answer) {
    guard let slot = slots.removeValue(forKey: answer.ticket)?.object,
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

private struct WeakSlot {
  weak var object: ImageSlot?

  init(slot: ImageSlot) { object = slot }
}

/// A part of a screen that shows an image, in a cell or on a page.
///
/// ```swift
/// let image = ImageSlot()
/// images.show(cover.smallImageURL, in: image)
/// ```
///
/// An image is shown only if the slot still waits for it: when it is loaded, the cell may be used
/// for another row.
///
/// Not Sendable: use it on the actor of its cell.
package final class ImageSlot {
  /// The state of a slot.
  package enum State: Equatable {
    /// There is no image.
    case empty
    /// The image is being loaded.
    case loading
    case shown(CoverImage)
    /// The image could not be loaded.
    case failed(CoverError)
  }

  /// The state of the slot.
  package internal(set) var state = State.empty
  /// The address that ``state`` refers to; nil for none.
  package internal(set) var address: String?

  /// The number of the load that the slot waits for; nil for none.
  var ticket: Int?
  var load: Task<Void, Never>?

  /// Makes an empty slot.
  package init() {}

  deinit { load?.cancel() }

  /// Shows nothing, and waits for no image. Called before a cell is used for another row.
  package func clear() {
    load?.cancel()
    load = nil
    ticket = nil
    address = nil
    state = .empty
  }
}
