// Transfer as an item of the hub: a head with the circumstances of the fetch, followed by the band's own bytes.

import Bluetooth
import EventLoop
import Health
package import Wearable

/// Head of a stored transfer, with which its bytes can be decoded without the band.
///
///     byte 0   1, the version of this head
///     1        history type of the request, plus 0x80 for values measured by hand
///     2        bit 0: the time that follows is sure; bit 1: of the old generation
///     3        0
///     4-7      time of the fetch, by the clock that the band should show (`FitCloudTime`)
///     8-       records as the band sent them
struct HistoryHead: Sendable, Hashable {
  let code: UInt8
  let generation: FitCloudGeneration
  /// Local time of the fetch, µs; nil: the hub does not know the time.
  let fetched: Int64?
  /// The same, sure or not: the only time that raw bytes have.
  let shown: Int64

  static let size = 8
  private static let version: UInt8 = 1

  init(code: UInt8, _ generation: FitCloudGeneration, shown: Int64, isSure: Bool) {
    (self.code, self.generation, self.shown) = (code, generation, shown)
    fetched = isSure ? shown : nil
  }

  init(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = FitCloudReader(bytes)
    guard let version = reader.u8(), let code = reader.u8(), let flags = reader.u8(), reader.u8() != nil,
      let word = reader.u32()
    else { throw .cut("no head") }
    guard version == Self.version else { throw .unknownVersion("head \(version)") }
    guard let shown = FitCloudTime.microseconds(word) else { throw .malformed("a head of no time") }
    self.init(code: code, flags & 2 != 0 ? .old : .new, shown: shown, isSure: flags & 1 != 0)
  }

  /// nil if the band's format cannot express the time.
  var bytes: [UInt8]? {
    let flags: UInt8 = (fetched != nil ? 1 : 0) | (generation == .old ? 2 : 0)
    return FitCloudTime.bytes(shown).map { [Self.version, code, flags, 0] + $0 }
  }
}

/// Decodes the samples of one transfer, piece by piece.
@LoopActor
final class HistoryPieces: IncrementalDecoder {
  private let reading: HistoryReading
  private let mark: String
  /// State before the first item.
  private let placing: HistoryPlacing
  private let isClockMoved: Bool
  private var verifying: (cursor: HistoryCursor, placing: HistoryPlacing)?
  private var decoding: (cursor: HistoryCursor, placing: HistoryPlacing)?
  private var head: HistoryHead?
  private var isRaw = false
  private var survey = HistorySurvey()

  /// Items per piece: each takes some 100 ns on a PC and 1 µs on the smallest board, so 2 ms.
  private static let step = 2000

  init(_ kind: HistoryKind, mark: String, _ placing: HistoryPlacing, isClockMoved: Bool = false) {
    reading = HistoryReading(kind)
    (self.mark, self.placing, self.isClockMoved) = (mark, placing, isClockMoved)
  }

  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? {
    guard var state = verifying else {
      head = try HistoryHead(bytes)
      survey = HistorySurvey()
      guard let cursor = reading.cursor(bytes) else {
        isRaw = true
        return verdict("\(bytes.count - HistoryHead.size) bytes, kept as they are")
      }
      verifying = (cursor, placing)
      return nil
    }
    for _ in 0..<Self.step {
      guard let item = state.cursor.nextSound(bytes) else {
        verifying = nil
        survey.end(state.cursor)
        if survey.items == 0, survey.unread > 0 { throw .malformed("no record of it can be read") }
        return verdict(survey.summary)
      }
      survey.note(item, &state.placing)
    }
    verifying = state
    return nil
  }

  private func verdict(_ summary: String) -> ItemVerdict {
    var verdict = ItemVerdict(summary: summary, isFinal: true, mark: mark)
    verdict.notices = survey.notices(isClockMoved: isClockMoved)
    // Raw content is already stored whole, as its one sample.
    verdict.keepsBytes = !isRaw
    // Until the verdict "complete" the band sends the same again, together with newer values.
    verdict.mayRepeat = true
    return verdict
  }

  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
    guard let head else { throw .malformed("it was not verified") }
    if isRaw {
      reading.decodeRaw(bytes, head, at: placing.fetched ?? head.shown, into: sink)
      return false
    }
    guard var state = decoding ?? reading.cursor(bytes).map({ (cursor: $0, placing: placing) }) else { return false }
    for _ in 0..<Self.step {
      guard let item = state.cursor.nextSound(bytes) else {
        decoding = nil
        return false
      }
      if reading.kind.isNone(item) {
        reading.noteOdd(item, into: sink)
        continue
      }
      let place = state.placing.place(item)
      if !state.placing.isEarly(place) { reading.decode(item, head, place, into: sink) }
    }
    decoding = state
    return true
  }

  func rewind() { decoding = nil }
}

/// Items by the name of their kind, for benchmarks of their decoding.
package enum HistoryBytes {
  /// nil for an unknown kind.
  @LoopActor
  package static func pieces(_ kind: String) -> (any IncrementalDecoder)? {
    HistoryKind.all.first { $0.id == kind }.map { HistoryPieces($0, mark: "", placing($0)) }
  }

  /// Time span of a transfer, as computed when it has arrived.
  package static func span(_ kind: String, _ bytes: [UInt8]) -> Range<Int64>? {
    guard let kind = HistoryKind.all.first(where: { $0.id == kind }) else { return nil }
    return bytes.withUnsafeBytes { HistorySurvey($0, kind, placing(kind)).span }
  }

  private static func placing(_ kind: HistoryKind) -> HistoryPlacing {
    HistoryPlacing(ClockEras(), kind, code: kind.type, fetched: nil)
  }
}

/// Conversion of one kind's items into samples. Pure.
struct HistoryReading: Sendable {
  let kind: HistoryKind

  /// Largest count of steps per item that the vendor's own program accepts for the old generation.
  static let oldStepLimit: UInt16 = 3000
  /// Maximum number of steps per minute that are possible; for the new generation, with items that may be longer.
  static let stepsPerMinute = 300

  init(_ kind: HistoryKind) { self.kind = kind }

  /// nil if the bytes are stored raw, because their layout is unpublished or another one.
  func cursor(_ bytes: RawBytes) -> HistoryCursor? {
    guard let size = kind.itemSize else { return nil }
    if kind.content == .steps, !HistoryCursor.reads(bytes, itemSize: size, at: HistoryHead.size) { return nil }
    return HistoryCursor(itemSize: size, at: HistoryHead.size)
  }

  /// - Parameter time: time of the fetch, µs of the hub's clock.
  func decodeRaw(_ bytes: RawBytes, _ head: HistoryHead, at time: Int64, into sink: any ItemSink) {
    sink.append(.raw, [Int64(head.code)], bytes: Array(bytes), at: time, kind: .normal, isManual: kind.isManual)
  }

  /// - Parameter item: its value is not 0.
  func decode(
    _ item: HistoryCursor.Item, _ head: HistoryHead, _ place: HistoryPlacing.Place, into sink: any ItemSink
  ) {
    func append(_ series: Series, _ values: [Int64]) {
      sink.append(
        series, values, bytes: [], at: place.time, kind: .normal, isManual: kind.isManual, isTimeSure: place.isSure)
    }
    switch kind.content {
    case .raw: break
    case .values(let series):
      if series == .spo2, item.value > 100 { return sink.noteAnomaly("a saturation above 100 %") }
      append(series, [Int64(item.value)])
    case .pressure:
      let (systolic, diastolic) = (item.value >> 8, item.value & 0xFF)
      if systolic == 0 || diastolic == 0 { return }
      if systolic <= diastolic { return sink.noteAnomaly("an invalid pressure") }
      append(.systolicPressure, [Int64(systolic) * 100])
      append(.diastolicPressure, [Int64(diastolic) * 100])
    case .sleep:
      guard let stage = Self.stage(item.value) else { return sink.noteAnomaly("an invalid stage of sleep") }
      append(.sleepStage, [Int64(item.interval) * 60_000_000, stage])
    case .steps:
      let believed = head.generation == .old ? Int(Self.oldStepLimit) : HistoryKind.mostSteps(item)
      if Int(item.value) > believed { return sink.noteAnomaly(Self.tooManySteps) }
      append(.steps, [Int64(item.interval) * 60_000_000, Int64(item.value)])
    }
  }

  private static let tooManySteps: StaticString = "more steps than are possible"

  /// - Parameter item: not a valid value.
  func noteOdd(_ item: HistoryCursor.Item, into sink: any ItemSink) {
    if item.value > 0 { sink.noteAnomaly(Self.tooManySteps) }
  }

  /// Number of a stage in the hub's series; nil for codes that are not defined.
  static func stage(_ code: UInt16) -> Int64? {
    switch code {
    case 1: 4  // deep
    case 2: 3  // light
    case 3: 1  // awake
    case 4: 2  // REM
    default: nil
    }
  }
}
