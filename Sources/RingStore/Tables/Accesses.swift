// Records of access to people's measurements: one for each user, wearable, method and day, not one for each call.

public import EventLoop
internal import StateCodec

/// The data given out by one call, or by one page of a call.
public struct AccessNote: Sendable, Hashable {
  /// Number of the user.
  public var user: UInt32
  /// The machine's name of the user; empty if unknown.
  public var userName: String
  /// A method of the control socket's interface: `Export`.
  public var method: String
  /// nil for data about people themselves, such as their bodies.
  public var wearable: WearableID?
  /// Numbers of the series that were given out.
  public var series: Set<UInt16> = []
  /// Earliest and latest time of the data; nil for data without times.
  public var span: ClosedRange<WallTime>?
  /// Number of samples given out.
  public var samples: UInt64 = 0
  /// 0 for a further page of a call that has been counted.
  public var calls: UInt64 = 1
  /// The export cursor; empty without one.
  public var cursor = ""
  /// The people concerned, if the wearable does not determine them.
  public var wearers: Set<WearerID> = []

  /// A note without samples; `wearable` nil: data about people themselves.
  public init(user: UInt32, userName: String, method: String, wearable: WearableID?) {
    self.user = user
    self.userName = userName
    self.method = method
    self.wearable = wearable
  }
}

/// The data of one wearable that one user was given by one method in one UTC day.
public struct AccessRecord: Sendable, Hashable {
  /// Number of the record.
  public let number: UInt64
  /// Data given out.
  public internal(set) var note: AccessNote
  /// Time of the first call.
  public internal(set) var first: WallTime
  /// Time of the last call.
  public internal(set) var last: WallTime
  /// True if there were more wearers than `wearerLimit`.
  public internal(set) var hasMoreWearers = false

  static let nameLimit = 32
  static let methodLimit = 32
  static let wearerLimit = 32
  static let seriesLimit = 64

  init(number: UInt64, note: AccessNote, first: WallTime, last: WallTime) {
    self.number = number
    self.note = note
    self.first = first
    self.last = last
    bound()
  }

  /// Notes of a day with the same key share one record.
  struct Key: Hashable, Sendable {
    var user: UInt32
    var method: String
    var wearable: WearableID?
    var cursor: String
    var day: Int64
  }

  static func key(_ note: AccessNote, at time: WallTime) -> Key {
    let day = 86_400_000_000 as Int64
    let number = time.microseconds / day - (time.microseconds % day < 0 ? 1 : 0)
    return Key(user: note.user, method: note.method, wearable: note.wearable, cursor: note.cursor, day: number)
  }

  mutating func add(_ other: AccessNote, at time: WallTime) {
    last = max(last, time)
    note.series.formUnion(other.series)
    note.wearers.formUnion(other.wearers)
    note.samples &+= other.samples
    note.calls &+= other.calls
    if let span = other.span {
      note.span = note.span.map { min($0.lowerBound, span.lowerBound)...max($0.upperBound, span.upperBound) } ?? span
    }
    bound()
  }

  private mutating func bound() {
    note.userName = note.userName.cut(toUTF8: Self.nameLimit)
    note.method = note.method.cut(toUTF8: Self.methodLimit)
    note.cursor = note.cursor.cut(toUTF8: Self.nameLimit)
    if note.series.count > Self.seriesLimit { note.series = Set(note.series.sorted().prefix(Self.seriesLimit)) }
    if note.wearers.count > Self.wearerLimit {
      note.wearers = Set(note.wearers.sorted().prefix(Self.wearerLimit))
      hasMoreWearers = true
    }
  }

  /// Whether the access concerned this person, or may have.
  public func concerns(_ wearer: WearerID) -> Bool { note.wearers.contains(wearer) || hasMoreWearers }
}

/// Key: number (u64). Tags: 1 user (u32), 2 the user's name, 3 method, 4 wearable (u32), 5 first, 6 last (i64), 7
/// calls, 8 samples (u64). 9 a wearer (u32; repeated), 10 there were more wearers (u8), 11 a series (u16; repeated). 12
/// earliest, 13 latest time of the data (i64), 14 cursor.
extension AccessRecord: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.accesses }
  static var tags: ClosedRange<UInt8> { 1...14 }

  var key: [UInt8] { [UInt8](bigEndian: number) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, note.user)
    if !note.userName.isEmpty { fields.put(2, note.userName) }
    fields.put(3, note.method)
    if let wearable = note.wearable { fields.put(4, wearable.number) }
    fields.put(5, first.microseconds)
    fields.put(6, last.microseconds)
    fields.put(7, note.calls)
    fields.put(8, note.samples)
    for wearer in note.wearers.sorted() { fields.put(9, wearer.number) }
    if hasMoreWearers { fields.put(10, flag: true) }
    for series in note.series.sorted() { fields.put(11, series) }
    if let span = note.span {
      fields.put(12, span.lowerBound.microseconds)
      fields.put(13, span.upperBound.microseconds)
    }
    if !note.cursor.isEmpty { fields.put(14, note.cursor) }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var user: UInt32?
    var texts: [UInt8: String] = [:]
    var wearable: UInt32?
    var times: [UInt8: Int64] = [:]
    var counts: [UInt8: UInt64] = [:]
    var wearers: Set<WearerID> = []
    var more: Bool?
    var series: Set<UInt16> = []
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&user)
      case 2, 3, 14:
        var text: String?
        fields.read(&text, atMost: Self.methodLimit)
        texts[tag] = text
      case 4: fields.read(&wearable)
      case 5, 6, 12, 13:
        var time: Int64?
        fields.read(&time)
        times[tag] = time
      case 7, 8:
        var count: UInt64?
        fields.read(&count)
        counts[tag] = count
      case 9:
        var number: UInt32?
        fields.read(&number)
        guard let number, wearers.count < Self.wearerLimit else { return nil }
        wearers.insert(WearerID(number: number))
      case 10: fields.read(&more)
      case 11:
        var number: UInt16?
        fields.read(&number)
        guard let number, series.count < Self.seriesLimit else { return nil }
        series.insert(number)
      default: break
      }
    }
    guard let number = key.bigEndian(UInt64.self), let user, let method = texts[3], let first = times[5],
      let last = times[6], let calls = counts[7], let samples = counts[8]
    else { return nil }
    var note = AccessNote(
      user: user, userName: texts[2] ?? "", method: method, wearable: wearable.map { WearableID(number: $0) })
    (note.calls, note.samples, note.wearers, note.series) = (calls, samples, wearers, series)
    note.cursor = texts[14] ?? ""
    if let from = times[12], let to = times[13], from <= to {
      note.span = WallTime(microseconds: from)...WallTime(microseconds: to)
    }
    self.init(
      number: number, note: note, first: WallTime(microseconds: first), last: WallTime(microseconds: last))
    hasMoreWearers = more ?? false
  }
}
