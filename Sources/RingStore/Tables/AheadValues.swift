// Refused values with times in the future, remembered for deduplication: a wearable sends them until their time comes.

public import Health

/// Refused values of one series. Each counts once, however often it is fetched.
public struct AheadValues: Sendable, Hashable {
  /// Limit of remembered values: a rate every ten minutes for 21 hours, in a kilobyte. Further values count again with
  /// every fetch.
  public static let limit = 128

  /// Ascending: seconds of the wearable's time (upper 32 bits), and 32 bits of a digest of the rest.
  private(set) var marks: [UInt64] = []

  /// Creates a table without values.
  public init() {}

  /// True without values.
  public var isEmpty: Bool { marks.isEmpty }
  /// Number of values.
  public var count: Int { marks.count }

  /// - Parameter time: µs, as the wearable dated it.
  /// - Returns: false if there is no room.
  public mutating func note(_ values: [Int64], at time: Int64, _ flags: SampleFlags) -> Bool {
    let seconds = UInt64(UInt32(clamping: time / 1_000_000))
    let words = [UInt64(bitPattern: time), UInt64(flags.rawValue)] + values.map { UInt64(bitPattern: $0) }
    // FNV-1a, folded.
    let digest = words.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ $1) &* 0x100_0000_01B3 }
    let mark = seconds << 32 | (digest >> 32 ^ digest & 0xFFFF_FFFF)
    return insert(mark)
  }

  private mutating func insert(_ mark: UInt64) -> Bool {
    let place = marks.firstIndex { $0 >= mark } ?? marks.count
    if place < marks.count, marks[place] == mark { return true }
    if marks.count >= Self.limit { return false }
    marks.insert(mark, at: place)
    return true
  }

  /// Adds the values of a fetch, and drops those that are no longer in the future.
  ///
  /// - Parameter now: µs of the hub's clock.
  /// - Returns: how many of them were new.
  mutating func merge(_ other: AheadValues, now: Int64) -> Int {
    // No time zone of a wearable's clock differs by more than a day.
    let over = UInt64(UInt32(clamping: now / 1_000_000 - 86_400)) << 32
    marks.removeAll { $0 < over }
    var fresh = 0
    for mark in other.marks where !marks.contains(mark) {
      fresh += 1
      _ = insert(mark)
    }
    return fresh
  }
}

extension AheadValues {
  static let sizeLimit = limit * 8

  var bytes: [UInt8] {
    marks.flatMap { mark in (0..<8).map { UInt8(truncatingIfNeeded: mark >> (8 * UInt64($0))) } }
  }

  /// Marks out of order come from a damaged record: they are dropped, and those values count once more.
  init(_ bytes: [UInt8]) {
    for start in stride(from: 0, to: bytes.count - bytes.count % 8, by: 8) {
      let mark = (0..<8).reduce(0 as UInt64) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) }
      if marks.count < Self.limit, marks.last.map({ $0 < mark }) ?? true { marks.append(mark) }
    }
  }
}
