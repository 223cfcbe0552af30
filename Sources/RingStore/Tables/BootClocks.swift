// The difference of past boots' clocks from true time. A machine without a clock module starts with the time of its
// last stop, so samples before the first time server have wrong times. Once a server sets the clock, the difference of
// the boot's monotonic clock from true time is stored. Readers correct earlier times with it; stored times never
// change.

internal import EventLoop
internal import StateCodec

/// A boot in which samples were stored before a time source disciplined the clock. Microseconds.
struct BootClock: Sendable, Equatable {
  let boot: BootID
  /// The lowest wall clock minus monotonic clock with which such samples were stored.
  var lowest: Int64
  /// Wall clock minus monotonic clock when a time source first disciplined it; nil if that has not happened.
  var offset: Int64?
  /// Wall time of that moment. Later samples have the clock's own time.
  var known = Int64.max

  /// Notes samples stored with an undisciplined clock. Returns whether that changed the record.
  mutating func note(unsure clock: Int64) -> Bool {
    // A slewed clock drifts by a millisecond now and then; that is not worth a record.
    if offset != nil || clock >= lowest { return false }
    let (lower, overflow) = clock.subtractingReportingOverflow(Self.margin)
    lowest = overflow ? .min : lower
    return true
  }

  private static let margin: Int64 = 1_000_000
}

/// Value of the key "boots" of `meta`.
struct BootClocks: Sendable, Equatable {
  static let key = Array("boots".utf8)
  /// Limit, enough for one start a day for most of a year, in 10 KB; the oldest are deleted.
  static let limit = 256
  private static let layout: UInt8 = 1
  private static let none = Int64.max

  /// Oldest first.
  private(set) var clocks: [BootClock] = []
  private var places: [BootID: Int] = [:]

  init() {}

  /// Parses the value; nil if it is damaged.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 5, bytes[0] == Self.layout else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    var crc = CRC32C()
    crc.update(content)
    guard bytes.loadUnaligned(fromByteOffset: content.count, as: UInt32.self) == crc.value else { return nil }
    var reader = StoredReader(UnsafeRawBufferPointer(rebasing: content.dropFirst()))
    while clocks.count < Self.limit, !reader.isAtEnd {
      guard let high = reader.integer(UInt64.self), let low = reader.integer(UInt64.self),
        let lowest = reader.integer(Int64.self), let offset = reader.integer(Int64.self),
        let known = reader.integer(Int64.self)
      else { return nil }
      clocks.append(
        BootClock(
          boot: BootID(high: high, low: low), lowest: lowest, offset: offset == Self.none ? nil : offset, known: known))
    }
    number()
  }

  private mutating func number() {
    places = [:]
    for (place, clock) in clocks.enumerated() { places[clock.boot] = place }
  }

  var bytes: [UInt8] {
    var bytes = [Self.layout]
    for clock in clocks {
      bytes.append(littleEndian: clock.boot.high)
      bytes.append(littleEndian: clock.boot.low)
      bytes.append(littleEndian: clock.lowest)
      bytes.append(littleEndian: clock.offset ?? Self.none)
      bytes.append(littleEndian: clock.known)
    }
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    bytes.append(littleEndian: crc.value)
    return bytes
  }

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> BootClocks {
    try transaction.get(transaction.tables.meta, key).flatMap { BootClocks($0) } ?? BootClocks()
  }

  static func put(_ transaction: Transaction, _ clock: BootClock) throws(DatabaseFailure) {
    var all = try load(transaction)
    all.keep(clock)
    try transaction.put(transaction.tables.meta, key, all.bytes)
  }

  mutating func keep(_ clock: BootClock) {
    if let place = places[clock.boot] {
      clocks[place] = clock
      return
    }
    clocks.append(clock)
    if clocks.count > Self.limit { clocks.removeFirst(clocks.count - Self.limit) }
    number()
  }

  subscript(boot: BootID) -> BootClock? { places[boot].map { clocks[$0] } }

  /// Clocks of which the difference became known after that of `boot`, in that order; all of them if `boot` is not
  /// stored. Only the running boot can become known, so they are in the order of the boots.
  func known(after boot: BootID?) -> [BootClock] {
    let first = boot.flatMap { places[$0] }.map { $0 + 1 } ?? 0
    return clocks[first...].filter { $0.offset != nil }
  }

  /// The last boot with a known difference.
  var lastKnown: BootID? { clocks.last { $0.offset != nil }?.boot }

  // MARK: Reading

  /// The correction of a chunk's times, microseconds; nil if they are correct or no correction is known.
  ///
  /// Fetched samples have their wearable's time, and samples that do not rest on the hub's clock have their own.
  ///
  /// - Parameter latest: latest stored time of the chunk.
  @inline(__always)
  func shift(_ anchor: ClockAnchor, _ way: Way, latest: Int64) -> Int64? {
    if clocks.isEmpty || anchor.trusted || anchor.isOwn || way != .live { return nil }
    return knownShift(anchor, latest)
  }

  private func knownShift(_ anchor: ClockAnchor, _ latest: Int64) -> Int64? {
    guard let clock = self[anchor.boot], let offset = clock.offset else { return nil }
    let shift = offset.subtractingReportingOverflow(anchor.offset)
    if shift.overflow { return nil }
    // A corrected time is never later than the moment at which the difference became known.
    let end = latest.addingReportingOverflow(shift.partialValue)
    return end.overflow || end.partialValue > clock.known ? nil : shift.partialValue
  }

  /// The stored time from which samples with corrected times at or after `since` may lie.
  func stored(since: Int64?) -> Int64? {
    guard let since else { return nil }
    var earliest = since
    for clock in clocks {
      guard let offset = clock.offset, since <= clock.known else { continue }
      let lead = offset.subtractingReportingOverflow(clock.lowest)
      let stored = since.subtractingReportingOverflow(max(0, lead.partialValue))
      earliest = min(earliest, lead.overflow || stored.overflow ? .min : stored.partialValue)
    }
    return earliest
  }
}
