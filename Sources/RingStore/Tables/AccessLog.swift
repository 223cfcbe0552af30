// The access log in memory: records wait for a moment, are written rarely, and are bounded.

internal import EventLoop

/// Records of today, which may still grow, and which of them must be written.
struct AccessLog: Sendable {
  /// Limit, enough for thirty wearables, read by a dozen users in several ways each.
  static let openLimit = 1024

  private(set) var open: [AccessRecord.Key: AccessRecord] = [:]
  private(set) var dirty: Set<AccessRecord.Key> = []
  /// Accesses since start without a record, because too many were open while the disk refused writes.
  private(set) var dropped: UInt64 = 0
  private var nextNumber: UInt64

  init(nextNumber: UInt64) { self.nextNumber = nextNumber }

  /// Returns whether this made a new record, which must be durable soon.
  mutating func add(_ note: AccessNote, at time: WallTime) -> Bool {
    let key = AccessRecord.key(note, at: time)
    if open[key] != nil {
      open[key]?.add(note, at: time)
      dirty.insert(key)
      return false
    }
    // Records of earlier days are closed, and with too many open, the written ones too.
    if open.count >= Self.openLimit || open.keys.contains(where: { $0.day != key.day }) {
      open = open.filter { dirty.contains($0.key) || $0.key.day == key.day && open.count < Self.openLimit }
    }
    if open.count >= Self.openLimit {
      dropped += 1
      return false
    }
    open[key] = AccessRecord(number: nextNumber, note: note, first: time, last: time)
    nextNumber = nextNumber == .max ? .max : nextNumber + 1
    dirty.insert(key)
    return true
  }

  /// Takes the records that must be written, by number.
  mutating func take() -> [AccessRecord] {
    defer { dirty = [] }
    return dirty.compactMap { open[$0] }.sorted { $0.number < $1.number }
  }

  mutating func putBack(_ records: [AccessRecord]) {
    for record in records { dirty.insert(AccessRecord.key(record.note, at: record.first)) }
  }

  /// Records that are open, by number.
  var records: [AccessRecord] { open.values.sorted { $0.number < $1.number } }
}
