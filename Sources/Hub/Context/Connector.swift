// Which part of the hub may connect to a wearable: one attempt at a time for each address.

import Bluetooth
import EventLoop

/// Makes all links of the hub. The radio takes one attempt for each wearable, and the try of a stranger, a pairing and
/// the lane may each want one in the same moment: an acceptance by hand comes at any moment of a try.
///
/// A second wish joins the attempt that runs. The link goes to the wish that is worth most (`LinkPurpose`); the others
/// end as given up. An attempt ends by its own deadline, so a wish with a later one makes another attempt after it. A
/// link that a try or a pairing has ends as soon as a wish that is worth more comes.
@LoopActor
final class Connector {
  /// One attempt of the radio, and the wishes that wait for it.
  @LoopActor
  private final class Attempt {
    let deadline: Instant
    var task: Task<Void, Never>?
    var wishes: [Wish] = []
    /// No wish was left.
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
    /// The link was given to a wish that is worth more.
    case taken
  }

  /// A link of a purpose that others go before.
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

  /// Makes a link, or takes over that of an attempt that runs. Cancelling the task ends the wish, and the attempt when
  /// no other wish is left.
  ///
  /// - Parameter deadline: until when the attempt may last.
  /// - Parameter onTaken: the link was closed for a wish that is worth more. Never called for a visit's.
  /// - Throws: `aborted` where another wish has the link; else what the radio says.
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
        // The attempt of another wish had less time, or had been given up before this one joined it.
        let hadLessTime = attempt.deadline < deadline && loop.now >= attempt.deadline
        guard !wish.isCancelled, loop.now < deadline, hadLessTime || attempt.isGivenUp else { throw error }
        // Whoever was served first may have the link by now.
        try makeRoom(address, for: purpose)
      }
    }
  }

  /// The link of a try or a pairing is over.
  func left(_ address: BluetoothAddress, _ purpose: LinkPurpose) {
    if guests[address]?.purpose == purpose { guests[address] = nil }
  }

  /// Ends the link of a wish that is worth less.
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

  /// A wish ends by its own will.
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

/// What a link is wanted for; a later one goes before an earlier one.
enum LinkPurpose: Int, Comparable {
  /// A stranger is tried.
  case trial
  /// A wearable is paired before it has a record.
  case pairing
  /// An enrolled wearable has its turn.
  case visit

  static func < (a: LinkPurpose, b: LinkPurpose) -> Bool { a.rawValue < b.rawValue }
}
