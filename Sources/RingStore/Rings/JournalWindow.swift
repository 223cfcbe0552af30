// The old end of the journal, read in steps and sorted by ring.

internal import EventLoop
internal import Health

/// Chunks to be moved in one transaction.
struct JournalWindow {
  /// Memory bound: 24 bytes an item are 6 MiB. Holds twice the heart rates and RR intervals of thirty wearables in half
  /// an hour. The last chunk of each ring is therefore rewritten at most once in half an hour.
  static let itemLimit = 262_144
  /// The same for what is not scalars.
  static let byteLimit = 4 << 20
  /// Chunks looked at in one step: some two thousand records, a millisecond on the slowest board.
  static let step = 2

  /// End of the window: later commits are left for the next time. A packer that follows the newest commit would rewrite
  /// the rings' last chunks each time.
  private let end: UInt64
  private let takesNewest: Bool
  private(set) var first: UInt64?
  private(set) var last: UInt64 = 0
  private(set) var chunks = 0
  /// Contents by place, in the order in which the rings were first met.
  private var contents: [(ring: RingID, items: RingItems)] = []
  private var places: [RingID: Int] = [:]
  /// The places of rings met lately, by the low bits of their names: most records are sorted without hashing.
  private var recent = [(name: UInt64, place: Int)](repeating: (.max, 0), count: 256)
  private let scalars = ScalarSort()
  /// Chunks that failed their checksum or their parser, as they were found.
  private(set) var damaged: [(sequence: UInt64, bytes: [UInt8])] = []
  private var items = 0
  private var bytes = 0

  init(before end: UInt64, takesNewest: Bool = false) {
    self.end = end
    self.takesNewest = takesNewest
  }

  /// Reads some more chunks. False at the end. The last chunk of the journal stays, because it gives the next number,
  /// unless `takesNewest`: then `JournalEnd` gives it.
  mutating func take(_ transaction: Transaction) throws(DatabaseFailure) -> Bool {
    try transaction.withJournal { cursor throws(DatabaseFailure) in
      guard let newest = try cursor.last()?.sequence else { return false }
      var entry = try first == nil ? cursor.first() : cursor.seek(RecordNumber.after(last))
      for _ in 0..<Self.step {
        guard let found = entry, let key = found.sequence, key < end, key != newest || takesNewest else { return false }
        take(found.value, key, transaction.number)
        if items >= Self.itemLimit || bytes >= Self.byteLimit || damaged.count >= Quarantine.limit { return false }
        entry = try cursor.next()
      }
      return true
    }
  }

  /// Takes one chunk, which need not be in the journal.
  mutating func take(_ chunk: UnsafeRawBufferPointer, _ key: UInt64, _ number: StoreNumber) {
    if first == nil { first = key }
    last = key
    chunks += 1
    guard let header = JournalReading.soundHeader(chunk, key, number) else {
      damaged.append((key, Array(chunk.prefix(ChunkBuffer.capacity))))
      return
    }
    let anchor = header.anchor
    var records = ChunkRecords(chunk, header)
    while let record = records.next() {
      let place = place(record.wearable, record.series)
      let time = header.baseWall.microseconds &+ record.time
      items += 1
      if record.valueCount == 1, !record.hasBytes {
        if scalars.isFull { takeScalars(anchor) }
        scalars.put(place, time: time, flags: record.flags, value: record.value)
      } else {
        // A ring has its items in the order of the journal.
        takeScalars(anchor)
        contents[place].items.append(record, time: time, anchor: anchor)
        bytes += 16 + 8 * record.valueCount + record.bytes.count
      }
    }
    takeScalars(anchor)
  }

  private mutating func takeScalars(_ anchor: ClockAnchor) {
    scalars.take(places: contents.count) { place, group in contents[place].items.append(group, anchor: anchor) }
  }

  @inline(__always)
  private mutating func place(_ wearable: UInt32, _ series: UInt16) -> Int {
    let name = UInt64(wearable) << 16 | UInt64(series)
    // Neighbouring wearables, with up to eight series each, do not meet.
    let slot = Int(truncatingIfNeeded: UInt64(wearable) << 3 ^ UInt64(series)) & 255
    if recent[slot].name == name { return recent[slot].place }
    let place = search(RingID(wearable: WearableID(number: wearable), seriesNumber: series, way: .live))
    recent[slot] = (name, place)
    return place
  }

  private mutating func search(_ ring: RingID) -> Int {
    if let known = places[ring] { return known }
    places[ring] = contents.count
    contents.append((ring, RingItems()))
    return contents.count - 1
  }

  /// Hands everything over, ring by ring in their order; what was handed over is not held any more.
  mutating func next() -> (ring: RingID, items: RingItems)? {
    if !places.isEmpty {
      places = [:]
      contents.sort { $0.ring > $1.ring }
    }
    return contents.popLast()
  }
}
