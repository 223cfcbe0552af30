// How the clocks of past boots stood to true time. A machine without a clock module starts with the time of its last
// stop; what it stores before a time server is heard is off by as much. Once one was, the distance of the boot's
// monotonic clock to true time is kept, and what came before is read with it. What is stored stays as it was written.

internal import EventLoop
internal import StateCodec

/// One boot in which samples were stored before a time source disciplined the clock. Microseconds.
struct BootClock: Sendable, Equatable {
  let boot: BootID
  /// The lowest wall clock less monotonic clock that such samples were stored with.
  var lowest: Int64
  /// Wall clock less monotonic clock when a time source disciplined it first; nil: none has.
  var offset: Int64?
  /// That moment, by the wall clock. What came after it is as the clock said it then.
  var known = Int64.max

  /// Samples came with a clock that nobody vouches for. False if nothing is new in that.
  mutating func note(unsure clock: Int64) -> Bool {
    // A clock that is slewed runs off by a millisecond now and then, which is no news.
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
  /// A start a day for most of a year, in 10 KB; the oldest give way.
  static let limit = 256
  private static let layout: UInt8 = 1
  private static let none = Int64.max

  /// Oldest first.
  private(set) var clocks: [BootClock] = []
  private var places: [BootID: Int] = [:]

  init() {}

  /// What is damaged says nothing.
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

  /// Clocks whose distance became known after that of `boot`, in the order in which they did; all of them where `boot`
  /// is not kept. Only the boot that runs can become known, so their order is that of the boots.
  func known(after boot: BootID?) -> [BootClock] {
    let first = boot.flatMap { places[$0] }.map { $0 + 1 } ?? 0
    return clocks[first...].filter { $0.offset != nil }
  }

  /// The last whose distance is known.
  var lastKnown: BootID? { clocks.last { $0.offset != nil }?.boot }

  // MARK: Reading

  /// What is added to the times of a chunk, microseconds; nil where they are as they should be, or where nobody knows.
  ///
  /// What was fetched has the time of its wearable's clock, and what rests on no clock of the hub's has its own.
  ///
  /// - Parameter latest: of the chunk, as it is stored.
  @inline(__always)
  func shift(_ anchor: ClockAnchor, _ way: Way, latest: Int64) -> Int64? {
    if clocks.isEmpty || anchor.trusted || anchor.isOwn || way != .live { return nil }
    return knownShift(anchor, latest)
  }

  private func knownShift(_ anchor: ClockAnchor, _ latest: Int64) -> Int64? {
    guard let clock = self[anchor.boot], let offset = clock.offset else { return nil }
    let shift = offset.subtractingReportingOverflow(anchor.offset)
    if shift.overflow { return nil }
    // Never behind the moment at which it was known, which is before now.
    let end = latest.addingReportingOverflow(shift.partialValue)
    return end.overflow || end.partialValue > clock.known ? nil : shift.partialValue
  }

  /// A time from which on what is read with times at or after `since` is stored.
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
