// The other end of the channel: a strap that serves its database, then says everything it has at once.

import ArgumentParser
import Bluetooth
import Drivers
import Glibc

/// Started by `notify` in a process of its own, so that its CPU is nobody's.
struct NotifyPusher: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "notify-pusher", shouldDisplay: false)

  @Option var descriptor: Int32
  @Option var notifications: Int
  @Option var seed: UInt64
  /// Push without waiting for discovery and subscription, for peers that do neither.
  @Flag var immediately = false

  func run() throws {
    var server = GATTServer([
      GATTServiceDefinition(StandardGATT.heartRateService, [
        GATTCharacteristicDefinition(StandardGATT.heartRateMeasurement, [.notify]),
        GATTCharacteristicDefinition(StandardGATT.bodySensorLocation, [.read], value: [1]),
      ]),
    ])
    // Everything is ready before the first is sent: a receiver that has to wait for us would be measured sleeping and waking.
    var data = NotifyData(seed: seed)
    var tally = Tally()
    let pdus = (0..<notifications).compactMap { _ in
      server.notification(for: StandardGATT.heartRateMeasurement, value: data.nextValue(&tally))
    }
    guard pdus.count == notifications else { throw BenchFailure("the served database has no heart rate") }

    var buffer = [UInt8](repeating: 0, count: 1024)
    while !immediately, !server.isSubscribed(to: StandardGATT.heartRateMeasurement) {
      guard try serve(&server, &buffer) else { throw BenchFailure("the receiver went away before it subscribed") }
    }
    // The hub has more to do once it is subscribed; its CPU is measured from when it is at rest.
    if !immediately { try settle(&server, &buffer) }
    for pdu in pdus { try push(pdu) }
    // Until the receiver has taken everything and closes: our end going away first would be a lost link to it.
    while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
  }

  /// Answers one request. False at the end.
  private func serve(_ server: inout GATTServer, _ buffer: inout [UInt8]) throws -> Bool {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, errno == EINTR { return true }
    if count <= 0 { return false }
    if let answer = buffer.withUnsafeBytes({ server.respond(to: RawBytes(rebasing: $0[..<count])) }) { try push(answer) }
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
