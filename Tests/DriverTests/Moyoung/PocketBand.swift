// A band of the family as few lines as a visit needs: no radio, no loop. Written from the tables of Wire/NOTES.md; it
// shares no line with the driver.

import Bluetooth
import EventLoop
import Wearable

@testable import DriverTestSupport

@LoopActor
final class PocketBand: LinkPeer {
  /// Seconds that its clock is ahead of the hub's wall clock in Greenwich.
  var ahead: Int64 = 0
  var maker: String? = "MOYOUNG-V2"
  var isWide = true
  /// 288 a day, by day number of its own clock.
  var rates: [Int64: [UInt8]] = [:]
  /// Steps, metres, kilocalories, by day number.
  var totals: [Int64: (Int, Int, Int)] = [:]
  /// By the date on which a night ends.
  var nights: [Int64: [[UInt8]]] = [:]
  /// 1440 of today.
  var minutes = [UInt8](repeating: 0, count: 1440)
  /// 24 bytes each.
  var trainings: [[UInt8]] = []
  /// Payloads of 52 that it has to tell: it begins when its clock is set, or by `tellTraining`. An empty one is lost.
  var parts: [[UInt8]] = []
  var interval: UInt8 = 2
  var takesIntervals = true
  /// Of answers 53: this one never comes, or not so many times.
  var lost: UInt8?
  var lostTimes = Int.max
  /// Commands that it does not know.
  var mute: Set<UInt8> = []
  /// As the vendor's names say: the first argument is yesterday.
  var isNamed = false
  /// Commands that were answered, in order, and all that came.
  private(set) var requests: [(command: UInt8, payload: [UInt8])] = []
  private(set) var timesSet: [[UInt8]] = []
  private(set) var users: [[UInt8]] = []
  /// The result of a measurement, and after how long, s; nil: no result ever.
  var result: (value: UInt8, after: Int64)?
  private var due: (command: UInt8, value: UInt8, at: Int64)?
  private(set) var stops = 0
  /// Called before its clock is set.
  var onSetting: (() -> Void)?
  /// The link ends when it has set its clock.
  var endsWithTime = false
  /// Sent before each answer.
  var noise: [[UInt8]] = []
  private weak var current: ScriptedLink?

  init() {}

  var link: ScriptedLink {
    let link = ScriptedLink(self)
    current = link
    return link
  }

  let database = GATTDatabase.made(of: [
    GATTServiceDefinition(
      0xFEEA,
      [
        GATTCharacteristicDefinition(0xFEE1, [.read, .notify]),
        GATTCharacteristicDefinition(0xFEE2, .writeWithoutResponse), GATTCharacteristicDefinition(0xFEE3, .notify),
      ]),
    GATTServiceDefinition(0x180F, [GATTCharacteristicDefinition(0x2A19, [.read, .notify])]),
    GATTServiceDefinition(0x180A, [GATTCharacteristicDefinition(0x2A29, .read)]),
  ])

  /// Seconds since 1970 as its clock shows them.
  var shown: Int64 { (current?.hubTime.wall.microseconds ?? 0) / 1_000_000 + ahead }
  var today: Int64 { shown / 86_400 }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    switch characteristic.uuid {
    case 0xFEE1: return Self.triple(totals[today] ?? (0, 0, 0))
    case 0x2A19: return [77]
    case 0x2A29:
      guard let maker else { throw .refused(.readNotPermitted, what: "reading") }
      return Array(maker.utf8)
    default: throw .refused(.readNotPermitted, what: "reading")
    }
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    throw .refused(.writeNotPermitted, what: "writing")
  }

  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    guard value.count >= 5, value[0] == 0xFE, value[1] == 0xEA else { return }
    answer(value[4], Array(value[5...]))
    if endsWithTime, value[4] == 49 { throw .link(.closed(.linkLost)) }
  }

  func settled(_ duration: Duration) {
    guard let due, (current?.now ?? 0) >= due.at else { return }
    self.due = nil
    tell(due.command, [due.value])
  }

  private func answer(_ command: UInt8, _ payload: [UInt8]) {
    requests.append((command, payload))
    if mute.contains(command) { return }
    for value in noise { notify(value) }
    switch command {
    case 49:
      onSetting?()
      timesSet.append(payload)
      let wire = payload.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
      ahead += wire + 28_800 - shown
      tellTraining()
    case 18: users.append(payload)
    case 31: if takesIntervals { interval = payload[0] }
    case 46: tell(46, [1])
    case 47: tell(47, [interval])
    case 50: tell(50, (nights[today] ?? []).flatMap { $0 })
    case 51:
      let daysAgo: Int64 = (payload[0] % 2 == 0) != isNamed ? 1 : 2
      let day = today - daysAgo
      tell(51, payload + (payload[0] < 3 ? Self.triple(totals[day] ?? (0, 0, 0)) : (nights[day] ?? []).flatMap { $0 }))
    case 52: tellTraining()
    case 53:
      if payload[0] == lost, lostTimes > 0 {
        lostTimes -= 1
        break
      }
      let day = today - Int64(payload[0] / 4)
      let all = rates[day] ?? [UInt8](repeating: 0, count: 288)
      tell(53, payload + all[(Int(payload[0] % 4) * 72)...].prefix(72))
    case 54: tell(54, payload + minutes[(Int(payload[0]) * 72)...].prefix(72))
    case 55: tell(55, trainings.flatMap { $0 } + [UInt8](repeating: 0, count: 24 * (3 - trainings.count)))
    case 107, 109:
      if payload.first == 0xFF {
        stops += 1
        due = nil
        tell(command, [0])
      } else if let result {
        due = (command, result.value, (current?.now ?? 0) + result.after * 1_000_000_000)
      }
    default: break
    }
  }

  /// Sends the next rates of a training.
  func tellTraining() {
    guard !parts.isEmpty else { return }
    let part = parts.removeFirst()
    if !part.isEmpty { tell(52, part) }
  }

  func tell(_ command: UInt8, _ payload: [UInt8]) {
    let length = 5 + payload.count
    let head: [UInt8] = [0xFE, 0xEA, isWide ? 0x20 + UInt8(length >> 8) : 0x10, UInt8(length & 0xFF), command]
    let bytes = head + payload
    var place = 0
    while place < bytes.count {
      let end = min(bytes.count, place + 20)
      notify(Array(bytes[place..<end]))
      place = end
    }
  }

  func notify(_ value: [UInt8]) {
    guard let answer = database.characteristic(0xFEE3, in: 0xFEEA) else { return }
    current?.notify(answer, value)
  }

  nonisolated static func triple(_ totals: (Int, Int, Int)) -> [UInt8] {
    [totals.0, totals.1, totals.2].flatMap { number in (0..<3).map { UInt8(number >> (8 * $0) & 0xFF) } }
  }

  /// - Parameter begin: as its clock shows it.
  nonisolated static func training(_ begin: Int64, minutes: Int64, type: UInt8 = 1) -> [UInt8] {
    func word(_ value: Int64) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * Int64($0)) & 0xFF) } }
    let seconds = minutes * 60
    return word(begin - 28_800) + word(begin - 28_800 + seconds) + [
      UInt8(seconds & 0xFF), UInt8(seconds >> 8), 0, type,
    ]
      + word(2500) + word(1800) + [200, 0, 0, 0]
  }

  /// First part, a further one for each, and the end.
  nonisolated static func ratesOfTraining(_ begin: Int64, _ rates: [[UInt8]]) -> [[UInt8]] {
    let wire = begin - 28_800
    let word = (0..<4).map { UInt8(wire >> (8 * Int64($0)) & 0xFF) }
    return [[0] + word + (rates.first ?? [])] + rates.dropFirst().map { [1] + $0 } + [[2]]
  }
}
