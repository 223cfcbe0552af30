// The other end of the channel: a strap that serves its database, then sends all its values at once.

import ArgumentParser
import Bluetooth
import GATTServices
import Glibc
import PolarFamily

/// Started by `notify` in a process of its own, so that its CPU does not count.
struct NotifyPusher: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "notify-pusher", shouldDisplay: false)

  @Option var descriptor: Int32
  @Option var notifications: Int
  @Option var seed: UInt64
  /// Push without waiting for discovery and subscription, for peers that do neither.
  @Flag var immediately = false
  @Flag var ecg = false

  func run() throws {
    let pushed = ecg ? PMD.data : StandardGATT.heartRateMeasurement
    var server = GATTServer([
      GATTServiceDefinition(
        StandardGATT.heartRateService,
        [
          GATTCharacteristicDefinition(StandardGATT.heartRateMeasurement, [.notify]),
          GATTCharacteristicDefinition(StandardGATT.bodySensorLocation, [.read], value: [1]),
        ]),
      GATTServiceDefinition(PMD.service, [GATTCharacteristicDefinition(PMD.data, [.notify])]),
    ])
    // All values are prepared before the first is sent: a receiver that waits for this process would be measured
    // sleeping and waking.
    var beats = NotifyData(seed: seed)
    var heart = ECGData(seed: seed)
    var tally = Tally()
    let values = (0..<notifications).map { _ in ecg ? heart.nextValue(&tally) : beats.nextValue(&tally) }

    var buffer = [UInt8](repeating: 0, count: 1024)
    while !immediately, !server.isSubscribed(to: pushed) {
      guard try serve(&server, &buffer) else { throw BenchFailure("the receiver went away before it subscribed") }
    }
    // The hub has more work after its subscription; its CPU is measured from its rest on.
    if !immediately { try settle(&server, &buffer) }
    guard let handle = server.valueHandle(of: pushed) else {
      throw BenchFailure("the served database has no \(pushed)")
    }
    // A frame of ECG is longer than the MTU that a peer without a handshake has.
    let head: [UInt8] = [0x1B, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]
    let pdus = values.map { head + $0 }
    // A hub holds the first second of a stream back, while it learns the clock; the measurement begins after it.
    let first = ecg && !immediately ? 1 : 0
    for pdu in pdus.prefix(first) { try push(pdu) }
    if first > 0 { usleep(1_500_000) }
    for pdu in pdus.dropFirst(first) { try push(pdu) }
    // Until the receiver has taken everything and closes: closing this end first would be a lost link.
    while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
  }

  /// Answers one request. False at the end.
  private func serve(_ server: inout GATTServer, _ buffer: inout [UInt8]) throws -> Bool {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, errno == EINTR { return true }
    if count <= 0 { return false }
    if let answer = buffer.withUnsafeBytes({ server.respond(to: RawBytes(rebasing: $0[..<count])) }) {
      try push(answer)
    }
    return true
  }

  /// Serves until half a second has passed without a request.
  private func settle(_ server: inout GATTServer, _ buffer: inout [UInt8]) throws {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, 500) > 0 {
      guard try serve(&server, &buffer) else { throw BenchFailure("the receiver went away before the first value") }
    }
  }

  private func push(_ pdu: [UInt8]) throws {
    while send(descriptor, pdu, pdu.count, Int32(MSG_NOSIGNAL)) < 0 {
      guard errno == EINTR else { throw BenchFailure("the receiver went away: errno \(errno)") }
    }
  }
}
