// Moments of successive rows as text: most have the date of the one before.

/// Appends moments as `append(moment:_:)` does with `.exact`, and keeps the text of the last date.
public struct MomentWriter: Sendable {
  private static let day: Int64 = 86_400_000_000
  private static let timeOfDay = Array("00:00:00.000Z".utf8)

  /// Microseconds since 1970 of the last date's beginning; at first the last of all moments.
  private var start = Int64.max
  /// The last date, and the letter behind it.
  private var date: [UInt8] = []

  /// A writer that knows no date yet.
  public init() {}

  /// Appends `2026-11-21T10:00:00.123Z`.
  ///
  /// - Parameter microseconds: since 1970-01-01T00:00:00Z.
  public mutating func append(_ microseconds: Int64, to text: inout [UInt8]) {
    let (inDay, isFar) = microseconds.subtractingReportingOverflow(start)
    guard !isFar, inDay >= 0, inDay < Self.day, inDay % 1000 == 0 else { return appendAnew(microseconds, to: &text) }
    text.append(contentsOf: date)
    let place = text.count
    text.append(contentsOf: Self.timeOfDay)
    let (second, milli) = (inDay / 1000).quotientAndRemainder(dividingBy: 1000)
    text.withUnsafeMutableBufferPointer { bytes in
      func put(_ number: Int64, at offset: Int) {
        bytes[place + offset] = 0x30 + UInt8(truncatingIfNeeded: number / 10)
        bytes[place + offset + 1] = 0x30 + UInt8(truncatingIfNeeded: number % 10)
      }
      put(second / 3600, at: 0)
      put(second / 60 % 60, at: 3)
      put(second % 60, at: 6)
      bytes[place + 9] = 0x30 + UInt8(truncatingIfNeeded: milli / 100)
      put(milli % 100, at: 10)
    }
  }

  private mutating func appendAnew(_ microseconds: Int64, to text: inout [UInt8]) {
    let place = text.count
    text.append(moment: microseconds, .exact)
    let (start, isFar) = floorDivide(microseconds, Self.day).multipliedReportingOverflow(by: Self.day)
    // The first of all days begins before the first moment.
    if isFar { return }
    self.start = start
    date = text[place...].prefix { $0 != UInt8(ascii: "T") } + [UInt8(ascii: "T")]
  }
}
