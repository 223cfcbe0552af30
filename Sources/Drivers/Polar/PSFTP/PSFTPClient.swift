// Client of Polar's file transfer over one link: one message at a time, each with its response.

import Bluetooth
import EventLoop
import Wearable

/// File transfer of one wearable while its link is up.
///
/// Operations are serialised. The hub's notifications have a lock of their own and may go out between the packets of an
/// operation.
@LoopActor
final class PSFTPClient {
  let link: any WearableLink
  /// A file comes at 50 to 120 packets a second. The limit covers several seconds while the store takes its pieces.
  private let inbox = Inbox(limit: 512)
  private let said = Inbox(limit: 256)
  private var saidOverflows: UInt64 = 0
  private var notifications = PSFTP.NotificationAssembly()
  private var isListening = false
  private var hearsDevice = false
  /// Back-off state from the answers in visits over this link.
  var busy = PSFTPBusy()
  private let turn = PSFTPTurn()
  private let speaking = PSFTPTurn()

  /// Number of times that a repeatable operation is repeated after a lost packet.
  static let retries = 2
  /// Silence after which a cancelled transfer counts as over.
  static let quiet: Duration = .milliseconds(300)
  /// Packets that a cancelled transfer may still send: what the buffers of both sides hold.
  static let strayLimit = 1024

  /// Result of an operation.
  enum Answer: Sendable, Hashable {
    /// The response is complete, or its receiver has as much of it as it wants.
    case done
    case failed(PSFTPError)
  }

  init(_ link: any WearableLink) { self.link = link }

  /// The trouble that an error frame causes in the visit's stage.
  func trouble(_ error: PSFTPError, _ what: String) -> VisitTrouble {
    guard error == .systemBusy else { return error.trouble(what) }
    return .busy(what: "\(what): \(error.text)", retryAfter: busy.met())
  }

  /// Whether this wearable has the file transfer service.
  var isPresent: Bool { link.database.characteristic(PSFTP.transfer, in: PSFTP.service) != nil }

  // MARK: operations

  /// Sends a message and passes its response to `receiver`. If the receiver has enough, the transfer is cancelled.
  ///
  /// - Throws: `silent` if a packet does not come in time, and all errors of the link and of `receiver`. Unless the
  ///   link is gone, the transfer is cancelled first, so that the next operation finds a wearable that is ready.
  func perform(_ message: PSFTP.Message, into receiver: any PSFTPReceiver) async throws(VisitTrouble) -> Answer {
    await turn.take()
    defer { turn.pass() }
    let characteristic = try await transfer()
    for _ in 0..<Self.retries where message.isRepeatable {
      let answer = try await once(message, characteristic, receiver)
      guard case .failed(.airPacketLost) = answer else { return answer }
      link.note("a packet was lost: \(message.what) again")
    }
    return try await once(message, characteristic, receiver)
  }

  /// Sends a message and collects its response, of at most `limit` bytes.
  func perform(_ message: PSFTP.Message, limit: Int) async throws(VisitTrouble) -> (answer: Answer, bytes: [UInt8]) {
    let collector = PSFTPCollector(limit: limit)
    let answer = try await perform(message, into: collector)
    return (answer, collector.bytes)
  }

  private func once(_ message: PSFTP.Message, _ characteristic: GATTCharacteristic, _ receiver: any PSFTPReceiver)
    async throws(VisitTrouble) -> Answer
  {
    receiver.begin()
    inbox.removeAll()
    let overflows = inbox.overflows
    var isUnderWay = false
    do throws(VisitTrouble) {
      if let refusal = try await send(message, characteristic, &isUnderWay) { return .failed(refusal) }
      if let answer = try await receive(message, characteristic, receiver, overflows) { return answer }
      await cancel(characteristic)
      return .done
    } catch {
      if isUnderWay, !error.endsLink { await cancel(characteristic) }
      throw error
    }
  }

  /// Writes all packets of a message. Returns the wearable's refusal if it stops the message early, else nil.
  private func send(
    _ message: PSFTP.Message, _ characteristic: GATTCharacteristic, _ isUnderWay: inout Bool
  ) async throws(VisitTrouble) -> PSFTPError? {
    var packets = PSFTP.AirPackets(message.bytes, size: link.mtu - 3)
    var count = 0
    while let packet = packets.next() {
      count += 1
      try await write(
        packet, characteristic, withResponse: message.paceEvery > 0 && count.isMultiple(of: message.paceEvery))
      isUnderWay = true
      if !packets.isAtEnd, let early = inbox.take() {
        return early.withUnsafeBytes { PSFTP.ResponseAssembly.refusal($0) }
      }
    }
    return nil
  }

  /// - Returns: nil if the receiver has enough.
  private func receive(
    _ message: PSFTP.Message, _ characteristic: GATTCharacteristic, _ receiver: any PSFTPReceiver, _ overflows: UInt64
  ) async throws(VisitTrouble) -> Answer? {
    var assembly = PSFTP.ResponseAssembly()
    while true {
      let packet: [UInt8]
      do throws(VisitTrouble) { packet = try await next(from: inbox, within: message.patience, message.what) } catch {
        // Pass on what was received. If the receiver has enough, the missing rest is no error.
        if try await receiver.end() == .enough { return nil }
        throw error
      }
      var step = packet.withUnsafeBytes { assembly.take($0) }
      // Sixteen dropped packets in a row leave no gap in the sequence numbers.
      if inbox.overflows != overflows { step = .failed(.airPacketLost, cancels: true) }
      switch step {
      case .more, .last:
        link.noteProgress(bytes: packet.count - 1)
        if try await receiver.take(packet.dropFirst()) == .enough { return nil }
        if step == .more { continue }
        return try await receiver.end() == .enough ? nil : .done
      case .acknowledged:
        return try await receiver.end() == .enough ? nil : .done
      case .failed(let error, let cancels):
        if cancels { await cancel(characteristic) }
        return try await receiver.end() == .enough ? nil : .failed(error)
      }
    }
  }

  /// Cancels a transfer and discards the packets that still arrive. Errors here are ignored: the caller reports the one
  /// that led here.
  private func cancel(_ characteristic: GATTCharacteristic) async {
    guard (try? await write(PSFTP.cancellation, characteristic, withResponse: true)) != nil else { return }
    for _ in 0..<Self.strayLimit {
      guard (try? await link.next(from: inbox, within: Self.quiet)) != nil else { return }
    }
    link.note("it goes on sending after it was ordered to stop")
  }

  // MARK: notifications of both sides

  /// Sends a notification, and returns when it is written.
  func say(_ kind: PSFTP.HostNotification, _ parameters: [UInt8] = []) async throws(VisitTrouble) {
    await speaking.take()
    defer { speaking.pass() }
    guard let characteristic = link.database.characteristic(PSFTP.toDevice, in: PSFTP.service) else {
      throw .unsupported("file transfer without its third characteristic")
    }
    try await hearDevice()
    var packets = PSFTP.AirPackets(PSFTP.notification(kind, parameters), size: link.mtu - 3)
    while let packet = packets.next() { try await write(packet, characteristic, withResponse: true) }
  }

  /// Subscribes to the wearable's notifications; earlier ones are lost.
  func hearDevice() async throws(VisitTrouble) {
    guard !hearsDevice, let characteristic = link.database.characteristic(PSFTP.fromDevice, in: PSFTP.service) else {
      return
    }
    try await securely { () throws(VisitTrouble) in try await self.link.subscribe(characteristic, into: self.said) }
    hearsDevice = true
  }

  /// The next notification of the wearable.
  ///
  /// - Throws: `silent` after `limit` without one, and all errors of the link.
  func nextNotification(within limit: Duration) async throws(VisitTrouble) -> PSFTP.RawNotification {
    try await hearDevice()
    while true {
      let isOpen = notifications.isOpen
      do throws(VisitTrouble) {
        let packet = try await next(from: said, within: isOpen ? PSFTP.patience : limit, "an unsolicited message")
        if let whole = assemble(packet) { return whole }
      } catch {
        notifications.reset()
        // An incomplete message is dropped; it is not the one that the caller waits for.
        if isOpen, case .silent = error { continue }
        throw error
      }
    }
  }

  /// The next notification that was received but not yet consumed; nil if there is no complete one.
  func pendingNotification() -> PSFTP.RawNotification? {
    while let packet = said.take() {
      if let whole = assemble(packet) { return whole }
    }
    return nil
  }

  private func assemble(_ packet: [UInt8]) -> PSFTP.RawNotification? {
    if said.overflows != saidOverflows {
      saidOverflows = said.overflows
      notifications.reset()
    }
    return packet.withUnsafeBytes { notifications.take($0) }
  }

  // MARK: the characteristics

  private func transfer() async throws(VisitTrouble) -> GATTCharacteristic {
    guard let characteristic = link.database.characteristic(PSFTP.transfer, in: PSFTP.service) else {
      throw .unsupported("no file transfer")
    }
    if !isListening {
      try await securely { () throws(VisitTrouble) in try await self.link.subscribe(characteristic, into: self.inbox) }
      isListening = true
    }
    return characteristic
  }

  /// Writes with response only if it is wanted and possible, as each response costs a round trip.
  private func write(_ packet: [UInt8], _ characteristic: GATTCharacteristic, withResponse: Bool)
    async throws(VisitTrouble)
  {
    let properties = characteristic.properties
    if properties.contains(.write), withResponse || !properties.contains(.writeWithoutResponse) {
      try await securely { () throws(VisitTrouble) in try await self.link.write(characteristic, packet) }
    } else {
      try await link.writeCommand(characteristic, packet)
    }
  }

  /// Waits longer than the link's own timeout.
  private func next(from inbox: Inbox, within patience: Duration, _ what: String) async throws(VisitTrouble) -> [UInt8]
  {
    let deadline = link.hubTime.monotonic + patience.wholeNanoseconds
    while true {
      let began = link.hubTime.monotonic
      do throws(VisitTrouble) {
        return try await link.next(from: inbox, within: .nanoseconds(max(1, deadline - began)))
      } catch {
        guard case .silent = error else { throw error }
        let now = link.hubTime.monotonic
        if now >= deadline { throw .silent(what: what) }
        // A link that was given up for silence throws at once on every call.
        if now == began { throw error }
      }
    }
  }

  /// Runs `body`, and repeats it once over an encrypted link if the service asks for encryption.
  private func securely(_ body: () async throws(VisitTrouble) -> Void) async throws(VisitTrouble) {
    do throws(VisitTrouble) { try await body() } catch {
      guard error.wantsSecurity, !link.isSecured else { throw error }
      try await link.secure()
      try await body()
    }
  }
}

/// A lock that is granted in the order of requests.
@LoopActor
final class PSFTPTurn {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if !isTaken {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// `isTaken` stays set while the lock passes to the next waiter.
  func pass() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}

extension VisitTrouble {
  /// Whether the link is gone and cannot be written to.
  fileprivate var endsLink: Bool {
    if case .link = self { true } else { false }
  }
}
