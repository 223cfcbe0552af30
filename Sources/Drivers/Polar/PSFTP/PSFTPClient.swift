// Polar's file transfer over one link: a message out, its response in, one after the other.

import Bluetooth
import EventLoop
import Wearable

/// One wearable's file transfer while its link is up.
///
/// Operations take turns; what the hub says by itself has turns of its own and may go out between the packets of an
/// operation.
@LoopActor
final class PSFTPClient {
  let link: any WearableLink
  /// A file comes at 50 to 120 packets a second while the store takes its pieces: several seconds' worth.
  private let inbox = Inbox(limit: 512)
  private let said = Inbox(limit: 256)
  private var saidOverflows: UInt64 = 0
  private var notifications = PSFTP.NotificationAssembly()
  private var isListening = false
  private var hearsDevice = false
  /// What it answered to the visits over this link.
  var busy = PSFTPBusy()
  private let turn = PSFTPTurn()
  private let speaking = PSFTPTurn()

  /// Times that a repeatable operation is asked again after a packet was lost.
  static let retries = 2
  /// Without a packet for so long, nothing of a cancelled transfer is on its way.
  static let quiet: Duration = .milliseconds(300)
  /// Packets that a cancelled transfer may still send: what is in the buffers of both sides.
  static let strayLimit = 1024

  /// How an operation ended.
  enum Answer: Sendable, Hashable {
    /// The response is there, or as much of it as its receiver wants.
    case done
    case failed(PSFTPError)
  }

  init(_ link: any WearableLink) { self.link = link }

  /// What an error frame means for the stage in which it was the answer.
  func trouble(_ error: PSFTPError, _ what: String) -> VisitTrouble {
    guard error == .systemBusy else { return error.trouble(what) }
    return .busy(what: "\(what): \(error.text)", retryAfter: busy.met())
  }

  /// This wearable has file transfer.
  var isPresent: Bool { link.database.characteristic(PSFTP.transfer, in: PSFTP.service) != nil }

  // MARK: operations

  /// Sends a message and hands its response on. Where `receiver` has enough of it, the transfer is stopped.
  ///
  /// - Throws: `silent` where a packet does not come in time, whatever the link or `receiver` throws. Unless the link
  ///   is gone, the transfer is stopped then, and the next operation finds a wearable that listens.
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

  /// The response as a whole, of at most `limit` bytes.
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

  /// Why the wearable did not want all of it; nil if it took all.
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

  /// - Returns: nil where the receiver has enough.
  private func receive(
    _ message: PSFTP.Message, _ characteristic: GATTCharacteristic, _ receiver: any PSFTPReceiver, _ overflows: UInt64
  ) async throws(VisitTrouble) -> Answer? {
    var assembly = PSFTP.ResponseAssembly()
    while true {
      let packet: [UInt8]
      do throws(VisitTrouble) { packet = try await next(from: inbox, within: message.patience, message.what) } catch {
        // What came is kept, whatever happened; of what nobody wants any more it does not matter that it does not come.
        if try await receiver.end() == .enough { return nil }
        throw error
      }
      var step = packet.withUnsafeBytes { assembly.take($0) }
      // Sixteen packets pushed out in a row leave no gap in the sequence.
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

  /// Stops a transfer, and lets what is still on its way come in. The trouble that led here is what is told, not what
  /// becomes of this.
  private func cancel(_ characteristic: GATTCharacteristic) async {
    guard (try? await write(PSFTP.cancellation, characteristic, withResponse: true)) != nil else { return }
    for _ in 0..<Self.strayLimit {
      guard (try? await link.next(from: inbox, within: Self.quiet)) != nil else { return }
    }
    link.note("it goes on sending after it was told to stop")
  }

  // MARK: what is said without an answer

  /// Returns when it is written.
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

  /// Listens to what the wearable says by itself; what is said before that is lost.
  func hearDevice() async throws(VisitTrouble) {
    guard !hearsDevice, let characteristic = link.database.characteristic(PSFTP.fromDevice, in: PSFTP.service) else {
      return
    }
    try await securely { () throws(VisitTrouble) in try await self.link.subscribe(characteristic, into: self.said) }
    hearsDevice = true
  }

  /// The next thing the wearable says by itself.
  ///
  /// - Throws: `silent` if it says nothing for `limit`, whatever the link throws.
  func nextNotification(within limit: Duration) async throws(VisitTrouble) -> PSFTP.RawNotification {
    try await hearDevice()
    while true {
      let isOpen = notifications.isOpen
      do throws(VisitTrouble) {
        let packet = try await next(from: said, within: isOpen ? PSFTP.patience : limit, "something it says by itself")
        if let whole = assemble(packet) { return whole }
      } catch {
        notifications.reset()
        // A message that breaks off is dropped, and was not what is waited for.
        if isOpen, case .silent = error { continue }
        throw error
      }
    }
  }

  /// What it has said by itself and nobody has waited for; nil if there is nothing whole.
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

  /// With response only where it is wanted and possible: every response costs a round trip.
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

  /// Waits longer than a link waits at a time.
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
        // A link that was given up for silence says so at once, as often as it is asked.
        if now == began { throw error }
      }
    }
  }

  /// The service wants an encrypted link: it is asked for once, and then it is as it is.
  private func securely(_ body: () async throws(VisitTrouble) -> Void) async throws(VisitTrouble) {
    do throws(VisitTrouble) { try await body() } catch {
      guard error.wantsSecurity, !link.isSecured else { throw error }
      try await link.secure()
      try await body()
    }
  }
}

/// One after the other, in the order of asking.
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

  /// The turn passes on with `isTaken` still set.
  func pass() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}

extension VisitTrouble {
  /// Nothing can be written any more.
  fileprivate var endsLink: Bool {
    if case .link = self { true } else { false }
  }
}
