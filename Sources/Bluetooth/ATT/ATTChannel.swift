// ATT as a state machine: PDUs in, PDUs out, one timer. The owner has the socket and the clock, and interprets the
// values.
//
//     receive(pdu, now) -> what it means for the client      (at most one thing per PDU)
//     takeOutgoing()    -> the next PDU to send              (until nil; putBack if the bearer is full)
//     deadline          -> when to call expire(now)
//
// Only one request is outstanding at a time, the rest wait in order. Requests of the peer are answered from the server
// beside the channel. A request unanswered for 30 s, a third protocol violation or a lasting flood ends the channel. No
// PDU is sent or accepted after that.

internal import EventLoop

/// Meaning of one received PDU.
enum ATTEvent {
  /// The PDU was dropped, or handled inside the channel.
  case nothing
  /// The response to request `id`. The bytes are those of the PDU.
  case response(id: UInt64, RawBytes)
  /// The refusal of request `id`.
  case refused(id: UInt64, request: ATTOpcode, ATTErrorResponse)
  /// A notification or indication. An indication is confirmed already, unless `owesConfirmation`.
  case value(handle: UInt16, RawBytes)
  case values(ATTMultipleNotification)
  /// The channel ended; every request that was submitted and not answered has failed.
  case failed(GATTError)
}

struct ATTChannel {
  /// Own requests that wait or are outstanding. Tasks on one wearable are sequential; this leaves room for a driver's
  /// whole stage.
  static let maximumRequests = 32
  /// Write commands that wait for the bearer: a second's worth at background intervals. A longer queue would only hide
  /// a full link.
  static let maximumCommands = 16
  /// Violations of one kind that end the channel.
  static let maximumViolations = 3
  /// Bytes that an empty PDU counts as: 20 ms of air time with its own. ATT has no empty PDU, so none is of use. A
  /// burst of a hundred is tolerated. A peer that sends them as fast as the air carries, 2,000 a second, loses its link
  /// after 0.6 s.
  static let emptyWeight = 3120

  private(set) var counters = ATTCounters()
  /// Nil while the channel is open.
  private(set) var failure: GATTError?

  /// Value handles of held indications, which only `confirmHeld` confirms: their wearable deletes what was confirmed.
  var heldHandles: Set<UInt16> = []
  /// Whether a held indication was delivered and is not confirmed yet.
  private(set) var owesConfirmation = false

  private var server: GATTServer
  private var floodGuard: FloodGuard
  private var waiting: [(id: UInt64, pdu: [UInt8])] = []
  private var current: (id: UInt64, opcode: ATTOpcode, deadline: Instant)?

  fileprivate enum Kind { case request, response, confirmation, command, notification }
  /// PDUs to send: at most one request, one response, one confirmation, one notification and the commands.
  private var outgoing: [(kind: Kind, pdu: [UInt8])] = []

  init(server: GATTServer, floodGuard: FloodGuard) {
    self.server = server
    self.floodGuard = floodGuard
  }

  var mtu: Int { server.mtu }
  var ownMTU: Int { server.ownMTU }

  /// Next time to call `expire`; nil while no request is outstanding.
  var deadline: Instant? { current?.deadline }

  // MARK: - Out

  /// Queues a request, to be sent when those before it are answered. `pdu` must be a request. False: the queue is full,
  /// or the channel ended.
  mutating func submit(_ pdu: [UInt8], id: UInt64, now: Instant, evenIfFull: Bool = false) -> Bool {
    guard failure == nil, evenIfFull || waiting.count + (current == nil ? 0 : 1) < Self.maximumRequests else {
      return false
    }
    waiting.append((id, pdu))
    startNext(now)
    return true
  }

  /// Removes a request from the queue. A request that was already sent stays outstanding, and its response is still
  /// matched.
  mutating func withdraw(_ id: UInt64) { waiting.removeAll { $0.id == id } }

  /// Queues a command. False: the queue is full, or the channel ended.
  mutating func submitCommand(_ pdu: [UInt8]) -> Bool {
    guard failure == nil, count(.command) < Self.maximumCommands else { return false }
    outgoing.append((.command, pdu))
    return true
  }

  mutating func takeOutgoing() -> OutgoingPDU? {
    guard let first = outgoing.first else { return nil }
    outgoing.removeFirst()
    counters.sent += 1
    return OutgoingPDU(kind: first.kind, pdu: first.pdu)
  }

  /// Puts back a PDU that the bearer did not accept: it stays the next.
  mutating func putBack(_ taken: OutgoingPDU) {
    guard failure == nil else { return }
    counters.sent -= 1
    outgoing.insert((taken.kind, taken.pdu), at: 0)
  }

  struct OutgoingPDU {
    fileprivate let kind: Kind
    let pdu: [UInt8]
  }

  /// Whether the transaction timed out; if so the channel has ended.
  mutating func expire(_ now: Instant) -> Bool {
    guard let current, now >= current.deadline else { return false }
    end(.timeout)
    return true
  }

  private mutating func startNext(_ now: Instant) {
    guard current == nil, !waiting.isEmpty else { return }
    let (id, pdu) = waiting.removeFirst()
    guard let opcode = pdu.first.flatMap(ATTOpcode.init), ATTRole(of: opcode.rawValue) == .request else {
      fatalError("not a request")
    }
    current = (id, opcode, now + ATT.transactionTimeout)
    outgoing.append((.request, pdu))
  }

  private func count(_ kind: Kind) -> Int { outgoing.reduce(0) { $0 + ($1.kind == kind ? 1 : 0) } }

  private mutating func end(_ error: GATTError) {
    failure = error
    owesConfirmation = false
    waiting = []
    current = nil
    outgoing = []
  }

  private mutating func fail(_ error: GATTError) -> ATTEvent {
    end(error)
    return .failed(error)
  }

  // MARK: - In

  mutating func receive(_ pdu: RawBytes, now: Instant) -> ATTEvent {
    guard failure == nil else { return .nothing }
    counters.received += 1
    counters.receivedBytes += UInt64(pdu.count)
    guard let first = pdu.first else {
      counters.malformed += 1
      let verdict = floodGuard.admit(Self.emptyWeight, now: now)
      if verdict != .pass { counters.floodDropped += 1 }
      return verdict == .hangUp ? fail(.flood) : .nothing
    }
    if pdu.count > mtu {
      counters.oversize += 1
      if counters.oversize >= Self.maximumViolations { return fail(.protocolViolation(.oversizePDU)) }
      guard pdu.count <= ATT.maximumMTU else { return .nothing }
    }
    let role = ATTRole(of: first)
    // Responses are never limited: they were requested, and unexpected ones soon end the channel.
    if role == .response { return receiveResponse(pdu, opcode: first, now) }
    if role == .confirmation { return violation() }
    let verdict = floodGuard.admit(pdu.count, now: now)
    if verdict != .pass {
      counters.floodDropped += 1
      if verdict == .hangUp { return fail(.flood) }
      // The flood limit drops the value, but the specification demands a confirmation for every indication.
      if role == .indication, !owesConfirmation, !isHeld(pdu) { confirm() }
      return .nothing
    }
    switch role {
    case .notification: return receiveNotification(pdu, opcode: first)
    case .indication: return receiveIndication(pdu)
    case .request: answer(pdu)
    default: counters.commandsIgnored += 1
    }
    return .nothing
  }

  private mutating func receiveResponse(_ pdu: RawBytes, opcode: UInt8, _ now: Instant) -> ATTEvent {
    // A request that still waits for the bearer cannot have been answered.
    guard let (id, request, _) = current, count(.request) == 0 else { return violation() }
    if opcode == ATTOpcode.errorResponse.rawValue {
      guard let error = ATTErrorResponse(pdu), error.request == request.rawValue else { return violation() }
      current = nil
      startNext(now)
      return .refused(id: id, request: request, error)
    }
    guard opcode == request.rawValue + 1 else { return violation() }
    // The MTU must be in force before the next PDU is read.
    if let exchange = ATTExchangeMTUResponse(pdu) { server.settleMTU(peer: Int(exchange.mtu)) }
    current = nil
    startNext(now)
    return .response(id: id, pdu)
  }

  private mutating func violation() -> ATTEvent {
    counters.unexpectedResponses += 1
    return counters.unexpectedResponses >= Self.maximumViolations
      ? fail(.protocolViolation(.unexpectedResponse)) : .nothing
  }

  private mutating func receiveNotification(_ pdu: RawBytes, opcode: UInt8) -> ATTEvent {
    if opcode == ATTOpcode.notification.rawValue, let notification = ATTNotification(pdu) {
      counters.values += 1
      return .value(handle: notification.handle, notification.value)
    }
    if let notification = ATTMultipleNotification(pdu) {
      notification.forEach { _, _ in counters.values += 1 }
      return .values(notification)
    }
    counters.malformed += 1
    return .nothing
  }

  private mutating func receiveIndication(_ pdu: RawBytes) -> ATTEvent {
    guard count(.confirmation) == 0, !owesConfirmation else {
      counters.overlapping += 1
      return .nothing
    }
    owesConfirmation = isHeld(pdu)
    if !owesConfirmation { confirm() }
    guard let indication = ATTIndication(pdu) else {
      counters.malformed += 1
      return .nothing
    }
    counters.values += 1
    return .value(handle: indication.handle, indication.value)
  }

  private func isHeld(_ pdu: RawBytes) -> Bool {
    ATTIndication(pdu).map { heldHandles.contains($0.handle) } ?? false
  }

  /// Sends the confirmation that `owesConfirmation` announces; without one there is no effect.
  mutating func confirmHeld() {
    guard owesConfirmation else { return }
    owesConfirmation = false
    confirm()
  }

  private mutating func confirm() {
    if count(.confirmation) == 0 { outgoing.append((.confirmation, ATTConfirmation().bytes)) }
  }

  private mutating func answer(_ pdu: RawBytes) {
    guard count(.response) == 0 else {
      counters.overlapping += 1
      return
    }
    guard let response = server.respond(to: pdu) else { return }
    // Subscriptions are stored in their attributes; no other attribute of the server can be written.
    _ = server.takeWrites()
    counters.requestsAnswered += 1
    outgoing.append((.response, response))
  }

  // MARK: - The server of this side

  /// Sets values of the server before the peer reads them.
  mutating func serve(_ body: (inout GATTServer) -> Void) { body(&server) }

  func isSubscribed(to uuid: BluetoothUUID) -> Bool { server.isSubscribed(to: uuid) }

  /// Notifies the peer, if it subscribed. Replaces a notification of the same value that still waits for the bearer.
  mutating func notify(_ uuid: BluetoothUUID, _ value: [UInt8]) {
    guard failure == nil, server.isSubscribed(to: uuid), let pdu = server.notification(for: uuid, value: value) else {
      return
    }
    outgoing.removeAll { $0.kind == .notification }
    outgoing.append((.notification, pdu))
  }

  // MARK: - Reports of the client

  mutating func noteUnknownHandle() { counters.unknownHandle += 1 }
  mutating func noteMalformed() { counters.malformed += 1 }
}
