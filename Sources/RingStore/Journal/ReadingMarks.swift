// Readings that a wearable stores until they are confirmed. A mark is durable in one commit with its reading, so a
// reading that is offered again is recognised. Readings that are equal in all values are in `UnsettledReadings`.

internal import Health
internal import StateCodec

/// The position of a reading on its way to the disk.
public struct ReadingTicket: Sendable, Hashable {
  /// The reading is durable when all records below this number are.
  let through: UInt64
}

/// Marks of the newest readings of one wearable, as they are on disk.
struct ReadingMarks: RememberedState, Equatable {
  static let name = "readings"
  /// Limit: twice what a cuff's largest memory holds, and what fits into a page of the store beside another record.
  static let limit = 480
  /// Oldest first.
  let marks: [UInt32]
  /// Oldest first.
  let unsettled: [UnsettledReading]

  init(_ marks: [UInt32], unsettled: [UnsettledReading] = []) {
    self.marks = marks.suffix(Self.limit)
    self.unsettled = unsettled.suffix(UnsettledReading.limit)
  }

  var isEmpty: Bool { marks.isEmpty && unsettled.isEmpty }

  func write(to fields: inout FieldWriter) {
    fields.put(1, Self.bytes(of: marks))
    if unsettled.isEmpty { return }
    fields.put(2, Self.bytes(of: unsettled.flatMap { [$0.kind.value, $0.mark.value] }))
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var content: [UInt8]?
    var pairs: [UInt8]?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&content, atMost: 4 * Self.limit)
      case 2: fields.read(&pairs, atMost: 8 * UnsettledReading.limit)
      default: break
      }
    }
    guard let content, content.count % 4 == 0, (pairs?.count ?? 0) % 8 == 0 else { return nil }
    let words = Self.words(pairs ?? []).map { ReadingMark(value: $0) }
    self.init(
      Self.words(content),
      unsettled: stride(from: 0, to: words.count, by: 2).map {
        UnsettledReading(kind: words[$0], mark: words[$0 + 1])
      })
  }

  private static func bytes(of words: [UInt32]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
  }

  private static func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { place in
      (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
    }
  }
}

/// Readings of one wearable that are in the store, or on their way there.
struct ReadingLedger {
  /// Oldest first; those from the disk have 0.
  private var entries: [(mark: UInt32, through: UInt64)]
  /// Readings that an earlier link left, one of each kind, oldest first.
  private var unsettled: [(reading: UnsettledReading, through: UInt64)]

  init(_ marks: ReadingMarks?) {
    entries = (marks?.marks ?? []).map { ($0, 0) }
    unsettled = (marks?.unsettled ?? []).map { ($0, 0) }
  }

  /// The number below which everything is durable once the reading is; nil: it is not known.
  mutating func find(_ mark: UInt32) -> UInt64? {
    guard let place = entries.lastIndex(where: { $0.mark == mark }) else { return nil }
    // A reading that is offered repeatedly must not be the first to be forgotten.
    let entry = entries.remove(at: place)
    entries.append(entry)
    return entry.through
  }

  mutating func add(_ mark: UInt32, _ through: UInt64) {
    entries.append((mark, through))
    if entries.count > ReadingMarks.limit { entries.removeFirst(entries.count - ReadingMarks.limit) }
  }

  mutating func leave(_ reading: UnsettledReading, _ through: UInt64) {
    unsettled.removeAll { $0.reading.kind == reading.kind }
    unsettled.append((reading, through))
    if unsettled.count > UnsettledReading.limit { unsettled.removeFirst() }
  }

  mutating func takeUnsettled(_ kind: ReadingMark) -> (mark: ReadingMark, through: UInt64)? {
    guard let place = unsettled.firstIndex(where: { $0.reading.kind == kind }) else { return nil }
    let left = unsettled.remove(at: place)
    return (left.reading.mark, left.through)
  }

  /// Removes a reading that was dropped before it reached the disk.
  mutating func drop(_ through: UInt64) {
    entries.removeAll { $0.through == through }
    unsettled.removeAll { $0.through == through }
  }

  /// Marks that are durable with everything below a number.
  func marks(below number: UInt64) -> ReadingMarks {
    ReadingMarks(
      entries.filter { $0.through <= number }.map(\.mark),
      unsettled: unsettled.filter { $0.through <= number }.map(\.reading))
  }

  /// True if no part of it is on its way to the disk.
  func isDurable(below number: UInt64) -> Bool {
    entries.allSatisfy { $0.through <= number } && unsettled.allSatisfy { $0.through <= number }
  }
}
