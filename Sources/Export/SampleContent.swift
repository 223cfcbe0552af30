// What of a stored item is a number, a span or bytes, by the layout of its series.

internal import EventLoop
internal import Health
internal import RingStore

/// An item as an export shows it. Total: an item that does not fit its series' layout shows its values as they are
/// stored.
struct SampleContent {
  private enum Numbers {
    case none
    case one(Int64)
    case list([Int64])
    /// Samples with so many components and bytes a number, in `bytes`.
    case samples(components: Int, width: Int)
    /// Not in the unit of the series.
    case stored([Int64])
  }

  private let numbers: Numbers
  private let series: Series
  private let bytes: [UInt8]
  /// Of an interval.
  private(set) var end: WallTime?
  private(set) var encoding: Int64?
  private(set) var period: Int64?
  private(set) var count: Int64?
  /// Kind of record.
  private(set) var record: Int64?
  /// The bytes are shown as they are.
  private(set) var hasData = false

  init(_ sample: StoredSample) {
    series = sample.series
    bytes = sample.bytes
    let values = sample.values
    switch series.layout {
    case .scalar where values.isEmpty && bytes.isEmpty:
      numbers = .one(sample.value)
    case .vector(let names) where values.count == names.count:
      numbers = .list(values)
    case .interval where values.count == 2:
      numbers = .one(values[1])
      end = WallTime(microseconds: sample.time.microseconds &+ values[0])
    case .waveform(let names) where values.count == 3:
      period = values[0]
      if let width = Self.width(values[2], count: values[1], components: names.count, bytes.count) {
        numbers = .samples(components: names.count, width: width)
      } else {
        numbers = .none
        (encoding, count, hasData) = (values[2], values[1], true)
      }
    case .record where values.count == 1:
      numbers = .none
      (record, hasData) = (values[0], true)
    default:
      numbers = .stored(values.isEmpty ? [sample.value] : values)
      hasData = !bytes.isEmpty
    }
  }

  /// Bytes of a number in an encoding that everybody can read (FORMAT.md, "Series"); nil for others, and where the
  /// bytes are not whole samples.
  private static func width(_ encoding: Int64, count: Int64, components: Int, _ size: Int) -> Int? {
    guard (0...2).contains(encoding), count >= 0, count <= size else { return nil }
    let width = Int(encoding) + 2
    return Int(count) * components * width == size ? width : nil
  }

  var hasNumbers: Bool {
    if case .none = numbers { return false }
    return true
  }

  var hasMembers: Bool { period != nil || record != nil }

  /// In the order of an export; all nil for layouts that are a number.
  var members: [(name: String, number: Int64?)] {
    [("encoding", encoding), ("period_ns", period), ("count", count), ("record", record)]
  }

  /// As JSON; with a separator, as a plain row of numbers.
  func appendNumbers(to text: inout [UInt8], separator: UInt8? = nil) {
    switch numbers {
    case .none: return
    case .one(let value): append(value, to: &text)
    case .list(let values): appendList(values, separator, to: &text) { append($0, to: &$1) }
    case .stored(let values): appendList(values, separator, to: &text) { $1.append(contentsOf: "\($0)".utf8) }
    case .samples(let components, let width):
      let perSample = components * width
      appendList(Array(stride(from: 0, to: bytes.count, by: perSample)), separator, to: &text) { start, text in
        if components == 1 { return append(number(at: start, width), to: &text) }
        let places = (0..<components).map { start + $0 * width }
        appendList(places, separator, to: &text) { append(number(at: $0, width), to: &$1) }
      }
    }
  }

  private func appendList<T>(
    _ items: [T], _ separator: UInt8?, to text: inout [UInt8], _ body: (T, inout [UInt8]) -> Void
  ) {
    if separator == nil { text.append(UInt8(ascii: "[")) }
    for (index, item) in items.enumerated() {
      if index > 0 { text.append(separator ?? UInt8(ascii: ",")) }
      body(item, &text)
    }
    if separator == nil { text.append(UInt8(ascii: "]")) }
  }

  private func append(_ value: Int64, to text: inout [UInt8]) {
    series.append(value, to: &text)
  }

  /// Little-endian, signed.
  private func number(at offset: Int, _ width: Int) -> Int64 {
    var value: UInt64 = 0
    for place in 0..<width where offset + place < bytes.count {
      value |= UInt64(bytes[offset + place]) << UInt64(8 * place)
    }
    let shift = Int64(64 - 8 * width)
    return Int64(bitPattern: value << UInt64(shift)) >> shift
  }
}
