// An open link to a wearable of a few lines: every write is answered at once, without waits.

import Bluetooth
import EventLoop
import Wearable

@LoopActor
final class HostileLink: WearableLink {
  /// Answers to a write, in order: the characteristic, and the bytes. Made in advance, so that their memory does not
  /// count for the reader.
  typealias Answer = @LoopActor @Sendable ([UInt8]) -> [(BluetoothUUID, [UInt8])]

  let address = BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .lePublic)
  let mtu = 247
  let database: GATTDatabase
  let isSecured = true
  private var now: Int64 = 1_000_000_000
  private let answer: Answer
  private var inboxes: [UInt16: Inbox] = [:]

  init(_ database: GATTDatabase, _ answer: @escaping Answer = { _ in [] }) {
    (self.database, self.answer) = (database, answer)
  }

  var hubTime: HubTime {
    HubTime(
      wall: WallTime(microseconds: 1_795_255_200_000_000 + now / 1000), monotonic: now, isTrusted: true, boot: "1")
  }

  private var pending: [(BluetoothUUID, [UInt8])] = []
  private var told = 0

  /// Values that were not awaited until the next request are lost.
  private func hear(_ value: [UInt8]) { (pending, told) = (answer(value), 0) }

  func read(_ characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8] { [] }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) { hear(value) }
  func writeCommand(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) { hear(value) }
  func subscribe(_ characteristic: GATTCharacteristic, into inbox: Inbox) async throws(VisitTrouble) {
    inboxes[characteristic.valueHandle] = inbox
  }

  /// The size of a link's inbox, as if the loop had been busy meanwhile.
  private static let burst = 64

  func next(from inbox: Inbox, within: Duration) async throws(VisitTrouble) -> [UInt8] {
    if let value = inbox.take() { return value }
    for (uuid, value) in pending[told...].prefix(Self.burst) {
      if let handle = database.characteristic(uuid)?.valueHandle { inboxes[handle]?.put(value) }
      told += 1
    }
    if let value = inbox.take() { return value }
    now += max(1, within.wholeNanoseconds)
    throw .silent(what: "a value")
  }

  func settle(for duration: Duration) async throws(VisitTrouble) { now += duration.wholeNanoseconds }
  func secure() async throws(VisitTrouble) {}
  func profileWasDisturbed(settlesAfter after: Duration) {}
  func noteProgress(bytes: Int) {}
  func note(_ oddity: String) {}
}

extension GATTDatabase {
  /// Returns a database in the form of a cache: services with characteristics, each with a subscription descriptor.
  static func made(_ services: [(BluetoothUUID, [(BluetoothUUID, GATTProperties)])]) -> GATTDatabase {
    var (bytes, handle): ([UInt8], UInt16) = ([1, 0, UInt8(clamping: services.count)], 1)
    func put(_ number: UInt16) { bytes += [UInt8(number & 0xFF), UInt8(number >> 8)] }
    func put(type uuid: BluetoothUUID) { bytes += [UInt8(uuid.wireBytes.count)] + uuid.wireBytes }
    for (service, characteristics) in services {
      put(handle)
      put(handle + UInt16(3 * characteristics.count))
      put(type: service)
      put(UInt16(characteristics.count))
      for (uuid, properties) in characteristics {
        put(handle + 1)
        put(handle + 2)
        bytes.append(properties.rawValue)
        put(type: uuid)
        put(1)
        put(handle + 3)
        put(type: 0x2902)
        handle += 3
      }
      handle += 1
    }
    guard let cache = bytes.withUnsafeBytes({ GATTCache(decoding: $0) }) else {
      preconditionFailure("a database that is none")
    }
    return cache.database
  }
}
