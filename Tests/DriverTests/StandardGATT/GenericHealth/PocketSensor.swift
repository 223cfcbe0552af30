import Bluetooth
import EventLoop
import Wearable

@testable import DriverTestSupport

/// A generic health sensor that keeps observations, as few lines as a visit needs.
@LoopActor
final class PocketSensor: LinkPeer {
  /// Number and observation, ascending.
  var records: [(number: UInt32, bytes: [UInt8])] = []
  /// Lacks the combined report.
  var isOld = false
  /// Refuses a number as an operand.
  var isPlain = false
  private(set) var requests: [[UInt8]] = []
  private(set) var starts: [[UInt8]] = []
  private weak var current: ScriptedLink?
  /// What it sends as time passes.
  private var queue: [(uuid: BluetoothUUID, value: [UInt8])] = []

  var link: ScriptedLink {
    let link = ScriptedLink(self)
    current = link
    return link
  }

  let database = GATTDatabase.made(of: [
    GATTServiceDefinition(
      0x1840,
      [
        GATTCharacteristicDefinition(0x2B8B, .notify), GATTCharacteristicDefinition(0x2BDD, .notify),
        GATTCharacteristicDefinition(0x2BF3, .read), GATTCharacteristicDefinition(0x2BF4, [.write, .indicate]),
        GATTCharacteristicDefinition(0x2A52, [.write, .indicate]),
      ])
  ])

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] { [0] }
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    if characteristic.uuid == 0x2BF4 {
      starts.append(value)
      return send(0x2BF4, [0x80])
    }
    requests.append(value)
    answer(value)
  }

  private func answer(_ request: [UInt8]) {
    guard let operation = request.first, request.count >= 2 else { return }
    if operation == 3 {
      queue = []
      return send(0x2A52, [6, 0, 3, 1])
    }
    if operation == 7, isOld { return send(0x2A52, [6, 0, 7, 2]) }
    guard let chosen = chosen(Array(request.dropFirst())) else { return send(0x2A52, [6, 0, operation, 9]) }
    let count = UInt32(chosen.count)
    switch operation {
    case 4: send(0x2A52, [5, 0] + Self.word(count))
    case 2:
      records.removeAll { record in chosen.contains { $0.number == record.number } }
      send(0x2A52, [6, 0, 2, 1])
    case 1, 7:
      if chosen.isEmpty { return send(0x2A52, [6, 0, operation, 6]) }
      var counter: UInt8 = 0
      for record in chosen {
        // In two segments.
        let body = Self.word(record.number) + record.bytes
        send(0x2BDD, [counter << 2 | 1] + body.prefix(10))
        counter = (counter + 1) & 63
        send(0x2BDD, [counter << 2 | 2] + body.dropFirst(10))
        counter = (counter + 1) & 63
      }
      send(0x2A52, operation == 7 ? [8, 0] + Self.word(count) : [6, 0, 1, 1])
    default: send(0x2A52, [6, 0, operation, 2])
    }
  }

  private func chosen(_ selection: [UInt8]) -> [(number: UInt32, bytes: [UInt8])]? {
    if selection == [1] { return records }
    guard !isPlain, selection.count == 6, selection[1] == 1 else { return nil }
    let number = selection[2...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    switch selection[0] {
    case 2: return records.filter { $0.number <= number }
    case 3: return records.filter { $0.number >= number }
    default: return nil
    }
  }

  private func send(_ uuid: BluetoothUUID, _ value: [UInt8]) { queue.append((uuid, value)) }

  func settled(_ duration: Duration) {
    for (uuid, value) in queue.prefix(100) {
      guard let characteristic = database.characteristic(uuid, in: 0x1840) else { continue }
      current?.notify(characteristic, value)
    }
    queue.removeFirst(min(100, queue.count))
  }

  private nonisolated static func word(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }

  /// A saturation at seconds since 2000: class 1, type and time, per cent.
  nonisolated static func saturation(_ value: UInt8, at seconds: UInt32, flags: UInt8 = 0x22) -> [UInt8] {
    [1, 21, 0, 3, 0, 0xB8, 0x4B, 2, 0, flags] + word(seconds) + [0, 0, 6, 0, 0x20, 2, value, 0, 0, 0]
  }
}
