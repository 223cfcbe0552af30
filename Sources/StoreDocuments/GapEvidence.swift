// Causes of gaps, as far as durable records show them: the store's rings, the log of visits, events.

public import EventLoop
internal import Health
internal import HubProtocol
internal import Reasons
public import RingStore

/// Evidence for times in which a wearable's values are missing. There are no guesses: a gap without evidence is
/// unknown.
public struct GapEvidence: Sendable {
  /// Order of precedence if several explain the same moment. First values that were stored and are gone, then causes
  /// for all wearables, then for this one.
  enum Kind: Int, Sendable, Comparable {
    case evicted, notEnrolled, byOrder, hubDown, radioDown, noSlot, visitFailed, notRecording, notFetched, charging,
      outOfReach
    case unknown

    static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }

    var name: String {
      switch self {
      case .evicted: "evicted"
      case .notEnrolled: "not_enrolled"
      case .byOrder: "by_order"
      case .hubDown: "hub_down"
      case .radioDown: "radio_down"
      case .noSlot: "no_slot"
      case .visitFailed: "visit_failed"
      case .notRecording: "not_recording"
      case .notFetched: "not_fetched"
      case .charging: "charging"
      case .outOfReach: "out_of_reach"
      case .unknown: "unknown"
      }
    }
  }

  /// A span of time with its cause.
  struct Stretch: Sendable, Equatable {
    var span: Range<Int64>
    var kind: Kind
    var code: String?
    var text: String?
  }

  /// Stretches for live and fetched values: removals, failed visits, and times on the charger.
  private var common: [Stretch] = []
  /// Stretches for values that come only while the hub receives them.
  private var live: [Stretch] = []
  /// Stretches for values that the wearable stores until they are fetched.
  private var fetched: [Stretch] = []
  /// Stretches for single series, by their numbers: a visit found that the wearable does not record them, or they are
  /// not fetched by order.
  private var unrecorded: [(stretch: Stretch, series: Set<UInt16>)] = []
  private var evicted: [RingID: Range<Int64>] = [:]
  /// Newest time of each ring.
  private var newest: [RingID: Int64] = [:]
  private let wearable: WearableID
  /// Time of its enrolment in microseconds since 1970; nil: before the window.
  private var enrolledAt: Int64?

  /// Limit of battery readings to query.
  public static let batteryReadings = BatteryRise.readings

  /// - Parameter battery: the newest readings, ascending.
  public init(
    _ request: CoverageRequest, rings: [RingStatus], events: [StoreEvent], visits: [VisitRecord],
    battery: [StoredSample] = [], now: WallTime
  ) {
    wearable = request.wearable
    let window = request.window
    if let enrolled = request.enrolledAt?.microseconds, enrolled > window.lowerBound {
      // A wearable's memory also holds values from before its enrolment, so the enrolment explains only what no other
      // cause does.
      enrolledAt = enrolled
      live.append(Stretch(span: window.lowerBound..<min(enrolled, window.upperBound), kind: .notEnrolled))
    }
    if let retired = request.retiredAt?.microseconds, retired < window.upperBound {
      common.append(Stretch(span: max(retired, window.lowerBound)..<window.upperBound, kind: .notEnrolled))
    }
    for ring in rings where ring.id.wearable == wearable {
      newest[ring.id] = ring.newest?.microseconds
      if let from = ring.evictedFrom?.microseconds, let to = ring.evictedTo?.microseconds, from <= to, to < .max {
        evicted[ring.id] = from..<(to + 1)
      }
    }
    noteVisits(visits.filter { $0.wearable == request.wearable }, window)
    noteEvents(events, window, before: request.uncollected.reachesBack)
    noteOrders(request.uncollected, window)
    for rise in BatteryRise.all(battery) where rise.span.overlaps(window) {
      let text = "its battery rose from \(rise.from) % to \(rise.to) %"
      common.append(Stretch(span: rise.span.clamped(to: window), kind: .charging, text: text))
    }
    live.removeAll { $0.span.isEmpty }
    common.removeAll { $0.span.isEmpty }
  }

  /// A failed visit explains the time until the wearable was tried again. Later values than the last complete visit are
  /// still on the wearable, if it stores them.
  private mutating func noteVisits(_ visits: [VisitRecord], _ window: Range<Int64>) {
    let ordered = visits.sorted { $0.began < $1.began }
    for (index, visit) in ordered.enumerated() where visit.outcome != 0 {
      guard let reason = Reason(rawValue: visit.outcome) else { continue }
      let next = index + 1 < ordered.count ? ordered[index + 1].began.microseconds : window.upperBound
      let from = max(visit.began.microseconds, window.lowerBound)
      guard from < min(next, window.upperBound) else { continue }
      // The visit names series that the wearable does not record; earlier versions did so only in words.
      let isUnarmed = reason == .recordingNotArmed
      let series = isUnarmed && visit.unrecorded.isEmpty ? Self.unarmed(visit.remark) : Set(visit.unrecorded)
      if !series.isEmpty {
        let span = from..<min(next, window.upperBound)
        let code = Reason.recordingNotArmed.code
        unrecorded.append((Stretch(span: span, kind: .notRecording, code: code, text: visit.remark), series))
      }
      // If that was its only trouble, the visit was complete.
      if isUnarmed { continue }
      common.append(
        Stretch(
          span: from..<min(next, window.upperBound), kind: reason == .slotsFull ? .noSlot : .visitFailed,
          code: reason.code, text: reason.text.sentence))
    }
    let done = ordered.last { $0.ended != nil && $0.laneOutcome == VisitOutcome.done.rawValue && $0.outcome == 0 }
    let from = max(done?.began.microseconds ?? .min, window.lowerBound)
    if from < window.upperBound { fetched.append(Stretch(span: from..<window.upperBound, kind: .notFetched)) }
  }

  /// Series that a visit of an earlier version found unrecorded, by its remark: `band-07 does not record acc,
  /// heart_rate (not while it is charging)`. The wearable's name comes first, and may be that of a series, too.
  private static func unarmed(_ remark: String) -> Set<UInt16> {
    guard let list = remark.split(separator: " does not record ", maxSplits: 1).dropFirst().last else { return [] }
    let words = list.prefix { $0 != "(" }.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    return Set(words.compactMap { Series(name: String($0))?.id })
  }

  /// Series of an event: `band-07: not taken, by order: sleep, steps (sleep_stage, steps)`.
  private static func leftOut(_ text: String) -> Set<UInt16> {
    guard let list = text.split(separator: "(").dropFirst().last else { return [] }
    var words = list.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    // A text that was truncated ends in the middle of a name.
    if !list.hasSuffix(")") { _ = words.popLast() }
    return Set(words.compactMap { Series(name: String($0))?.id })
  }

  /// Notes what was not collected by order, from the wearable's record.
  private mutating func noteOrders(_ uncollected: UncollectedSpans, _ window: Range<Int64>) {
    for span in uncollected.spans {
      let from = max(span.from.microseconds, window.lowerBound)
      let to = min(span.to?.microseconds ?? .max, window.upperBound)
      guard from < to else { continue }
      let reason = span.series == nil ? Reason.collectionPaused : .phasesLeftOut
      let stretch = Stretch(span: from..<to, kind: .byOrder, code: reason.code, text: reason.text.sentence)
      if let series = span.series { unrecorded.append((stretch, Set(series))) } else { common.append(stretch) }
    }
  }

  /// Notes events with a start and an end.
  ///
  /// - Parameter oldest: the wearable's record has no orders from before this time.
  private mutating func noteEvents(_ events: [StoreEvent], _ window: Range<Int64>, before oldest: Int64) {
    // The newest first. Of several without an end, only the newest of its kind, or of its order, can still go on.
    var seen: Set<UInt16> = []
    for event in events {
      guard event.wearable == nil || event.wearable == wearable, let kind = Self.kind(event) else { continue }
      let isNewest = seen.insert(kind == .byOrder ? event.reason : UInt16(kind.rawValue)).inserted
      guard let span = event.stretch(in: window, isGoingOn: isNewest) else { continue }
      let text = event.text.isEmpty ? nil : event.text
      let stretch = Stretch(span: span, kind: kind, code: "H\(event.reason)", text: text)
      switch Reason(rawValue: event.reason) {
      case .collectionPaused: common.append(stretch)
      // The wearable's record names the series, as far as it reaches back.
      case .phasesLeftOut:
        guard span.lowerBound < oldest else { break }
        var stretch = stretch
        stretch.span = span.lowerBound..<min(span.upperBound, oldest)
        unrecorded.append((stretch, Self.leftOut(event.text)))
      default: live.append(stretch)
      }
    }
  }

  private static func kind(_ event: StoreEvent) -> Kind? {
    // A repair of the radio does not show when it was down; H3120 does.
    guard let reason = Reason(rawValue: event.reason), reason != .radioTried else { return nil }
    switch reason.area {
    case "hub": return .hubDown
    case "radio": return .radioDown
    case "order": return .byOrder
    case "link":
      if event.wearable == nil { return nil }
      return reason == .slotsFull ? .noSlot : .outOfReach
    default: return nil
    }
  }

  /// Whether a present wearable should have values of a series: it has some in the window, or had some shortly before.
  ///
  /// - Parameter pieces: its coverage of the parts of the window, at least one.
  func isExpected(_ pieces: [SeriesCoverage], _ window: Range<Int64>) -> Bool {
    if pieces.contains(where: { $0.live.count + $0.fetched.count > 0 }) { return true }
    let latest = pieces.first.flatMap { piece in Way.allCases.compactMap { newest[ring(piece.series, $0)] }.max() }
    let (since, overflow) = window.lowerBound.subtractingReportingOverflow(CoverageRequest.memory)
    return latest.map { $0 >= (overflow ? .min : since) } ?? false
  }

  /// The way (live or fetched) by which most values of a series come; without values in the window, that of the newest.
  func way(of series: Series, _ pieces: [SeriesCoverage]) -> Way {
    let live = pieces.reduce(0) { $0 + $1.live.count }
    let fetched = pieces.reduce(0) { $0 + $1.fetched.count }
    if live + fetched == 0 {
      return newest[ring(series, .fetched)] ?? .min > newest[ring(series, .live)] ?? .min ? .fetched : .live
    }
    return fetched > live ? .fetched : .live
  }

  private func ring(_ series: Series, _ way: Way) -> RingID {
    RingID(wearable: wearable, seriesNumber: series.id, way: way)
  }

  /// The parts of a gap with their causes, ascending and without holes.
  ///
  /// - Parameter tolerance: microseconds that do not count as a gap. An unexplained rest of that length beside an
  ///   explained part belongs to it, as a link is lost some seconds after its last value.
  /// - Parameter beside: times with other values of the same way.
  func causes(of gap: Range<Int64>, _ series: Series, _ way: Way, tolerance: Int64, beside: [Range<Int64>] = [])
    -> [Stretch]
  {
    var known = common + (way == .live ? live : fetched)
    // The wearable recorded other series then, so it did not record this one.
    if way == .fetched { known += beside.map { Stretch(span: $0, kind: .notRecording) } }
    if way == .fetched {
      let own = unrecorded.filter { $0.series.contains(series.id) }.map(\.stretch)
      // A visit that found this series unrecorded failed for the others, not for this one.
      let found = Set(own.filter { $0.kind == .notRecording }.map(\.span))
      known.removeAll { $0.kind == .visitFailed && found.contains($0.span) }
      known += own
    }
    for way in Way.allCases {
      if let span = evicted[ring(series, way)] {
        known.append(Stretch(span: span, kind: .evicted, code: Reason.storeEvicting.code))
      }
    }
    known.removeAll { !$0.span.overlaps(gap) }
    let bounds = known.flatMap { [$0.span.lowerBound, $0.span.upperBound] } + [enrolledAt].compactMap { $0 }
    let edges = Set(bounds.filter(gap.contains) + [gap.lowerBound])
    let starts = edges.sorted()
    var parts: [Stretch] = []
    for (index, start) in starts.enumerated() {
      let span = start..<(index + 1 < starts.count ? starts[index + 1] : gap.upperBound)
      var part =
        known.filter { $0.span.overlaps(span) }.min { $0.kind < $1.kind }
        ?? Stretch(span: span, kind: enrolledAt.map { span.upperBound <= $0 } ?? false ? .notEnrolled : .unknown)
      part.span = span
      if let last = parts.last, last.kind == part.kind, last.code == part.code {
        parts[parts.count - 1].span = last.span.lowerBound..<span.upperBound
      } else {
        parts.append(part)
      }
    }
    return Self.withoutSlivers(parts, tolerance)
  }

  private static func withoutSlivers(_ parts: [Stretch], _ tolerance: Int64) -> [Stretch] {
    func isSliver(_ part: Stretch) -> Bool {
      part.kind == .unknown && part.span.upperBound - part.span.lowerBound <= tolerance
    }
    var kept: [Stretch] = []
    for part in parts {
      if isSliver(part), let last = kept.last {
        kept[kept.count - 1].span = last.span.lowerBound..<part.span.upperBound
      } else if let last = kept.last, kept.count == 1, isSliver(last) {
        kept = [part]
        kept[0].span = last.span.lowerBound..<part.span.upperBound
      } else {
        kept.append(part)
      }
    }
    return kept
  }
}

extension StoreEvent {
  /// The span of the event; nil for an event of one moment, or one without an end that is not known to go on.
  func stretch(in window: Range<Int64>, isGoingOn: Bool) -> Range<Int64>? {
    guard let from = span.from?.microseconds, let to = span.to?.microseconds ?? (isGoingOn ? .max : nil),
      from < window.upperBound, to > window.lowerBound
    else { return nil }
    let start = max(from, window.lowerBound)
    return start..<max(start, min(to, window.upperBound))
  }
}
