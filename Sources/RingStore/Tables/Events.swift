// The log of events: what a person will want to know happened. They wait in memory and travel with the next commit.

public import EventLoop
internal import StateCodec

/// Something that happened.
public struct StoreEvent: Sendable, Hashable {
  /// Grows with every event of the store.
  public let number: UInt64
  public let time: WallTime
  /// A reason's number.
  public let reason: UInt16
  public let wearable: WearableID?
  /// At most `textLimit` bytes of UTF-8; a longer one is cut.
  public let text: String

  public static let textLimit = 255

  public init(number: UInt64, time: WallTime, reason: UInt16, wearable: WearableID?, text: String) {
    self.number = number
    self.time = time
    self.reason = reason
    self.wearable = wearable
    self.text = text.cut(toUTF8: Self.textLimit)
  }
}

/// Events that wait for a commit.
struct EventQueue: Sendable {
  /// A burst of trouble; more than that in one commit's time says nothing new.
  static let limit = 256

  private(set) var waiting: [StoreEvent] = []
  /// Since start: events that never reached the disk because too many waited.
  private(set) var dropped: UInt64 = 0
  private var nextNumber: UInt64

  init(nextNumber: UInt64) { self.nextNumber = nextNumber }

  /// Numbered here, not when written: what is written twice, because a failed commit had arrived after all, is there
  /// once.
  mutating func add(time: WallTime, reason: UInt16, wearable: WearableID?, text: String) {
    waiting.append(StoreEvent(number: nextNumber, time: time, reason: reason, wearable: wearable, text: text))
    nextNumber = nextNumber == .max ? .max : nextNumber + 1
    trim()
  }

  mutating func take() -> [StoreEvent] {
    defer { waiting = [] }
    return waiting
  }

  /// For a commit that failed: the events wait again, before those that came since.
  mutating func putBack(_ events: [StoreEvent]) {
    waiting = events + waiting
    trim()
  }

  private mutating func trim() {
    let surplus = waiting.count - Self.limit
    if surplus <= 0 { return }
    waiting.removeFirst(surplus)
    dropped += UInt64(surplus)
  }
}

/// The table `events`.
enum Events {
  static func nextNumber(_ transaction: Transaction) throws(DatabaseFailure) -> UInt64 {
    try transaction.nextNumber(transaction.tables.events)
  }

  /// Pages that so many may need: a dozen of the longest fill one, and as many of the oldest give way.
  static func pages(_ count: Int) -> Int { count == 0 ? 0 : 4 + count / 5 }

  /// Writes events; one that is there already is only written over. The oldest give way.
  static func put(_ transaction: Transaction, _ events: [StoreEvent], limit: Int = TableLimits().events)
    throws(DatabaseFailure)
  {
    for event in events {
      try transaction.put(event)
      try transaction.giveWay(transaction.tables.events, limit: limit)
    }
  }

  /// The newest first.
  static func latest(_ transaction: Transaction, limit: Int) throws(DatabaseFailure) -> [StoreEvent] {
    try transaction.latest(StoreEvent.self, limit: limit).records
  }
}

/// Key: number (u64). Tags: 1 time (i64), 2 reason (u16), 3 wearable (u32), 4 text.
extension StoreEvent: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.events }
  static var tags: ClosedRange<UInt8> { 1...4 }

  var key: [UInt8] { [UInt8](bigEndian: number) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, time.microseconds)
    fields.put(2, reason)
    if let wearable { fields.put(3, wearable.number) }
    fields.put(4, text)
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var time: Int64?
    var reason: UInt16?
    var wearable: UInt32?
    var text: String?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&time)
      case 2: fields.read(&reason)
      case 3: fields.read(&wearable)
      case 4: fields.read(&text, atMost: Self.textLimit)
      default: break
      }
    }
    guard let number = key.bigEndian(UInt64.self), let time, let reason, let text else { return nil }
    self.init(
      number: number, time: WallTime(microseconds: time), reason: reason,
      wearable: wearable.map { WearableID(number: $0) }, text: text)
  }
}
