// Measurements of vital signs as documents, from the records that the store keeps of them.

public import CivilTime
public import EventLoop
public import Export
import Health
public import HubProtocol
public import Reasons
public import RingStore
public import Vitals

/// A checked request of a call or a command.
public struct MeasurementRequest: Sendable {
  /// Limit of measurements in one answer: with some 30 results 6 KB each.
  public static let limit = 200
  /// The limit with intervals: up to 1,000 of 30 bytes each.
  public static let limitWithIntervals = 50
  /// Measurements of an answer unless another number is requested.
  public static let usual = 20
  /// Limit of records to search, of each wearable: the newest, including those of efforts and of other persons.
  public static let searched = 1000

  /// Wearable or person.
  public let subject: ItemSubject
  /// Maximum number of measurements of the answer.
  public let limit: Int
  /// True if intervals are part of the answer.
  public let withIntervals: Bool
  /// nil: a wearable.
  public let wearer: WearerID?
  private var found: [(sample: StoredSample, record: MeasurementRecord)] = []
  private var unreadable = 0

  /// - Throws: `noSuchWearable`; `controlBadParameter` for more than an answer can hold.
  public init(
    _ name: String, _ records: [WearableRecord], _ names: SampleExport, limit: Int?, withIntervals: Bool
  ) throws(HearthError) {
    let most = withIntervals ? Self.limitWithIntervals : Self.limit
    let limit = limit ?? Self.usual
    guard (1...most).contains(limit) else {
      throw HearthError(.controlBadParameter, "1 to \(most) measurements are given at once, not \(limit)")
    }
    subject = try ItemSubject(name, records, names)
    wearer = subject.wearer == nil ? nil : names.number(ofWearer: name)
    self.limit = limit
    self.withIntervals = withIntervals
  }

  /// Wearables to search: a person may be measured with a wearable of another wearer, or without a wearer.
  public func wearables(_ rings: [RingStatus]) -> [WearableID] {
    let worn = subject.sources.map(\.wearable)
    if wearer == nil { return worn }
    let measured = rings.filter { $0.id.seriesNumber == Series.measurement.id }.map(\.id.wearable)
    return Set(worn + measured).sorted()
  }

  /// Number of records to read of each.
  public var count: Int { Self.searched }

  /// Takes the records of one wearable.
  public mutating func add(_ samples: [StoredSample], _ names: SampleExport) {
    for sample in samples where sample.values.first != TrainingRecord.kind {
      guard sample.values.first == MeasurementRecord.kind, let record = try? MeasurementRecord(bytes: sample.bytes)
      else {
        // The person is unknown.
        if wearer == nil || isWorn(at: sample) { unreadable += 1 }
        continue
      }
      if wants(sample, record, names) { found.append((sample, record)) }
    }
    found.sort {
      ($0.sample.time, $0.sample.wearable, $0.sample.ordinal) < ($1.sample.time, $1.sample.wearable, $1.sample.ordinal)
    }
    if found.count > limit { found.removeFirst(found.count - limit) }
  }

  /// Whether the record belongs to the person: it names the person, or it names no person and the wearable was on that
  /// person.
  private func wants(_ sample: StoredSample, _ record: MeasurementRecord, _ names: SampleExport) -> Bool {
    guard let wearer else { return true }
    if record.person.isEmpty { return isWorn(at: sample) }
    return record.person == "\(wearer.number)" || record.person == names.wearer(wearer)
  }

  private func isWorn(at sample: StoredSample) -> Bool {
    let time = sample.time.microseconds
    return subject.sources.contains { source in
      source.wearable == sample.wearable && source.stretches?.contains { $0.contains(time) } ?? true
    }
  }

  /// The results, ascending by time.
  public var samples: [StoredSample] { found.map(\.sample) }

  /// People that the records name by number.
  public func people(_ names: SampleExport) -> Set<WearerID> {
    Set(found.compactMap { UInt32($0.record.person) }.map { WearerID(number: $0) }.filter { names.wearer($0) != nil })
  }

  /// Document of all measurements found.
  public func document(_ zone: TimeZoneRules, _ names: SampleExport) -> VitalsRecordsDocument {
    VitalsRecordsDocument(
      name: subject.name, zone: zone.name,
      records: found.map {
        VitalsRecordDocument($0.record, of: $0.sample.wearable, at: $0.sample.time, names, withIntervals: withIntervals)
      }, unreadable: unreadable)
  }
}

extension VitalsRecordDocument {
  /// - Parameters:
  ///   - wearable: its present name is used; nil: the name at that time.
  ///   - time: time of the item, which determines the person; nil: the start.
  public init(
    _ record: MeasurementRecord, of wearable: WearableID? = nil, at time: WallTime? = nil, _ names: SampleExport,
    withIntervals: Bool = false
  ) {
    let start = WallTime(microseconds: record.start)
    let at = time ?? start
    let end = EndWords(record.endReason)
    self.init(
      session: record.session, number: Int(record.number), device: wearable.map { names.name(of: $0) } ?? record.device,
      person: Self.person(record.person, names),
      wearer: wearable.flatMap { names.wearers(of: $0, from: at, to: at).first }, basis: .init(record.basis.name),
      start: start.rfc3339, end: WallTime(microseconds: record.end).rfc3339, requestedS: record.requested.inSeconds,
      actualS: record.actual.inSeconds, endedBy: .init(end.word), code: end.code.map { Int($0.rawValue) },
      sentence: end.code?.sentence, artefactShare: record.artefactShare, coverage: record.coverage,
      gaps: record.gaps.map { Gap(startS: $0.start.inSeconds, lengthS: $0.length.inSeconds) },
      intervals: record.intervals.count,
      intervalList: withIntervals ? record.intervals.map { Interval($0) } : nil, leftOut: Int(record.leftOut),
      results: record.results.map { VitalValueDocument($0) },
      notReported: record.notReported.map { VitalMissingDocument(name: $0.name, reason: $0.reason) })
  }

  /// The present name; nil for the number of an erased person.
  private static func person(_ text: String, _ names: SampleExport) -> String? {
    if text.isEmpty { return nil }
    guard let number = UInt32(text) else { return text }
    return names.wearer(WearerID(number: number))
  }

  private struct EndWords {
    var word: String
    var code: SessionCode?

    init(_ end: MeasurementEnd) {
      switch end {
      case .duration: word = "duration"
      case .stop: word = "stop"
      case .terminated: word = "terminated"
      case .error(let code): (word, self.code) = ("error", code)
      }
    }
  }
}

extension VitalsRecordDocument.Interval {
  init(_ interval: RecordedInterval) {
    let flags: [(RecordedInterval.Flags, String)] = [
      (.beginsStretch, "begins_stretch"), (.dropped, "dropped"), (.uncertain, "uncertain"), (.ectopic, "ectopic"),
      (.missed, "missed"), (.extra, "extra"), (.longOrShort, "long_or_short"),
    ]
    self.init(
      ms: Double(interval.microseconds) / 1000,
      flags: flags.filter { interval.flags.contains($0.0) }.map(\.1))
  }
}

extension VitalValueDocument {
  /// Converts a result with its flags.
  public init(_ result: VitalResult) {
    let flags: [(VitalResult.Flags, String)] = [
      (.shortWindow, "window_short"), (.optical, "optical"), (.highBandUnreliable, "hf_unreliable"),
      (.extrapolated, "extrapolated"), (.passedThrough, "passed_through"), (.corrected, "corrected"),
      (.wrist, "wrist"),
    ]
    let isNamed = !result.text.isEmpty
    self.init(
      name: result.name, value: isNamed ? nil : result.value, text: isNamed ? result.text : nil, unit: result.unit,
      confidence: result.confidence.name, windowS: result.windowSeconds, method: result.method,
      flags: flags.filter { result.flags.contains($0.0) }.map(\.1))
  }
}

extension Int64 {
  /// Microseconds.
  fileprivate var inSeconds: Double { Double(self) / 1_000_000 }
}
