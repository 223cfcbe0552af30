// Assignments: which wearer has a wearable, and since when.

public import EventLoop
internal import StateCodec

/// Assignment to `wearer` of a wearable's samples from `from` until its next assignment.
public struct Assignment: Sendable, Hashable {
  /// Assigned wearable.
  public let wearable: WearableID
  /// Begin of the assignment.
  public let from: WallTime
  /// nil if the wearable has no wearer.
  public let wearer: WearerID?
  /// Time at which it was entered.
  public let enteredAt: WallTime
}

/// The table `assignments`.
enum Assignments {
  static let limit = 65_536

  /// Loads the assignments, by wearable and time. A damaged one counts as "no wearer": a sample without wearer is
  /// better than one with the previous wearer.
  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> RecordList<Assignment> {
    try transaction.withCursor(transaction.tables.assignments) { cursor throws(DatabaseFailure) in
      var list = RecordList<Assignment>()
      var entry = try cursor.first()
      while let found = entry {
        if let assignment = Assignment.decode(found) {
          list.records.append(assignment)
        } else {
          list.damaged += 1
          var key = StoredReader(found.key)
          if let (wearable, from) = Assignment.place(&key), key.isAtEnd {
            list.records.append(Assignment(wearable: wearable, from: from, wearer: nil, enteredAt: from))
          }
        }
        entry = try cursor.next()
      }
      return list
    }
  }

  /// Replaces an assignment of the same wearable and time. The caller has checked `limit`.
  static func put(_ transaction: Transaction, _ assignment: Assignment) throws(DatabaseFailure) {
    try transaction.put(assignment)
  }
}

/// Key: wearable (u32), from (i64, top bit inverted, so that bytes sort like times). Tags: 1 wearer (u32, 0 for no
/// wearer), 2 entered (i64).
extension Assignment: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.assignments }
  static var tags: ClosedRange<UInt8> { 1...2 }

  private static let topBit: UInt64 = 1 << 63

  fileprivate static func place(_ key: inout StoredReader) -> (WearableID, WallTime)? {
    guard let wearable = key.bigEndian(UInt32.self), let time = key.bigEndian(UInt64.self) else { return nil }
    return (WearableID(number: wearable), WallTime(microseconds: Int64(bitPattern: time ^ topBit)))
  }

  var key: [UInt8] {
    var key = [UInt8](bigEndian: wearable.number)
    key.append(bigEndian: UInt64(bitPattern: from.microseconds) ^ Self.topBit)
    return key
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, wearer?.number ?? 0)
    fields.put(2, enteredAt.microseconds)
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var wearer: UInt32?
    var entered: Int64?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&wearer)
      case 2: fields.read(&entered)
      default: break
      }
    }
    guard let (wearable, from) = Self.place(&key), let wearer, let entered else { return nil }
    self.init(
      wearable: wearable, from: from, wearer: wearer == 0 ? nil : WearerID(number: wearer),
      enteredAt: WallTime(microseconds: entered))
  }
}
