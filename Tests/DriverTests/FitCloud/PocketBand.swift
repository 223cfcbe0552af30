// The smallest band that a session can visit. It has keys of one generation, histories that it keeps until the hub
// confirms them, and faults that a test switches on.

import Bands
import CivilTime
import EventLoop
import Health
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import FitCloudFamily

@LoopActor
final class PocketBand: LinkPeer {
  let database: GATTDatabase
  private(set) lazy var link = ScriptedLink(self)
  let generation: FitCloudGeneration

  /// Transfers by type. A type that is not here is empty, and one of `deaf` gets no answer.
  var histories: [UInt8: [UInt8]] = [:]
  var deaf: Set<UInt8> = []
  var features: UInt32 = 1 << 0 | 1 << 1 | 1 << 6 | 1 << 13 | 1 << 22
  /// Codes of bind, login and unbind.
  var result: UInt8 = 0
  /// Of login alone; nil: as of the others.
  var loginResult: UInt8?
  var battery: [UInt8]? = [80, 1]
  var monitors: [UInt8: [UInt8]] = [1: [1, 0, 0, 5, 160, 0, 10], 2: [0, 0, 0, 5, 160, 0, 30]]
  var totals: [UInt8]? = Array(hexadecimal: "000020E50000177C00053408000000600000012D00000047")
  /// True if there is a key for each type.
  var hasTypes = true
  /// Keys that it takes and does not reply to.
  var mute: Set<FitCloudKey> = []
  /// Identifies itself on the older question, as the older ones do.
  var repliesAsOld = false
  /// Accepts a monitor and keeps its own.
  var ignoresMonitors = false
  /// Bytes that a later band of the old generation appends to all its settings.
  var moreSettings = 0
  /// Continues as if it had not received that a transfer is complete.
  var ignoresVerdict = false
  /// Added to the count that ends a transfer, so many times.
  var miscounts = 0
  /// Frames of it that come damaged before one comes sound.
  var damaged = 0
  /// Frames of the hub that it does not acknowledge.
  var unheard = 0
  /// The first frame with this key is lost.
  var unheardKey: FitCloudKey?
  /// Frames that it says twice.
  var stammers = false
  /// Live values that it sends, one a second; nil: no values.
  var live: (() -> [UInt8]?)?
  /// Seconds between two of them; 0: no measurement.
  private(set) var measuring = 0
  private var measuredAt: Int64 = 0
  /// Bytes of a notification.
  var pieceSize = 20
  /// Answers every frame with these bytes instead.
  var stranger: [UInt8]?

  /// What it was asked, in order.
  private(set) var asked: [FitCloudItem] = []
  /// Numbers of its frames that the hub acknowledged, and of those it refused.
  private(set) var acknowledged: [UInt16] = []
  private(set) var refused: [UInt16] = []
  private(set) var verdicts: [UInt8] = []
  private(set) var clock: Int64?
  private(set) var profile: [UInt8]?
  /// Type of the last transfer, and its bytes.
  private var pending: (type: UInt8, sent: Int)?
  private var receiver = FitCloudReceiver()
  private var sequence: UInt16 = 1

  init(_ generation: FitCloudGeneration = .new) {
    self.generation = generation
    let properties: GATTProperties = generation == .old ? .write : [.write, .writeWithoutResponse]
    database = .made(of: [
      GATTServiceDefinition(
        Band.service,
        [
          GATTCharacteristicDefinition(Band.command, properties), GATTCharacteristicDefinition(Band.answer, .notify),
        ])
    ])
  }

  /// Everything that it keeps.
  var held: [UInt8] { histories.sorted { $0.key < $1.key }.flatMap { [$0.key] + $0.value } }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] { [] }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) { hear(value) }
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) { hear(value) }

  func settled(_ duration: Duration) {
    guard measuring > 0, let live else { return }
    while link.now - measuredAt >= Int64(measuring) * 1_000_000_000 {
      measuredAt += Int64(measuring) * 1_000_000_000
      if let value = live() { say(FitCloudItem(FitCloudQuestion.live(generation).reply, value)) }
    }
  }

  // MARK: Speaking

  /// Takes its notifications instead of the scripted link.
  var carry: (([UInt8]) -> Void)?

  private func notify(_ bytes: [UInt8]) {
    if let carry {
      var rest = bytes[...]
      while !rest.isEmpty {
        carry(Array(rest.prefix(pieceSize)))
        rest = rest.dropFirst(pieceSize)
      }
      return
    }
    guard let answers = database.characteristic(Band.answer, in: Band.service) else { return }
    var begin = 0
    while begin < bytes.count {
      link.notify(answers, Array(bytes[begin...].prefix(pieceSize)))
      begin += pieceSize
    }
  }

  /// A frame of its own.
  func say(_ item: FitCloudItem) {
    var bytes = FitCloudFrame(sequence, .data(item.payload)).bytes
    let sound = bytes
    if damaged > 0 {
      damaged -= 1
      bytes[bytes.count - 1] ^= 1
      notify(bytes)
    }
    notify(sound)
    if stammers { notify(sound) }
    sequence &+= 1
  }

  func notifyRaw(_ bytes: [UInt8]) { notify(bytes) }

  // MARK: Hearing

  /// A link ended: the next one begins again.
  func forgetLink() { (receiver, sequence, pending) = (FitCloudReceiver(), 1, nil) }

  func hear(_ piece: [UInt8]) {
    let events = receiver.take(piece)
    for event in events {
      switch event {
      case .acknowledged(let number, let isError):
        if isError { refused.append(number) } else { acknowledged.append(number) }
      case .answer(let bytes):
        if let stranger { return notify(stranger) }
        if let key = unheardKey, isAsked(key, events) {
          unheardKey = nil
          receiver = FitCloudReceiver()
          return
        }
        if unheard > 0 {
          unheard -= 1
          // What was not heard is not remembered either.
          receiver = FitCloudReceiver()
          return
        }
        notify(bytes)
      case .message(let message):
        for item in message.items { take(FitCloudItem(FitCloudKey(message.command, item.key), item.value)) }
      case .repeated, .odd: break
      }
    }
  }

  private func isAsked(_ key: FitCloudKey, _ events: [FitCloudReceiver.Event]) -> Bool {
    events.contains { event in
      guard case .message(let message) = event else { return false }
      return message.command == key.command && message.items.contains { $0.key == key.key }
    }
  }

  private func take(_ item: FitCloudItem) {
    asked.append(item)
    if mute.contains(item.id) { return }
    func reply(_ question: FitCloudQuestion, _ value: [UInt8]?) {
      if item.id == question.ask, let value { say(FitCloudItem(question.reply, value)) }
    }
    for question in [FitCloudQuestion.bind(generation), .unbind(generation)] { reply(question, [result]) }
    reply(.login(generation), [loginResult ?? result])
    reply(.battery(generation), battery)
    let information: [UInt8] =
      [0, 0, 0, 0, 0x12, 0x34] + (0..<4).map { UInt8(truncatingIfNeeded: features >> (24 - 8 * $0)) }
      + [UInt8](repeating: 1, count: 22)
    reply(.information(generation), information)
    if repliesAsOld { reply(.information(.old), information) }
    reply(.totals, totals)
    monitor(item)
    sync(item)
    switch item.id {
    case .setTime: clock = FitCloudTime.microseconds(item.value.reduce(0) { $0 << 8 | UInt32($1) })
    case .setProfile where generation == .old: profile = item.value
    case FitCloudQuestion.live(generation).ask:
      guard let order = FitCloudLiveOrder(item.value) else { return }
      (measuring, measuredAt) = (order.mask == 0 ? 0 : Int(order.interval), link.now)
    default: break
    }
  }

  private func monitor(_ item: FitCloudItem) {
    if generation == .old {
      if item.id == .setOldMonitor, !ignoresMonitors { monitors[1] = item.value }
      if item.id == .allSettingsRequest {
        let value = [UInt8](repeating: 0, count: 40) + (monitors[1]?.prefix(5) ?? []) + [UInt8](repeating: 0, count: 8)
        say(FitCloudItem(.allSettings, value + [UInt8](repeating: 0xFF, count: moreSettings)))
      }
      return
    }
    if hasTypes, let type = item.value.first {
      if item.id == .setTypeMonitor, !ignoresMonitors { monitors[type] = Array(item.value.dropFirst()) }
      if item.id == .typeMonitorRequest { say(FitCloudItem(.typeMonitor, [type] + (monitors[type] ?? []))) }
    }
    if item.id == .setMonitor, !ignoresMonitors { monitors[1] = item.value }
    if item.id == .monitorRequest { say(FitCloudItem(.monitor, monitors[1] ?? [])) }
  }

  private func sync(_ item: FitCloudItem) {
    if item.id == .syncVerdict, let code = item.value.first {
      verdicts.append(code)
      if code == 0, let pending, !ignoresVerdict {
        // What came since was not sent.
        let left = Array((histories[pending.type] ?? []).dropFirst(pending.sent))
        histories[pending.type] = left.isEmpty ? nil : left
      }
      pending = nil
    }
    guard item.id == .startSync, let type = item.value.first, !deaf.contains(type) else { return }
    let content = histories[type] ?? []
    pending = (type, content.count)
    say(FitCloudItem(.syncStarted))
    var begin = 0
    while begin < content.count {
      say(FitCloudItem(.syncData, Array(content[begin...].prefix(100))))
      begin += 100
    }
    var total = UInt32(content.count)
    if miscounts > 0 {
      miscounts -= 1
      total += 1
    }
    say(FitCloudItem(.syncEnded, (0..<4).map { UInt8(truncatingIfNeeded: total >> (24 - 8 * $0)) }))
  }
}

extension PocketBand {
  /// A record of a history.
  static func record(_ local: String, interval: UInt16, _ items: [UInt8], size: Int = 1) -> [UInt8] {
    guard let time = CivilMoment(text: local) else { return [] }
    let word = FitCloudTime.word(time.microseconds(at: 0)) ?? 0
    let date = UInt16(word >> 26 & 63) << 9 | UInt16(word >> 22 & 15) << 5 | UInt16(word >> 17 & 31)
    let minute = UInt16(time.inDay / 60_000_000)
    return [UInt16(items.count / size), date, minute, interval].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + items
  }
}
