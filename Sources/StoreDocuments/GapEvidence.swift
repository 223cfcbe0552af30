// Why a stretch of time is empty, as far as something durable says so: the store's rings, the log of visits, events.

public import EventLoop
internal import Health
internal import HubProtocol
internal import Reasons
public import RingStore

/// What the hub knows of stretches of time in which a wearable's values are missing. Nothing is guessed: what nothing
/// explains is unknown.
public struct GapEvidence: Sendable {
  /// In the order in which they are believed where several explain the same moment: first what was there and is gone,
  /// then what made values impossible for all, then for this wearable.
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

  /// One thing that is known.
  struct Stretch: Sendable, Equatable {
    var span: Range<Int64>
    var kind: Kind
    var code: String?
    var text: String?
  }

  /// Of both ways: that it was forgotten, visits that failed, and when it was charged.
  private var common: [Stretch] = []
  /// Of values that only come while the hub hears them.
  private var live: [Stretch] = []
  /// Of values that the wearable keeps until they are fetched.
  private var fetched: [Stretch] = []
  /// Of single series, by their numbers: a visit found that the wearable does not record them, or they are not fetched
  /// by order.
  private var unrecorded: [(stretch: Stretch, series: Set<UInt16>)] = []
  private var evicted: [RingID: Range<Int64>] = [:]
  /// The newest of each ring.
  private var newest: [RingID: Int64] = [:]
  private let wearable: WearableID
  /// Microseconds of the day's count at which it was enrolled; nil: before the window.
  private var enrolledAt: Int64?

  /// Readings of a battery that may be asked for.
  public static let batteryReadings = BatteryRise.readings

  /// - Parameter battery: the newest readings, ascending.
  public init(
    _ request: CoverageRequest, rings: [RingStatus], events: [StoreEvent], visits: [VisitRecord],
    battery: [StoredSample] = [], now: WallTime
  ) {
    wearable = request.wearable
    let window = request.window
    if let enrolled = request.enrolledAt?.microseconds, enrolled > window.lowerBound {
      // What it keeps in its memory comes also from before: there it explains only what nothing else does.
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

  /// A visit that failed explains the time until the wearable was tried again; what came after the last complete one is
  /// still on the wearable, if it keeps it.
  private mutating func noteVisits(_ visits: [VisitRecord], _ window: Range<Int64>) {
    let ordered = visits.sorted { $0.began < $1.began }
    for (index, visit) in ordered.enumerated() where visit.outcome != 0 {
      guard let reason = Reason(rawValue: visit.outcome) else { continue }
      let next = index + 1 < ordered.count ? ordered[index + 1].began.microseconds : window.upperBound
      let from = max(visit.began.microseconds, window.lowerBound)
      guard from < min(next, window.upperBound) else { continue }
      // It says which series the wearable does not record: in words alone, by earlier versions.
      let isUnarmed = reason == .recordingNotArmed
      let series = isUnarmed && visit.unrecorded.isEmpty ? Self.unarmed(visit.remark) : Set(visit.unrecorded)
      if !series.isEmpty {
        let span = from..<min(next, window.upperBound)
        let code = Reason.recordingNotArmed.code
        unrecorded.append((Stretch(span: span, kind: .notRecording, code: code, text: visit.remark), series))
      }
      // Where it was its one trouble, it went through.
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
  /// heart_rate (not while it is charging)`. What stands before is the wearable's name, which may be a series', too.
  private static func unarmed(_ remark: String) -> Set<UInt16> {
    guard let list = remark.split(separator: " does not record ", maxSplits: 1).dropFirst().last else { return [] }
    let words = list.prefix { $0 != "(" }.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    return Set(words.compactMap { Series(name: String($0))?.id })
  }

  /// Series of an event: `band-07: not taken, by order: sleep, steps (sleep_stage, steps)`.
  private static func leftOut(_ text: String) -> Set<UInt16> {
    guard let list = text.split(separator: "(").dropFirst().last else { return [] }
    var words = list.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    // A text that was cut ends in the middle of a name.
    if !list.hasSuffix(")") { _ = words.popLast() }
    return Set(words.compactMap { Series(name: String($0))?.id })
  }

  /// What was not collected by order, as it is kept with the wearable.
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

  /// Events that say from when until when something was so.
  ///
  /// - Parameter oldest: what was not collected by order before this is not kept with the wearable any more.
  private mutating func noteEvents(_ events: [StoreEvent], _ window: Range<Int64>, before oldest: Int64) {
    // The newest first. Of what had not ended by then only the newest of its kind can go on now, or of its order.
    var seen: Set<UInt16> = []
    for event in events {
      guard event.wearable == nil || event.wearable == wearable, let kind = Self.kind(event) else { continue }
      let isNewest = seen.insert(kind == .byOrder ? event.reason : UInt16(kind.rawValue)).inserted
      guard let span = event.stretch(in: window, isGoingOn: isNewest) else { continue }
      let text = event.text.isEmpty ? nil : event.text
      let stretch = Stretch(span: span, kind: kind, code: "H\(event.reason)", text: text)
      switch Reason(rawValue: event.reason) {
      case .collectionPaused: common.append(stretch)
      // For which series what is kept with the wearable says, as long as it reaches back.
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
    // What was done to the radio says nothing of when it was down; H3120 does.
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

  /// Whether a wearable that is there would have something of a series: it has in the window, or had shortly before.
  func isExpected(_ coverage: SeriesCoverage, _ window: Range<Int64>) -> Bool {
    if coverage.live.count + coverage.fetched.count > 0 { return true }
    let latest = Way.allCases.compactMap { newest[ring(coverage.series, $0)] }.max()
    let (since, overflow) = window.lowerBound.subtractingReportingOverflow(CoverageRequest.memory)
    return latest.map { $0 >= (overflow ? .min : since) } ?? false
  }

  /// The way on which most of a series comes; where nothing came, on which the newest did.
  func way(of coverage: SeriesCoverage) -> Way {
    if coverage.live.count + coverage.fetched.count == 0 {
      return newest[ring(coverage.series, .fetched)] ?? .min > newest[ring(coverage.series, .live)] ?? .min
        ? .fetched : .live
    }
    return coverage.fetched.count > coverage.live.count ? .fetched : .live
  }

  private func ring(_ series: Series, _ way: Way) -> RingID {
    RingID(wearable: wearable, seriesNumber: series.id, way: way)
  }

  /// The parts of a gap, ascending and without holes, each with what explains it.
  ///
  /// - Parameter tolerance: microseconds that are no gap by themselves: an unexplained rest of that length beside
  ///   something that is explained belongs to it, as a link is lost some seconds after its last value.
  /// - Parameter beside: when other values of the same way are there.
  func causes(of gap: Range<Int64>, _ series: Series, _ way: Way, tolerance: Int64, beside: [Range<Int64>] = [])
    -> [Stretch]
  {
    var known = common + (way == .live ? live : fetched)
    // What it recorded then is here: of this it recorded nothing.
    if way == .fetched { known += beside.map { Stretch(span: $0, kind: .notRecording) } }
    if way == .fetched {
      let own = unrecorded.filter { $0.series.contains(series.id) }.map(\.stretch)
      // A visit that failed and found this unrecorded failed for the others.
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
  /// From when until when it says that something was so; nil where it is of one moment, or did not end and is not
  /// known to go on.
  func stretch(in window: Range<Int64>, isGoingOn: Bool) -> Range<Int64>? {
    guard let from = span.from?.microseconds, let to = span.to?.microseconds ?? (isGoingOn ? .max : nil),
      from < window.upperBound, to > window.lowerBound
    else { return nil }
    let start = max(from, window.lowerBound)
    return start..<max(start, min(to, window.upperBound))
  }
}
