// The log of who was given what: kept in memory for a moment, written rarely, never longer than its bound.

internal import EventLoop

/// Records of today that may still grow, and which of them are to be written.
struct AccessLog: Sendable {
  /// Thirty wearables, read by a dozen users in several ways each.
  static let openLimit = 1024

  private(set) var open: [AccessRecord.Key: AccessRecord] = [:]
  private(set) var dirty: Set<AccessRecord.Key> = []
  /// Since start: what was handed out and is in no record, because too much was open while the disk refused.
  private(set) var dropped: UInt64 = 0
  private var nextNumber: UInt64

  init(nextNumber: UInt64) { self.nextNumber = nextNumber }

  /// Whether this made a new record: then it is to be durable soon.
  mutating func add(_ note: AccessNote, at time: WallTime) -> Bool {
    let key = AccessRecord.key(note, at: time)
    if open[key] != nil {
      open[key]?.add(note, at: time)
      dirty.insert(key)
      return false
    }
    // Those of days before, and where there are too many those that are written, grow no more.
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

  /// What is to be written, by number.
  mutating func take() -> [AccessRecord] {
    defer { dirty = [] }
    return dirty.compactMap { open[$0] }.sorted { $0.number < $1.number }
  }

  mutating func putBack(_ records: [AccessRecord]) {
    for record in records { dirty.insert(AccessRecord.key(record.note, at: record.first)) }
  }

  /// A person was erased: nothing that waits names that number's records with others' samples; the number itself stays.
  var records: [AccessRecord] { open.values.sorted { $0.number < $1.number } }
}
