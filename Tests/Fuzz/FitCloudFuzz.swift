// libFuzzer harness: frames, messages and values of FitCloud's bands, and the records of their history. Compiled
// together with Sources/Drivers/FitCloud by ./run.

import Bands
import Bluetooth
import Health
import Wearable

/// The first byte chooses a reader (2 bits) and the size of pieces, or which value or history it is (6 bits).
public func fuzzFitCloud(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let rest = RawBytes(rebasing: bytes.dropFirst())
  switch choice >> 6 {
  case 0: frames(Array(rest), pieceSize(choice, rest.count))
  case 1: history(rest, Int(choice & 63))
  case 2: value(Array(rest), Int(choice & 63))
  default: carried(rest, pieceSize(choice, rest.count))
  }
  return 0
}

/// As the choice says, but no more than 64 pieces. In a long input single bytes show the same as in a short one, and
/// take most of the time.
private func pieceSize(_ choice: UInt8, _ count: Int) -> Int { max(1, Int(choice & 63), count >> 6) }

private func frames(_ content: [UInt8], _ size: Int) {
  var receiver = FitCloudReceiver()
  var offset = 0
  while offset < content.count {
    let piece = content[offset..<min(offset + size, content.count)]
    offset += size
    for event in receiver.take(piece) {
      switch event {
      case .answer(let answer): precondition(answer.count == FitCloudFrame.headerSize)
      case .message(let message):
        precondition(FitCloudMessage(message.command, version: message.version, message.items) != nil)
      case .acknowledged, .repeated, .odd: break
      }
    }
  }
  precondition(receiver.skipped <= content.count)
}

/// A single reader of values, as each stands alone: an item holds what `frames` reads of it, whatever its reader is.
private func value(_ value: [UInt8], _ choice: Int) {
  let generation: FitCloudGeneration = choice & 32 == 0 ? .old : .new
  switch choice % 8 {
  case 0:
    if let information = FitCloudInformation(value, generation) { _ = (information.firmware, information.features.all) }
  case 1:
    if let live = FitCloudLiveValues(value, generation) {
      precondition(live.value(of: .heartRate) == nil || !live.isEmpty(.heartRate))
    }
  case 2:
    if let order = FitCloudLiveOrder(value) { precondition(order.bytes == value) }
  case 3:
    if let profile = FitCloudProfile(value) { precondition(FitCloudProfile(profile.bytes) == profile) }
  case 4:
    if let monitor = FitCloudMonitor(value) { precondition(monitor.bytes == value) }
  case 5:
    if let battery = FitCloudBattery(value) { precondition((0...100).contains(battery.percent)) }
  case 6: _ = (FitCloudTotals(value), FitCloudResult(value))
  default:
    guard value.count == 4, let time = FitCloudTime.microseconds(value.reduce(0) { $0 << 8 | UInt32($1) }) else {
      return
    }
    precondition(FitCloudTime.bytes(time) == value)
  }
}

private final class Counter: ItemSink {
  private(set) var count = 0

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    precondition(values.count == series.layout.valueCount)
    count += 1
  }
  func noteAnomaly(_ what: StaticString) {}
}

private func history(_ raw: RawBytes, _ choice: Int) {
  let kind = HistoryKind.all[choice % HistoryKind.all.count]
  _ = try? HistoryHead(raw)
  guard let size = kind.itemSize else { return }
  let reading = HistoryReading(kind)
  let head = HistoryHead(code: kind.type, choice > 31 ? .old : .new, shown: 1_795_255_200_000_000, isSure: true)
  let counter = Counter()
  var cursor = HistoryCursor(itemSize: size)
  var placing = HistoryPlacing(ClockEras(), kind, code: kind.type, fetched: 1_795_255_200_000_000)
  while let item = cursor.nextSound(raw) { reading.decode(item, head, placing.place(item), into: counter) }
  precondition(counter.count <= 2 * raw.count)
  precondition(cursor.offset == raw.count)
  precondition(!HistoryCursor.fits(raw, itemSize: size) || cursor.unread == 0)
  var eras = ClockEras()
  eras.begin(ahead: 3_600_000_000, at: 1_795_200_000_000_000)
  eras.taken(at: 1_795_200_000_000_000)
  eras = HistoryEvidence.eras(
    eras, in: raw, kind, code: kind.type, fetched: 1_795_255_200_000_000,
    set: 1_795_255_190_000_000...1_795_255_190_100_000)
  _ = HistorySurvey(raw, kind, HistoryPlacing(eras, kind, code: kind.type, fetched: 1_795_255_200_000_000)).span
}

/// What is sent in pieces comes together again.
private func carried(_ content: RawBytes, _ size: Int) {
  let value = Array(content.prefix(FitCloudFrame.payloadLimit - 5))
  let item = FitCloudItem(.syncData, value)
  let bytes = FitCloudFrame(7, .data(item.payload)).bytes
  var receiver = FitCloudReceiver()
  var messages: [FitCloudMessage] = []
  var offset = 0
  while offset < bytes.count {
    for case .message(let message) in receiver.take(bytes[offset..<min(offset + size, bytes.count)]) {
      messages.append(message)
    }
    offset += size
  }
  precondition(messages.count == 1 && messages[0].items.first?.value == value)
}
