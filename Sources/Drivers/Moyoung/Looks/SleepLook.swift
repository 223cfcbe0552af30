// Look at the sleep of one date: the stages that have ended, and which of them are stored. Pure.

import Bluetooth
import CivilTime
import Health
import Wearable

/// Look at one answer 50, or 51 about sleep.
///
///     0-6    head
///     7-8    date on which the night ended, days since 1970
///     9-10   number of stages that are stored already
///     11…    entries, as the band sent them
///
/// A stage is stored when the next one has begun: until then its length is unknown.
struct SleepLook: MoyoungLook {
  let head: LookHead
  let day: UInt16
  let stored: UInt16
  let night: SleepNight
  /// Seconds of the sleep day; nil for entries that are no night.
  private let seconds: [Int64]?

  static let domain = "sleep"
  private static let progressLayout: UInt8 = 1

  /// nil for a day that cannot be encoded.
  init?(_ night: SleepNight, day: Int64, readAt: Int64, isSure: Bool, isOver: Bool, known: [UInt8]) {
    guard day > 0, let number = UInt16(exactly: day), let at = UInt32(exactly: readAt) else { return nil }
    let before = Self.progress(known)
    var marks: LookHead.Marks = isSure ? [] : .unsure
    if isOver { marks.insert(.dayIsOver) }
    var stored = before?.count ?? 0
    if let before, before.digest != Self.digest(night, before.count) {
      // The band recomputed the night: the whole night is stored again. For one time the later stage counts.
      stored = 0
      marks.insert(.again)
    }
    (self.day, self.stored, self.night) = (number, stored, night)
    head = LookHead(.sleep, marks, readAt: at)
    seconds = try? night.seconds()
  }

  init(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    head = try LookHead(&reader, .sleep)
    guard let day = reader.u16(), let stored = reader.u16() else { throw .cut("sleep without its date") }
    // A night begins on the evening before its date.
    guard day > 0 else { throw .malformed("the night before the first day") }
    guard reader.remaining % SleepEntry.size == 0 else { throw .malformed("a part of an entry") }
    let night = SleepNight(Array(reader.rest()))
    (self.day, self.stored, self.night) = (day, stored, night)
    do throws(SleepNight.Defect) { seconds = try night.seconds() } catch {
      throw .malformed(error == .time ? "an invalid time of day" : "a stage that begins before the one before it")
    }
  }

  var bytes: [UInt8] {
    var bytes = head.bytes
    bytes.append(littleEndian: day)
    bytes.append(littleEndian: stored)
    return bytes + night.bytes
  }

  /// `sleep/2026-11-25`
  static func name(_ day: Int64) -> String { "\(domain)/\(LocalDate(dayNumber: day).text)" }

  var name: String { Self.name(Int64(day)) }
  var begins: Int64 { SleepNight.begin(of: Int64(day)) }
  var mark: String { LookDigest(night.bytes).mark }
  var isWhole: Bool { head.marks.contains(.dayIsOver) }
  var summary: String { "\(count) stages of sleep" }

  private struct Stage {
    let begin, length, stage: Int64
  }

  /// New stages: those that have ended.
  private var stages: [Stage] {
    guard let seconds, seconds.count > 1 else { return [] }
    return (0..<(seconds.count - 1)).compactMap { place in
      let (begin, end) = (begins + seconds[place], begins + seconds[place + 1])
      guard place >= Int(stored), end > begin, end <= head.latest else { return nil }
      return Stage(begin: begin, length: end - begin, stage: night.entries[place].series)
    }
  }

  var count: Int { stages.count }
  var future: Int { (seconds ?? []).count { begins + $0 > head.latest } }
  /// Whether the entries are unreadable; reported during verification.
  var isOdd: Bool { seconds == nil }
  /// Unreadable entries are stored unchanged.
  var isNews: Bool { isOdd }

  /// Digest of the first stages, and of the begin of the stage after them.
  private static func digest(_ night: SleepNight, _ count: UInt16) -> UInt32 {
    LookDigest(SleepNight(entries: Array(night.entries.prefix(Int(count) + 1))).bytes).folded
  }

  /// Number and digest of the stored stages.
  ///
  ///     0     layout, 1
  ///     1-2   stages
  ///     3-6   digest
  var progress: [UInt8] {
    let ended = (seconds ?? []).count { begins + $0 <= head.latest }
    let count = max(stored, UInt16(clamping: max(0, ended - 1)))
    var bytes = [Self.progressLayout]
    bytes.append(littleEndian: count)
    bytes.append(littleEndian: Self.digest(night, count))
    return bytes
  }

  /// Whether a night begins with the stored stages: with two or more, or with the single one that it has. No other
  /// night does.
  static func isStored(_ night: SleepNight, _ bytes: [UInt8]) -> Bool {
    guard let known = progress(bytes), known.count > 0, night.entries.count > Int(known.count),
      known.count >= leastStages || night.entries.count == Int(known.count) + 1
    else { return false }
    return digest(night, known.count) == known.digest
  }
  private static let leastStages: UInt16 = 2

  static func progress(_ bytes: [UInt8]) -> (count: UInt16, digest: UInt32)? {
    guard bytes.count == 7, bytes[0] == progressLayout else { return nil }
    return bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      reader.skip(1)
      guard let count = reader.u16(), let digest = reader.u32() else { return nil }
      return (count, digest)
    }
  }

  func append(to sink: any ItemSink) {
    for stage in stages {
      sink.append(
        .sleepStage, [stage.length * 1_000_000, stage.stage], bytes: [], at: stage.begin * 1_000_000, kind: .normal,
        isManual: false)
    }
    if future > 0 { sink.noteAnomaly("sleep of a time that had not come, left for later") }
  }
}

extension SleepNight {
  init(entries: [SleepEntry]) { self.entries = entries }
}
