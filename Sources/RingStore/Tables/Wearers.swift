// Wearers: people with wearables.

import CivilTime
public import EventLoop
public import Health
public import Reasons
internal import StateCodec

/// Identifies a wearer for ever. Numbers start at 1 and are never used again.
public struct WearerID: Hashable, Sendable, Comparable {
  /// Number from 1 on.
  public let number: UInt32

  /// The identity with this number.
  public init(number: UInt32) { self.number = number }

  public static func < (a: WearerID, b: WearerID) -> Bool { a.number < b.number }
}

/// Person that wearables are assigned to, under a name, a bed or a pseudonym.
public struct Wearer: Sendable, Hashable {
  public let id: WearerID
  /// The name that people use: a name, a bed, a pseudonym. Unique among wearers that are not retired, ignoring case.
  public internal(set) var name: String
  /// Time at which the wearer was entered.
  public let createdAt: WallTime
  /// Time when the wearer was retired; nil for present ones. New assignments end then, and earlier ones remain.
  public internal(set) var retiredAt: WallTime?
  /// The house's own identifier, such as a member's number: the same for one person at every hub. Unique among present
  /// wearers; nil if not entered.
  public internal(set) var houseID: String?
  /// The body facts that were entered.
  public internal(set) var body = BodyFacts()

  /// Bytes of UTF-8.
  public static let nameLimit = 64

  init(id: WearerID, name: String, createdAt: WallTime, retiredAt: WallTime? = nil, body: BodyFacts = BodyFacts()) {
    self.id = id
    self.name = name
    self.createdAt = createdAt
    self.retiredAt = retiredAt
    self.body = body
  }

  /// 1 to 64 bytes of UTF-8 without control characters, and neither beginning nor ending with a space.
  ///
  /// - Throws: `wearerNameInvalid` for any other text.
  public static func validate(name: String) throws(HearthError) {
    let fault: String? =
      if name.isEmpty {
        "is empty"
      } else if name.utf8.count > nameLimit {
        "is longer than \(nameLimit) letters, of which those beyond ASCII count two to four"
      } else if name.first == " " || name.last == " " {
        "begins or ends with a space"
      } else if name.printable != name {
        "has characters that cannot be printed"
      } else {
        nil
      }
    if let fault {
      throw HearthError(.wearerNameInvalid, "'\(name.cut(toUTF8: nameLimit).printable)' \(fault)")
    }
  }
}

/// The table `wearers`.
enum Wearers {
  static let limit = 4096

  /// Value: the next wearer's number, u32. Stored separately, so that a number stays used whatever happens to its
  /// record.
  private static let nextKey = Array("next-wearer".utf8)

  /// Loads the records and the next number.
  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> (list: RecordList<Wearer>, nextNumber: UInt32)
  {
    let list = try transaction.records(Wearer.self)
    var next: UInt32 = 1
    if let bytes = try transaction.get(transaction.tables.meta, nextKey) {
      var reader = StoredReader(bytes)
      next = max(1, reader.integer(UInt32.self) ?? 1)
    }
    let last = try transaction.withCursor(transaction.tables.wearers) { cursor throws(DatabaseFailure) -> UInt32 in
      guard let entry = try cursor.last() else { return 0 }
      var key = StoredReader(entry.key)
      return key.bigEndian(UInt32.self) ?? 0
    }
    return (list, max(next, last == .max ? .max : last + 1))
  }

  /// Writes a wearer. The caller has checked `limit` and the name.
  static func put(_ transaction: Transaction, _ wearer: Wearer, nextNumber: UInt32) throws(DatabaseFailure) {
    try transaction.put(wearer)
    var value: [UInt8] = []
    value.append(littleEndian: nextNumber)
    try transaction.put(transaction.tables.meta, nextKey, value)
  }
}

/// Key: number (u32). Tags: 1 name, 2 made (i64), 3 retired (i64), 4 born (i32, days since 1970-01-01), 5 sex (u8). 6
/// height (u16), 7 weight (u16), 8 highest and 9 resting heart rate (u16), 10 VO2max (u8). 11 training background (u8),
/// 12 typical day (u8). 13 sleep goal (u16), 14 taken off when the wearable has no wearer (u8, 1), 15 the house's
/// identifier.
extension Wearer: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.wearers }
  static var tags: ClosedRange<UInt8> { 1...15 }

  var key: [UInt8] { [UInt8](bigEndian: id.number) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, name)
    fields.put(2, createdAt.microseconds)
    if let retiredAt { fields.put(3, retiredAt.microseconds) }
    if let born = body.born { fields.put(4, Int32(clamping: born.dayNumber)) }
    if let sex = body.sex { fields.put(5, sex.rawValue) }
    if let height = body.height { fields.put(6, UInt16(clamping: height)) }
    if let weight = body.weight { fields.put(7, UInt16(clamping: weight)) }
    if let rate = body.maximumHeartRate { fields.put(8, UInt16(clamping: rate)) }
    if let rate = body.restingHeartRate { fields.put(9, UInt16(clamping: rate)) }
    if let vo2Max = body.vo2Max { fields.put(10, UInt8(clamping: vo2Max)) }
    if let background = body.trainingBackground { fields.put(11, background.rawValue) }
    if let day = body.typicalDay { fields.put(12, day.rawValue) }
    if let goal = body.sleepGoal { fields.put(13, UInt16(clamping: goal)) }
    if body.isTakenOff { fields.put(14, flag: true) }
    if let houseID { fields.put(15, houseID) }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var name: String?
    var createdAt: Int64?
    var retiredAt: Int64?
    var born: Int32?
    var sex: UInt8?
    var height: UInt16?
    var weight: UInt16?
    var maximum: UInt16?
    var resting: UInt16?
    var vo2Max: UInt8?
    var background: UInt8?
    var day: UInt8?
    var goal: UInt16?
    var isTakenOff: Bool?
    var houseID: String?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&name, atMost: Self.nameLimit)
      case 2: fields.read(&createdAt)
      case 3: fields.read(&retiredAt)
      case 4: fields.read(&born)
      case 5: fields.read(&sex)
      case 6: fields.read(&height)
      case 7: fields.read(&weight)
      case 8: fields.read(&maximum)
      case 9: fields.read(&resting)
      case 10: fields.read(&vo2Max)
      case 11: fields.read(&background)
      case 12: fields.read(&day)
      case 13: fields.read(&goal)
      case 14: fields.read(&isTakenOff)
      case 15: fields.read(&houseID, atMost: Self.nameLimit)
      default: break
      }
    }
    guard let number = key.bigEndian(UInt32.self), number > 0, let name, let createdAt else { return nil }
    var body = BodyFacts()
    body.born = born.map { LocalDate(dayNumber: Int64($0)) }
    body.sex = sex.flatMap { BodyFacts.Sex(rawValue: $0) }
    body.height = height.map { Int($0) }
    body.weight = weight.map { Int($0) }
    body.maximumHeartRate = maximum.map { Int($0) }
    body.restingHeartRate = resting.map { Int($0) }
    body.vo2Max = vo2Max.map { Int($0) }
    body.trainingBackground = background.flatMap { BodyFacts.TrainingBackground(rawValue: $0) }
    body.typicalDay = day.flatMap { BodyFacts.TypicalDay(rawValue: $0) }
    body.sleepGoal = goal.map { Int($0) }
    body.isTakenOff = isTakenOff ?? false
    // Values that no program of Hearth writes count as not entered.
    self.init(
      id: WearerID(number: number), name: name, createdAt: WallTime(microseconds: createdAt),
      retiredAt: retiredAt.map { WallTime(microseconds: $0) }, body: body.sensible)
    self.houseID = houseID
  }
}
