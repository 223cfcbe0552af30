// The event log: what a person will want to know. Events wait in memory and are written with the next commit.

public import EventLoop
internal import StateCodec

/// A log entry.
public struct StoreEvent: Sendable, Hashable {
  /// Number of the event; grows with every event of the store.
  public let number: UInt64
  /// Time of the event.
  public let time: WallTime
  /// Number of a reason code.
  public let reason: UInt16
  /// Wearable concerned; nil: the hub.
  public let wearable: WearableID?
  /// Text of at most `textLimit` bytes of UTF-8; a longer one is cut.
  public let text: String
  /// Time span of the event.
  public let span: EventSpan

  /// Longest text in bytes.
  public static let textLimit = 255

  /// An entry; a longer `text` is cut.
  public init(
    number: UInt64, time: WallTime, reason: UInt16, wearable: WearableID?, text: String, span: EventSpan = EventSpan()
  ) {
    self.number = number
    self.time = time
    self.reason = reason
    self.wearable = wearable
    self.text = text.cut(toUTF8: Self.textLimit)
    self.span = span
  }
}

/// The time span of an event: a lost link, a stopped hub, a failed radio.
///
/// `from` without `to`: it began then and goes on. Both: it lasted from then until then; with a count, it happened
/// that often in between. Neither: the event has one moment only.
public struct EventSpan: Sendable, Hashable {
  /// Begin; nil: a moment.
  public var from: WallTime?
  /// End, never before `from`.
  public var to: WallTime?
  /// Number of times that it happened, from 2 on; nil for once.
  public var count: UInt32?

  /// A span with an end before its beginning is dropped: the clock was set meanwhile.
  public init(from: WallTime? = nil, to: WallTime? = nil, count: UInt32? = nil) {
    let isTurned = if let from, let to { to < from } else { false }
    self.from = isTurned ? nil : from
    self.to = isTurned ? nil : to
    self.count = count.flatMap { $0 > 1 ? $0 : nil }
  }
}

/// Records that one commit writes beside samples.
struct EventBatch: Sendable {
  var events: [StoreEvent] = []
  /// The mark of this run of the hub, if it changed.
  var run: RunMark?
  /// Marks of readings, valid once the samples are durable. Made again from the waiting samples after a failed commit.
  var readings: [StateRecord<HubStates>] = []

  /// The clock of this boot, if it changed.
  var clock: BootClock?

  var isEmpty: Bool { events.isEmpty && run == nil && readings.isEmpty && clock == nil }
  /// Pages that the batch may need: a dozen of the longest events fill one, and as many of the oldest are deleted. The
  /// readings of a wearable fill half of one.
  var pages: Int {
    let known = readings.isEmpty ? 0 : readings.count + 6
    return (events.isEmpty ? 0 : 4 + events.count / 5) + (run == nil ? 0 : 3) + known + (clock == nil ? 0 : 6)
  }
}

/// Events that wait for a commit.
struct EventQueue: Sendable {
  /// Limit for a burst of trouble; more events within one commit's time add no information.
  static let limit = 256

  private(set) var waiting: [StoreEvent] = []
  /// The mark of this run, if it waits for a commit.
  var run: RunMark?
  /// The clock of this boot, if it waits for a commit.
  var clock: BootClock?
  /// Events since start that never reached the disk because too many waited.
  private(set) var dropped: UInt64 = 0
  private var nextNumber: UInt64

  init(nextNumber: UInt64) { self.nextNumber = nextNumber }

  /// Adds an event. Numbers are assigned here, not at writing: a failed commit may have arrived after all, and writing
  /// the same number again makes no duplicate.
  mutating func add(time: WallTime, reason: UInt16, wearable: WearableID?, text: String, span: EventSpan = EventSpan())
  {
    waiting.append(
      StoreEvent(number: nextNumber, time: time, reason: reason, wearable: wearable, text: text, span: span))
    nextNumber = nextNumber == .max ? .max : nextNumber + 1
    trim()
  }

  var isEmpty: Bool { waiting.isEmpty && run == nil && clock == nil }

  mutating func take() -> EventBatch {
    defer { (waiting, run, clock) = ([], nil, nil) }
    return EventBatch(events: waiting, run: run, clock: clock)
  }

  /// Restores the records of a failed commit: its events come before those added since. A newer mark has precedence.
  mutating func putBack(_ batch: EventBatch) {
    waiting = batch.events + waiting
    run = run ?? batch.run
    clock = clock ?? batch.clock
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

  /// Writes events, replacing those with the same number. The oldest are deleted.
  static func put(_ transaction: Transaction, _ batch: EventBatch, limit: Int = TableLimits().events)
    throws(DatabaseFailure)
  {
    if let run = batch.run { try run.put(transaction) }
    if let clock = batch.clock { try BootClocks.put(transaction, clock) }
    // A wearable that was forgotten meanwhile has no states.
    for state in batch.readings where try transaction.isEnrolled(state.wearable) { try transaction.put(state) }
    for event in batch.events {
      try transaction.put(event)
      try transaction.giveWay(transaction.tables.events, limit: limit)
    }
  }

  /// The newest events first, optionally only those below a number.
  static func latest(_ transaction: Transaction, limit: Int, before: UInt64? = nil) throws(DatabaseFailure)
    -> [StoreEvent]
  {
    try transaction.latest(StoreEvent.self, limit: limit, below: before.map { [UInt8](bigEndian: $0) }).records
  }
}

/// Key: number (u64). Tags: 1 time (i64), 2 reason (u16), 3 wearable (u32), 4 text, 5 from, 6 to (i64), 7 count (u32).
extension StoreEvent: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.events }
  static var tags: ClosedRange<UInt8> { 1...7 }

  var key: [UInt8] { [UInt8](bigEndian: number) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, time.microseconds)
    fields.put(2, reason)
    if let wearable { fields.put(3, wearable.number) }
    fields.put(4, text)
    if let from = span.from { fields.put(5, from.microseconds) }
    if let to = span.to { fields.put(6, to.microseconds) }
    if let count = span.count { fields.put(7, count) }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var time: Int64?
    var reason: UInt16?
    var wearable: UInt32?
    var text: String?
    var from: Int64?
    var to: Int64?
    var count: UInt32?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&time)
      case 2: fields.read(&reason)
      case 3: fields.read(&wearable)
      case 4: fields.read(&text, atMost: Self.textLimit)
      case 5: fields.read(&from)
      case 6: fields.read(&to)
      case 7: fields.read(&count)
      default: break
      }
    }
    guard let number = key.bigEndian(UInt64.self), let time, let reason, let text else { return nil }
    let span = EventSpan(
      from: from.map { WallTime(microseconds: $0) }, to: to.map { WallTime(microseconds: $0) }, count: count)
    self.init(
      number: number, time: WallTime(microseconds: time), reason: reason,
      wearable: wearable.map { WearableID(number: $0) }, text: text, span: span)
  }
}
