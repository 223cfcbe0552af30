// Commands and replies over the management socket. The kernel replies late, out of order, or never; each command still
// gets exactly one outcome.

import Bluetooth
import EventLoop
import Glibc

/// Reason why a command has no result.
enum ManagementError: Error, Sendable, Equatable, CustomStringConvertible {
  case refused(ManagementStatus)
  case noAnswer
  case malformedReply
  case notSent(errno: Int32)
  case channelClosed

  var description: String {
    switch self {
    case .refused(let status): "\(status)"
    case .noAnswer: "no answer"
    case .malformedReply: "malformed reply"
    case .notSent(let errno): "not sent, errno \(errno)"
    case .channelClosed: "channel closed"
    }
  }

  /// Whether the controller, and not the kernel, failed to respond.
  var meansSilentController: Bool {
    switch self {
    case .refused(let status): status.meansSilentController
    case .noAnswer: true
    case .malformedReply, .notSent, .channelClosed: false
    }
  }
}

/// Matches replies to commands by opcode and index. At most one command per opcode and index is outstanding; further
/// ones wait in a queue.
@LoopActor
final class ManagementChannel {
  typealias Outcome = Result<[UInt8], ManagementError>

  /// The kernel has no timeouts of its own. Ordinary commands take milliseconds. Powering a slow UART chip that loads
  /// firmware takes up to four seconds, an HCI command to a dead chip two.
  static let ordinaryTimeout: Duration = .seconds(10)
  /// Timeout for commands that wait in the kernel's queue behind an LE Create Connection. That lasts up to 20 s if its
  /// limit could not be set.
  static let queuedTimeout: Duration = .seconds(25)
  /// Longest queue behind one command; further ones fail (EBUSY). The radio sends a handful, but links that come and go
  /// while the controller is silent leave a Disconnect each.
  private static let queueLimit = 128

  private struct Key: Hashable {
    let opcode: UInt16
    let index: UInt16
  }

  @LoopActor
  private final class Pending {
    let command: ManagementCommand
    let timeout: Duration
    let completion: @LoopActor (Outcome) -> Void
    var timer: LoopTimer?

    init(_ command: ManagementCommand, _ timeout: Duration, _ completion: @escaping @LoopActor (Outcome) -> Void) {
      self.command = command
      self.timeout = timeout
      self.completion = completion
    }
  }

  private let loop: any Loop
  private let counters: RadioCounters
  private var pending: [Key: [Pending]] = [:]
  /// The socket while it is open.
  var port: (any ManagementPort)?
  /// Called with every event except replies, with its adapter index.
  var onEvent: (@LoopActor (UInt16, ManagementEvent) -> Void)?

  init(loop: any Loop, counters: RadioCounters) {
    self.loop = loop
    self.counters = counters
  }

  /// Sends a command and waits for its reply. Returns the return parameters.
  @discardableResult
  func perform(
    _ command: ManagementCommand, index: UInt16 = ManagementFrame.noController, timeout: Duration = ordinaryTimeout
  ) async throws(ManagementError) -> [UInt8] {
    let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
      send(command, index: index, timeout: timeout) { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }

  /// Sends like `perform`, for callers that do not wait. `completion` is called exactly once; if sending succeeds, only
  /// after this returns.
  func send(
    _ command: ManagementCommand, index: UInt16, timeout: Duration = ordinaryTimeout,
    completion: @escaping @LoopActor (Outcome) -> Void = { _ in }
  ) {
    let key = Key(opcode: command.opcode, index: index)
    let entry = Pending(command, timeout, completion)
    guard pending[key, default: []].count < Self.queueLimit else {
      loop.schedule(after: .zero) { completion(.failure(.notSent(errno: EBUSY))) }
      return
    }
    pending[key, default: []].append(entry)
    if pending[key]?.count == 1 { transmit(entry, key) }
  }

  /// Handles one datagram of the command socket.
  func receive(_ datagram: RawBytes) {
    guard let frame = ManagementFrame(datagram), let event = ManagementEvent(frame) else {
      counters.managementMalformed += 1
      return
    }
    guard case .reply(let opcode, let status, let parameters) = event else {
      onEvent?(frame.index, event)
      return
    }
    let key = Key(opcode: opcode, index: frame.index)
    guard let entry = pending[key]?.first,
      entry.command.peer == nil || parameters.isEmpty || ManagementReply.peer(parameters) == entry.command.peer
    else {
      counters.managementUnmatched += 1  // abandoned after its time-out, or answered twice
      return
    }
    finish(entry, key, status == .success ? .success(parameters) : .failure(.refused(status)))
  }

  /// Fails every command, because the socket is gone.
  func failAll() {
    let entries = pending.sorted { ($0.key.opcode, $0.key.index) < ($1.key.opcode, $1.key.index) }.flatMap(\.value)
    pending = [:]
    for entry in entries {
      if let timer = entry.timer { loop.cancel(timer) }
      entry.completion(.failure(.channelClosed))
    }
  }

  private func transmit(_ entry: Pending, _ key: Key) {
    guard let port else { return finish(entry, key, .failure(.channelClosed)) }
    entry.timer = loop.schedule(after: entry.timeout) { [weak self] in
      self?.counters.managementTimeouts += 1
      self?.finish(entry, key, .failure(.noAnswer))
    }
    let result = port.send(entry.command.frame(index: key.index))
    if result != 0 { finish(entry, key, .failure(.notSent(errno: result))) }
  }

  private func finish(_ entry: Pending, _ key: Key, _ outcome: Outcome) {
    guard pending[key]?.first === entry else { return }
    if let timer = entry.timer { loop.cancel(timer) }
    pending[key]?.removeFirst()
    if let next = pending[key]?.first { transmit(next, key) } else { pending[key] = nil }
    entry.completion(outcome)
  }
}
