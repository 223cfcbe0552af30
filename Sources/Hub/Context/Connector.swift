// Which part of the hub may connect to a wearable: one attempt at a time for each address.

import Bluetooth
import EventLoop

/// Makes all links of the hub. The radio takes one attempt for each wearable, but several components may want one at
/// once: the try of a stranger, a pairing, the lane. An operator may accept a wearable in any moment of its try.
///
/// A second request joins the running attempt. The link goes to the request with the highest purpose (`LinkPurpose`);
/// the others end with `aborted`. An attempt ends by its own deadline, so a request with a later one makes another
/// attempt after it. A link of a try or a pairing ends as soon as a higher request comes.
@LoopActor
final class Connector {
  /// An attempt of the radio, with the requests that wait for it.
  @LoopActor
  private final class Attempt {
    let deadline: Instant
    var task: Task<Void, Never>?
    var wishes: [Wish] = []
    /// True if all requests were withdrawn.
    var isGivenUp = false

    init(deadline: Instant) { self.deadline = deadline }
  }

  @LoopActor
  private final class Wish {
    let purpose: LinkPurpose
    var isCancelled = false
    var outcome: Outcome?
    var continuation: CheckedContinuation<Void, Never>?

    init(_ purpose: LinkPurpose) { self.purpose = purpose }
  }

  private enum Outcome {
    case made(any Bearer)
    case failed(LinkError)
    /// The link was given to a request with a higher purpose.
    case taken
  }

  /// A link that yields to requests with a higher purpose.
  private struct Guest {
    let bearer: any Bearer
    let purpose: LinkPurpose
    let onTaken: @LoopActor () -> Void
  }

  private let loop: any Loop
  private let radio: any Radio
  private var attempts: [BluetoothAddress: Attempt] = [:]
  private var guests: [BluetoothAddress: Guest] = [:]

  init(loop: any Loop, radio: any Radio) { (self.loop, self.radio) = (loop, radio) }

  /// Makes a link, or joins an attempt that runs. Cancelling the task withdraws the request, and the last one cancels
  /// the attempt.
  ///
  /// - Parameter deadline: end of the attempt.
  /// - Parameter onTaken: called when the link was closed for a higher request. Never called for a visit's link.
  /// - Throws: `aborted` if another request has the link; else the radio's error.
  func connect(
    to address: BluetoothAddress, for purpose: LinkPurpose, deadline: Instant, parameters: ConnectionParameters,
    onTaken: @escaping @LoopActor () -> Void = {}
  ) async throws(LinkError) -> any Bearer {
    try makeRoom(address, for: purpose)
    let wish = Wish(purpose)
    while true {
      let attempt = attempts[address] ?? begin(address, deadline, parameters)
      switch await outcome(of: attempt, for: wish) {
      case .made(let bearer):
        if purpose != .visit { guests[address] = Guest(bearer: bearer, purpose: purpose, onTaken: onTaken) }
        return bearer
      case .taken: throw .aborted
      case .failed(let error):
        // The other request's attempt had an earlier deadline, or had been given up before this request joined it.
        let hadLessTime = attempt.deadline < deadline && loop.now >= attempt.deadline
        guard !wish.isCancelled, loop.now < deadline, hadLessTime || attempt.isGivenUp else { throw error }
        // An earlier request may have the link by now.
        try makeRoom(address, for: purpose)
      }
    }
  }

  /// Notes that the link of a try or a pairing is over.
  func left(_ address: BluetoothAddress, _ purpose: LinkPurpose) {
    if guests[address]?.purpose == purpose { guests[address] = nil }
  }

  /// Ends the link of a lower request.
  private func makeRoom(_ address: BluetoothAddress, for purpose: LinkPurpose) throws(LinkError) {
    guard let guest = guests[address] else { return }
    if guest.purpose >= purpose { throw .aborted }
    guests[address] = nil
    guest.onTaken()
    guest.bearer.close(immediately: true)
  }

  // MARK: Attempts

  private func begin(_ address: BluetoothAddress, _ deadline: Instant, _ parameters: ConnectionParameters) -> Attempt {
    guard attempts[address] == nil else { fatalError("two attempts to link one wearable") }
    let attempt = Attempt(deadline: deadline)
    attempts[address] = attempt
    attempt.task = loop.spawn { [radio] in
      do throws(LinkError) {
        let bearer = try await radio.connect(to: address, deadline: deadline, parameters: parameters)
        self.made(bearer, address, attempt)
      } catch {
        self.attempts[address] = nil
        for wish in attempt.wishes { Self.give(wish, .failed(error)) }
      }
    }
    return attempt
  }

  private func made(_ bearer: any Bearer, _ address: BluetoothAddress, _ attempt: Attempt) {
    guard attempts[address] === attempt else { fatalError("a link of an attempt that is over") }
    attempts[address] = nil
    guard let purpose = attempt.wishes.map(\.purpose).max() else { return bearer.close(immediately: true) }
    let best = attempt.wishes.first { $0.purpose == purpose }
    for wish in attempt.wishes { Self.give(wish, wish === best ? .made(bearer) : .taken) }
  }

  private func outcome(of attempt: Attempt, for wish: Wish) async -> Outcome {
    guard wish.continuation == nil else { fatalError("a wish for a link waits twice") }
    wish.outcome = nil
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        wish.continuation = continuation
        attempt.wishes.append(wish)
        if Task.isCancelled { leave(attempt, wish) }
      }
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await self.leave(attempt, wish) }
    }
    return wish.outcome ?? .failed(.aborted)
  }

  /// Withdraws a request.
  private func leave(_ attempt: Attempt, _ wish: Wish) {
    wish.isCancelled = true
    attempt.wishes.removeAll { $0 === wish }
    Self.give(wish, .failed(.aborted))
    guard attempt.wishes.isEmpty else { return }
    attempt.isGivenUp = true
    attempt.task?.cancel()
  }

  private static func give(_ wish: Wish, _ outcome: Outcome) {
    guard let continuation = wish.continuation else { return }
    wish.continuation = nil
    wish.outcome = outcome
    continuation.resume()
  }
}

/// The purpose of a link; a later case goes before an earlier one.
enum LinkPurpose: Int, Comparable {
  /// A stranger is tried.
  case trial
  /// A wearable is paired before it has a record.
  case pairing
  /// An enrolled wearable has its turn.
  case visit

  static func < (a: LinkPurpose, b: LinkPurpose) -> Bool { a.rawValue < b.rawValue }
}
