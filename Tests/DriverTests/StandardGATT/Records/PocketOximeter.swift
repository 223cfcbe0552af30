import Bluetooth
import EventLoop
import Wearable

@testable import DriverTestSupport

/// An oximeter with a clock and a memory, as few lines as a visit needs: no radio, no loop.
@LoopActor
final class PocketOximeter: LinkPeer {
  /// In the order in which they were measured.
  var records: [[UInt8]]
  /// µs that its clock is ahead of the hub's wall clock.
  var ahead: Int64 = 0
  /// Shows a day that was never set.
  var dayIsUnknown = false
  var takesTime = true
  /// Zone and daylight saving as it shows them.
  var zone: [UInt8] = [0, 0]
  /// What it answers instead of a count.
  var countCode: UInt8?
  /// Records fewer than it says there are.
  var missing = 0
  /// Ignores writes to its control point.
  var isMute = false
  /// Deleting is acknowledged and has no effect.
  var keepsAll = false
  /// Busy with an earlier request, and refuses all but the end of that.
  var isUnderWay = false
  /// Not even that.
  var endsNothing = false
  /// What it answers instead of records.
  var reportCode: UInt8?
  /// How its control point words its answers.
  var worded: @LoopActor ([UInt8]) -> [UInt8] = { $0 }
  /// What it says before it reports its records.
  var early: [UInt8]?
  private(set) var requests: [[UInt8]] = []
  private(set) var timesSet = 0
  private weak var current: ScriptedLink?

  init(_ records: [[UInt8]] = []) { self.records = records }

  var link: ScriptedLink {
    let link = ScriptedLink(self)
    current = link
    return link
  }

  let database = GATTDatabase.made(of: [
    GATTServiceDefinition(
      0x1822,
      [
        GATTCharacteristicDefinition(0x2A5E, .indicate), GATTCharacteristicDefinition(0x2A60, .read),
        GATTCharacteristicDefinition(0x2A52, [.write, .indicate]),
      ]),
    GATTServiceDefinition(
      0x1805,
      [
        GATTCharacteristicDefinition(0x2A2B, [.read, .write, .notify]),
        GATTCharacteristicDefinition(0x2A0F, [.read, .write]),
      ]),
  ])

  private var now: Int64 { (current?.hubTime.wall.microseconds ?? 0) + ahead }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    switch characteristic.uuid {
    case 0x2A2B: dayIsUnknown ? [0, 0, 0, 0, 1, 2, 3, 0, 0, 0] : Self.clock(now)
    case 0x2A0F: zone
    case 0x2A60: [0x0C, 0]
    default: throw .refused(.readNotPermitted, what: "reading")
    }
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    switch characteristic.uuid {
    case 0x2A0F: zone = value
    case 0x2A2B:
      timesSet += 1
      guard takesTime else { return }
      dayIsUnknown = false
      ahead += Self.microseconds(value) - now
    case 0x2A52:
      if value == [3, 0], !endsNothing { isUnderWay = false }
      if isUnderWay {
        requests.append(value)
        throw .refused(.procedureAlreadyInProgress, what: "writing 2A52")
      }
      answer(value)
    default: throw .refused(.writeNotPermitted, what: "writing")
    }
  }

  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}

  private func answer(_ request: [UInt8]) {
    requests.append(request)
    if isMute { return }
    switch request {
    case [4, 1]:
      let count = UInt8(clamping: records.count)
      tell(countCode.map { [6, 0, 4, $0] } ?? [5, 0, count, 0])
    case [1, 1]:
      if let early { tell(early) }
      if let reportCode { return tell([6, 0, 1, reportCode]) }
      for record in records.dropLast(missing) { send(0x2A5E, record) }
      tell([6, 0, 1, records.isEmpty ? 6 : 1])
    case [2, 1]:
      if !keepsAll { records = [] }
      tell([6, 0, 2, 1])
    case [3, 0]: tell([6, 0, 3, 1])
    default: tell([6, 0, request.first ?? 0, 2])
    }
  }

  private func tell(_ answer: [UInt8]) { send(0x2A52, worded(answer)) }

  private func send(_ uuid: BluetoothUUID, _ value: [UInt8]) {
    guard let characteristic = database.characteristic(uuid, in: 0x1822) else { return }
    current?.notify(characteristic, value)
  }

  // MARK: Bytes, by the specification's own tables

  /// A spot-check of 97 % and `pulse`: flags 1, two SFLOATs, the date and time.
  nonisolated static func record(_ time: (Int, Int, Int, Int, Int, Int)?, saturation: UInt8 = 97, pulse: UInt8)
    -> [UInt8]
  {
    let values = [saturation, 0, pulse, 0]
    guard let time else { return [0] + values }
    let year = [UInt8(time.0 & 0xFF), UInt8(time.0 >> 8)]
    return [1] + values + year + [UInt8(time.1), UInt8(time.2), UInt8(time.3), UInt8(time.4), UInt8(time.5)]
  }

  /// Days since 1970 by counting them.
  nonisolated private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    var days = day - 1
    for before in 1970..<year { days += isLeap(before) ? 366 : 365 }
    for before in 1..<month { days += length(before, year) }
    return Int64(days)
  }

  nonisolated private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
  nonisolated private static func length(_ month: Int, _ year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  nonisolated static func microseconds(_ bytes: [UInt8]) -> Int64 {
    let day = days(Int(bytes[0]) | Int(bytes[1]) << 8, Int(bytes[2]), Int(bytes[3]))
    let seconds = day * 86_400 + Int64(bytes[4]) * 3600 + Int64(bytes[5]) * 60 + Int64(bytes[6])
    return seconds * 1_000_000 + Int64(bytes[8]) * 1_000_000 / 256
  }

  nonisolated static func clock(_ microseconds: Int64) -> [UInt8] {
    var days = microseconds / 86_400_000_000
    let rest = microseconds % 86_400_000_000
    var year = 1970
    while days >= (isLeap(year) ? 366 : 365) {
      days -= isLeap(year) ? 366 : 365
      year += 1
    }
    var month = 1
    while days >= length(month, year) {
      days -= Int64(length(month, year))
      month += 1
    }
    let seconds = rest / 1_000_000
    let fraction = UInt8(rest % 1_000_000 * 256 / 1_000_000)
    return [UInt8(year & 0xFF), UInt8(year >> 8), UInt8(month), UInt8(days + 1), UInt8(seconds / 3600)]
      + [UInt8(seconds / 60 % 60), UInt8(seconds % 60), 0, fraction, 0]
  }
}
