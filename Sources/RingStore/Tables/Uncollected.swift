// Spans in which a wearable, or some of its series, was not collected by an operator's order. Typed, so that coverage
// need not parse event texts. Stored with the wearable, to outlast the events.

public import EventLoop
public import StateCodec

/// Spans in which data was not collected by order, the oldest first.
public struct UncollectedSpans: RememberedState, Hashable {
  /// Name in the store.
  public static let name = "uncollected"
  /// Limits: spans, and series of one span.
  public static let limit = 32
  /// Maximum number of series of one span.
  public static let seriesLimit = 64

  /// Span of time.
  public struct Span: Sendable, Hashable {
    /// Begin of the span.
    public var from: WallTime
    /// nil while the span lasts.
    public var to: WallTime?
    /// Numbers of the series; nil for all, as the wearable was not collected at all.
    public var series: [UInt16]?

    /// A span; `to` nil: it goes on, `series` nil: all.
    public init(from: WallTime, to: WallTime? = nil, series: [UInt16]?) {
      (self.from, self.to, self.series) = (from, to, series)
    }
  }

  /// Limit for a forgotten wearable, in bytes of its fields. The registry holds 3,584 of them
  /// (`Registry.retiredLimit`) in memory as long as the hub runs: 1.8 MB at most, of a Raspberry Pi's 512 MB. That is
  /// 22 spans of the whole wearable, or three of 64 series each.
  public static let retiredSize = 512

  /// Spans, the oldest first.
  public private(set) var spans: [Span] = []
  /// µs since 1970 from which all spans are present; nil: they all are, unless there are as many as the limit.
  private var wholeSince: Int64?
  /// Spans that ended before this moment (µs since 1970) may have been deleted; only events still show them.
  public var reachesBack: Int64 {
    let kept = spans.count < Self.limit ? .min : spans.first { $0.to != nil }?.from.microseconds ?? .min
    return max(kept, wholeSince ?? .min)
  }

  /// Creates a table without spans.
  public init() {}

  /// True without spans.
  public var isEmpty: Bool { spans.isEmpty }

  /// The open span: of the wearable as a whole, or of some series.
  public func current(ofAll: Bool) -> Span? { spans.last { $0.to == nil && ($0.series == nil) == ofAll } }

  /// Ends the open span, and begins another one.
  ///
  /// - Parameter series: series that are not collected from then on. Empty: all are collected again. nil: no series is
  ///   collected.
  public mutating func begin(_ series: [UInt16]?, at time: WallTime) {
    end(ofAll: series == nil, at: time)
    if series?.isEmpty == true { return }
    spans.append(Span(from: time, series: series.map { Array($0.prefix(Self.seriesLimit)) }))
    // An open span is never deleted.
    while spans.count > Self.limit { spans.remove(at: spans.firstIndex { $0.to != nil } ?? 0) }
  }

  /// Ends open spans of all series, or open ones of single series.
  public mutating func end(ofAll: Bool, at time: WallTime) {
    for index in spans.indices where spans[index].to == nil && (spans[index].series == nil) == ofAll {
      spans[index].to = max(time, spans[index].from)
    }
  }

  /// Deletes the oldest spans of a forgotten wearable until the rest fits in `retiredSize`.
  public mutating func giveWay() {
    var size = RememberedStates.Entry(self).fields.count
    guard spans.count > 1, size > Self.retiredSize else { return }
    if wholeSince == nil { size += Self.wholeSinceSize }
    var (count, reached) = (0, reachesBack)
    // Deletes one at a time, without encoding all the rest again: an old store has thousands of such records.
    while count < spans.count - 1, size > Self.retiredSize {
      let gone = spans[count]
      size -= Self.size(of: gone)
      reached = max(reached, (gone.to ?? gone.from).microseconds)
      count += 1
    }
    spans.removeFirst(count)
    wholeSince = reached
  }

  /// Bytes of the field `wholeSince`: tag, length, content.
  private static let wholeSinceSize = 10

  /// Bytes of the field of one span.
  private static func size(of span: Span) -> Int {
    var fields = FieldWriter()
    write(span, to: &fields)
    return fields.fields.count
  }

  // MARK: Fields

  /// Encodes the spans.
  public func write(to fields: inout FieldWriter) {
    if let wholeSince { fields.put(2, wholeSince) }
    for span in spans { Self.write(span, to: &fields) }
  }

  private static func write(_ span: Span, to fields: inout FieldWriter) {
    fields.put(1) { nested in
      nested.put(1, span.from.microseconds)
      if let to = span.to { nested.put(2, to.microseconds) }
      if let series = span.series {
        nested.put(3, series.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
      }
    }
  }

  /// Decodes spans; nil: invalid.
  public init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() {
      switch tag {
      case 1: readSpan(&fields)
      case 2: fields.read(&wholeSince)
      default: break
      }
    }
    if spans.count > Self.limit { return nil }
  }

  private mutating func readSpan(_ fields: inout FieldReader) {
    var nested = fields.nested
    var from: Int64?
    var to: Int64?
    var series: [UInt8]?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&from)
      case 2: nested.read(&to)
      case 3: nested.read(&series, atMost: 2 * Self.seriesLimit)
      default: break
      }
    }
    guard nested.isWhole, let from, series.map({ $0.count.isMultiple(of: 2) }) ?? true else { return fields.refuse() }
    let numbers = series.map { bytes in
      stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
    }
    spans.append(
      Span(
        from: WallTime(microseconds: from), to: to.map { WallTime(microseconds: $0) }, series: numbers))
  }
}

extension WearableRecord {
  /// Spans in which the wearable, or some of its series, was not collected by order.
  public var uncollected: UncollectedSpans { hubState[UncollectedSpans.self] ?? UncollectedSpans() }

  /// Bounds the spans of a forgotten wearable for which an earlier program stored more. The disk has them until then.
  mutating func boundUncollected() {
    let size = hubState.entries[UncollectedSpans.name]?.fields.count ?? 0
    guard size > UncollectedSpans.retiredSize, var spans = hubState[UncollectedSpans.self] else { return }
    spans.giveWay()
    hubState.load(UncollectedSpans.name, RememberedStates.Entry(spans))
  }
}
