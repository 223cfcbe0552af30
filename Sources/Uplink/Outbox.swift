// Queue of messages to the broker, with their acknowledgements. Live values and births are sent at once. Rows wait
// their turn and are kept until they are acknowledged, over any number of connections.

internal import EventLoop
internal import Reasons

/// Outbox to the broker.
///
/// Guarantees:
/// - Rows leave in the order in which they were given, also after a lost connection.
/// - Unacknowledged rows never exceed the window by more than one message.
/// - Other messages are sent before rows.
@LoopActor
final class Outbox {
  /// A broker that accepts messages and acknowledges no message for this long has a full disk, or no majority.
  static let acknowledgementLimit: Duration = .seconds(120)
  /// Bytes in flight while the speed of the link is unknown; `leastWindow` is the minimum at any time.
  private static let firstWindow = 16 << 10
  private static let leastWindow = 2 << 10
  /// A slower acknowledgement means that messages delay each other, and live values.
  private static let patience: Duration = .milliseconds(1500)

  struct Figures {
    var messages = 0
    var bytes = 0
    var rowsSent = 0
    var rowsAcknowledged = 0
    var lastAcknowledged: WallTime?
    var rowRate = 0.0
    var byteRate = 0.0
  }

  private struct Entry {
    var message: BrokerMessage
    var rows: Int
    var order: UInt64
    /// nil: not in flight on this connection.
    var number: Int32?
    var sent: Instant
    var wasSent = false
    /// Batches are for a sink; rows as JSON may have a reader that subscribes to some topics only.
    var needsReader: Bool { message.topic.hasSuffix("/rows") }
  }

  let loop: any Loop
  private let broker: any Broker
  private let window: Int
  private let rate: LinkRate
  private var entries: [Entry] = []
  private var bytesHeld = 0
  private var bytesUnderWay = 0
  private var allowed = Outbox.firstWindow
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var pumpTimer: LoopTimer?
  private var lastProgress: Instant
  private(set) var figures = Figures()
  private(set) var isConnected = false
  private(set) var isStopped = false
  private var readers = ReaderWatch()
  var packets = PacketFit()
  var on = Callbacks()

  struct Callbacks {
    /// Called when it becomes known that a client reads rows, or that no client does.
    var reading: (@LoopActor (_ isRead: Bool) -> Void)?
    /// Called when rows of a resend order are acknowledged.
    var acknowledged: (@LoopActor (_ order: UInt64, _ rows: Int) -> Void)?
    /// Called if the broker refused a message, or acknowledges no message: a new connection is needed.
    var trouble: (@LoopActor (HearthError) -> Void)?
  }

  /// - Parameter rate: limit of the link, which several outboxes may share.
  init(_ loop: any Loop, _ broker: any Broker, window: Int, rate: LinkRate) {
    (self.loop, self.broker, self.window, self.rate) = (loop, broker, window, rate)
    lastProgress = loop.now
  }

  var held: (messages: Int, bytes: Int) { (entries.count, bytesHeld) }

  // MARK: Connection

  /// Allows messages other than rows; rows wait for `connected`.
  func live() { isConnected = true }

  func connected() {
    isConnected = true
    (packets.oversized, packets.forbidden) = (nil, nil)
    readers.connected()
    if let limit = broker.packetLimit, entries.contains(where: { $0.message.mostBytes > limit }) {
      entries = []
      bytesHeld = 0
      packets.forgotten += 1
    }
    allowed = Self.firstWindow
    lastProgress = loop.now
    pump()
    wake()
  }

  func lost() {
    isConnected = false
    (packets.said, packets.optional) = ([:], [])
    bytesUnderWay = 0
    for place in entries.indices { entries[place].number = nil }
    wake()
  }

  func stop() {
    isStopped = true
    wake()
  }

  // MARK: Live values, births, status

  /// Whether a message may be sent now. With a rate limit, these messages are limited as well.
  var mayBeSaid: Bool { isConnected && !broker.isCongested && rate.said.isOpen(loop.now) }

  /// Whether all messages with an acknowledgement are acknowledged. A connection that ends earlier would lose what the
  /// broker has not read yet.
  var isSaid: Bool { packets.said.isEmpty }

  /// Sends a message now, before all rows. False: it was not sent.
  ///
  /// - Parameter isOptional: if the broker refuses it, rows continue. At most 256 of these are unacknowledged.
  @discardableResult
  func say(_ message: BrokerMessage, isOptional: Bool = false) -> Bool {
    guard isConnected, !isOptional || packets.takesOptional, let number = broker.publish(message) else { return false }
    if message.quality > 0 { packets.note(number, message.topic, isOptional) }
    rate.said.take(message.size, loop.now)
    count(message.size)
    return true
  }

  // MARK: Rows

  /// Suspends until one more message may be given. False: the outbox was stopped.
  func room() async -> Bool {
    while !isStopped, !isConnected || !entries.isEmpty && bytesHeld >= min(window, max(allowed, Self.leastWindow)) {
      await changed()
    }
    return !isStopped
  }

  /// Adds a message with rows. `order`: 0, or the number of a resend order.
  func give(_ message: BrokerMessage, rows: Int, order: UInt64 = 0) {
    entries.append(Entry(message: message, rows: rows, order: order, number: nil, sent: loop.now))
    bytesHeld += message.size
    pump()
  }

  /// Suspends until all messages of `order` are acknowledged. False: the outbox was stopped.
  func settled(order: UInt64 = 0) async -> Bool {
    while !isStopped, entries.contains(where: { $0.order == order }) { await changed() }
    return !isStopped
  }

  /// Bytes of a page that keep the link busy for half a second; nil: any size.
  var pageBytes: Int? { rate.total.rate.map { max(512, Int($0 / 2)) } }

  /// Largest message in bytes; nil: any.
  var messageLimit: Int? { broker.packetLimit }

  private func pump() {
    if let pumpTimer { loop.cancel(pumpTimer) }
    pumpTimer = nil
    if let pause = readers.pause(loop.now) { return pumpAgain(after: pause) }
    while isConnected, let place = entries.firstIndex(where: { $0.number == nil }) {
      let size = entries[place].message.size
      if let limit = broker.packetLimit, entries[place].message.mostBytes > limit {
        drop(place)
        continue
      }
      if bytesUnderWay > 0, readers.areMissing || bytesUnderWay + size > allowed { return }
      if broker.isCongested { return pumpAgain(after: .milliseconds(20)) }
      let wait = rate.total.wait(loop.now)
      if wait > .zero { return pumpAgain(after: wait) }
      guard let number = broker.publish(entries[place].message) else { return }
      if bytesUnderWay == 0 { lastProgress = loop.now }
      entries[place].number = number
      entries[place].sent = loop.now
      if !entries[place].wasSent { figures.rowsSent += entries[place].rows }
      entries[place].wasSent = true
      bytesUnderWay += size
      count(size)
    }
  }

  /// Drops a message longer than this broker accepts. Messages after it continue, and its sender starts again after the
  /// last confirmed row.
  private func drop(_ place: Int) {
    bytesHeld -= entries.remove(at: place).message.size
    packets.forgotten += 1
    wake()
  }

  /// Whether an acknowledgement with this packet identifier belongs to this outbox.
  func gave(_ number: Int32) -> Bool { packets.said[number] != nil || entries.contains { $0.number == number } }

  private func pumpAgain(after delay: Duration) {
    pumpTimer = loop.schedule(after: delay) { [weak self] in
      self?.pumpTimer = nil
      self?.pump()
    }
  }

  /// Handles a message that was acknowledged and dropped, because no client subscribes to it. Rows wait. A retained
  /// message, or one for which a reader may subscribe to parts, counts as delivered.
  func unread(_ number: Int32) {
    packets.said[number] = nil
    packets.optional.remove(number)
    guard let place = entries.firstIndex(where: { $0.number == number }) else { return }
    if entries[place].message.isRetained || !entries[place].needsReader { return acknowledged(number) }
    entries[place].number = nil
    bytesUnderWay -= entries[place].message.size
    lastProgress = loop.now
    if readers.missed(loop.now) { on.reading?(false) }
    pump()
  }

  func acknowledged(_ number: Int32) {
    packets.said[number] = nil
    packets.optional.remove(number)
    guard let place = entries.firstIndex(where: { $0.number == number }) else { return }
    let entry = entries.remove(at: place)
    if entry.needsReader, readers.read() { on.reading?(true) }
    let size = entry.message.size
    bytesHeld -= size
    bytesUnderWay -= size
    lastProgress = loop.now
    // Congestion control: the window grows while acknowledgements are quick, and shrinks by a quarter if not.
    if loop.now - entry.sent < Self.patience {
      allowed = min(max(window, Self.leastWindow), allowed + size)
    } else {
      allowed = max(Self.leastWindow, allowed / 4 * 3)
    }
    figures.rowsAcknowledged += entry.rows
    figures.lastAcknowledged = loop.wall
    lately.rows += Double(entry.rows)
    on.acknowledged?(entry.order, entry.rows)
    pump()
    wake()
  }

  /// Handles a refused message: it stays, and a new connection is made. A retained message without rows is dropped: an
  /// access list that only allows rows is no reason to hold them.
  func refused(_ number: Int32, _ error: HearthError) {
    let entry = entries.first { $0.number == number }
    if let entry, entry.message.isRetained, entry.rows == 0 { return acknowledged(number) }
    if entry == nil, packets.optional.remove(number) != nil {
      packets.forbidden = HearthError(error.reason, error.detail + ", topic \(packets.said[number] ?? "?"): rows go on")
      packets.said[number] = nil
      return
    }
    let topic = entry?.message.topic ?? packets.said[number]
    on.trouble?(HearthError(error.reason, error.detail + (topic.map { ", topic \($0)" } ?? "")))
  }

  /// Called each second.
  func tick() {
    figures.rowRate += (lately.rows - figures.rowRate) / 30
    figures.byteRate += (lately.bytes - figures.byteRate) / 30
    lately = (0, 0)
    if isConnected, bytesUnderWay > 0, loop.now - lastProgress > Self.acknowledgementLimit {
      on.trouble?(
        HearthError(
          .uplinkUnacknowledged, "\(entries.count) messages for \(Int(Self.acknowledgementLimit.inSeconds)) s"))
    }
  }

  /// Bytes and rows in the last second.
  private var lately = (rows: 0.0, bytes: 0.0)

  private func count(_ size: Int) {
    figures.messages += 1
    figures.bytes += size
    lately.bytes += Double(size)
    rate.total.take(size, loop.now)
  }

  // MARK: Waiting

  private func changed() async { await withCheckedContinuation { waiters.append($0) } }

  private func wake() {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume() }
  }
}
