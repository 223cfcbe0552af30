// When a wearable was left alone by order, and when which of its series were not fetched by order: typed, so that a
// coverage need not read it from the words of events, and kept with the wearable, so that it outlasts them.

public import EventLoop
public import StateCodec

/// Stretches of time in which something was not collected by order, the oldest first.
public struct UncollectedSpans: RememberedState, Hashable {
  public static let name = "uncollected"
  /// Stretches, and series of one.
  public static let limit = 32
  public static let seriesLimit = 64

  public struct Span: Sendable, Hashable {
    public var from: WallTime
    /// nil: it goes on.
    public var to: WallTime?
    /// Numbers of the series; nil: all of them, as it was left alone.
    public var series: [UInt16]?

    public init(from: WallTime, to: WallTime? = nil, series: [UInt16]?) {
      (self.from, self.to, self.series) = (from, to, series)
    }
  }

  /// Bytes of the fields of a forgotten wearable. The registry keeps 3,584 of them (`Registry.retiredLimit`) in memory
  /// as long as the hub runs: 1.8 MB at most, of a Raspberry Pi's 512 MB. That is 22 stretches in which all was left
  /// alone, or three of 64 series each.
  public static let retiredSize = 512

  public private(set) var spans: [Span] = []
  /// µs since 1970 since when all stretches are there; nil: unless there are as many as are kept, they all are.
  private var wholeSince: Int64?
  /// What ended before this moment (µs since 1970) may have given way: only events tell of it then.
  public var reachesBack: Int64 {
    let kept = spans.count < Self.limit ? .min : spans.first { $0.to != nil }?.from.microseconds ?? .min
    return max(kept, wholeSince ?? .min)
  }

  public init() {}

  public var isEmpty: Bool { spans.isEmpty }

  /// The stretch that goes on: of the wearable as a whole, or of some series.
  public func current(ofAll: Bool) -> Span? { spans.last { $0.to == nil && ($0.series == nil) == ofAll } }

  /// Ends the stretch that goes on, and begins another one.
  ///
  /// - Parameter series: what is not collected from then on; empty: everything is again. nil: nothing is.
  public mutating func begin(_ series: [UInt16]?, at time: WallTime) {
    end(ofAll: series == nil, at: time)
    if series?.isEmpty == true { return }
    spans.append(Span(from: time, series: series.map { Array($0.prefix(Self.seriesLimit)) }))
    // What goes on stays.
    while spans.count > Self.limit { spans.remove(at: spans.firstIndex { $0.to != nil } ?? 0) }
  }

  public mutating func end(ofAll: Bool, at time: WallTime) {
    for index in spans.indices where spans[index].to == nil && (spans[index].series == nil) == ofAll {
      spans[index].to = max(time, spans[index].from)
    }
  }

  /// Leaves out the oldest stretches of a wearable that is forgotten, as many as it takes for `retiredSize`.
  public mutating func giveWay() {
    var size = RememberedStates.Entry(self).fields.count
    guard spans.count > 1, size > Self.retiredSize else { return }
    if wholeSince == nil { size += Self.wholeSinceSize }
    var (count, reached) = (0, reachesBack)
    // One at a time, and none of them encoded again with all that follow: an old store has thousands of such records.
    while count < spans.count - 1, size > Self.retiredSize {
      let gone = spans[count]
      size -= Self.size(of: gone)
      reached = max(reached, (gone.to ?? gone.from).microseconds)
      count += 1
    }
    spans.removeFirst(count)
    wholeSince = reached
  }

  /// Bytes of the field that says since when all are there: tag, length, content.
  private static let wholeSinceSize = 10

  /// Bytes of the field of one stretch.
  private static func size(of span: Span) -> Int {
    var fields = FieldWriter()
    write(span, to: &fields)
    return fields.fields.count
  }

  // MARK: Fields

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
  /// When it was left alone, or some of it was not fetched, by order.
  public var uncollected: UncollectedSpans { hubState[UncollectedSpans.self] ?? UncollectedSpans() }

  /// Of a forgotten wearable that an earlier program kept more of. The store has it until then.
  mutating func boundUncollected() {
    let size = hubState.entries[UncollectedSpans.name]?.fields.count ?? 0
    guard size > UncollectedSpans.retiredSize, var spans = hubState[UncollectedSpans.self] else { return }
    spans.giveWay()
    hubState.load(UncollectedSpans.name, RememberedStates.Entry(spans))
  }
}
