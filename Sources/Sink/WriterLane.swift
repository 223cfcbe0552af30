// Writes messages to the database: one group after the other, each retried until it succeeds, and only then
// acknowledged.

internal import EventLoop
internal import Reasons
internal import UplinkMessages

/// Counts since the start.
struct SinkCounts: Sendable {
  var rows = 0
  var new = 0
  var messages = 0
  var groups = 0
  var aside = 0
}

@LoopActor
final class WriterLane {
  /// Payload bytes of one group.
  private static let groupBytes = 8 << 20

  private let loop: EpollLoop
  private let settings: SinkSettings
  private let log: SinkLog
  private var inbox = Inbox()
  private var connection: (database: Database, writer: GroupWriter?)?
  private var backoff = Backoff()
  private var waiting: CheckedContinuation<Void, Never>?
  private var isStopped = false
  private(set) var counts = SinkCounts()
  let still: StillWatch
  var onWritten: @LoopActor ([Delivery]) -> Void = { _ in }
  /// Called with whether the broker should wait.
  var onFull: @LoopActor (Bool) -> Void = { _ in }

  init(_ loop: EpollLoop, _ settings: SinkSettings, _ log: SinkLog) {
    (self.loop, self.settings, self.log) = (loop, settings, log)
    still = StillWatch(loop, log)
  }

  func take(_ delivery: Delivery) {
    inbox.append(delivery)
    if isFull { onFull(true) }
    wake()
  }

  /// True if the inbox is full. In MQTT 3.1.1 the broker knows no limit for unacknowledged messages.
  private var isFull: Bool { inbox.isFull || inbox.count >= 2 * settings.broker.inFlight }

  func forgetUnacknowledged() {
    inbox.forgetUnacknowledged()
    onFull(false)
  }

  /// Finishes the current write and takes no further messages.
  func stop() {
    isStopped = true
    wake()
  }

  /// Aborts the current write.
  func giveUp() { connection?.database.close() }

  /// Runs until it is stopped.
  func run() async {
    while !isStopped {
      if inbox.isEmpty {
        await withCheckedContinuation { waiting = $0 }
        continue
      }
      if inbox.count < settings.broker.inFlight / 2, settings.database.groupWait > .zero {
        try? await loop.sleep(for: settings.database.groupWait)
      }
      let (deliveries, group) = next()
      if !isFull { onFull(false) }
      if await write(group) {
        counts.messages += deliveries.count
        onWritten(deliveries)
      }
    }
    connection?.database.close()
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }

  private func next() -> ([Delivery], Group) {
    var (deliveries, group): ([Delivery], Group) = ([], Group())
    var (rows, bytes) = (0, 0)
    while rows < settings.database.groupRows, bytes < Self.groupBytes, let delivery = inbox.next() {
      deliveries.append(delivery)
      let message = delivery.message
      bytes += message.payload.count
      switch Taken(message, part: settings.broker.part) {
      case .batch(let taken):
        rows += taken.batch.rows
        group.batches.append(taken)
      case .word(let hub, let word, let isRetained): group.words.append((hub, word, isRetained))
      case .quarantined(let aside): group.aside.append(aside)
      case .nothing: break
      }
    }
    return (deliveries, group)
  }

  /// Writes a group. True when it is committed; false only if the sink is stopped before.
  private func write(_ group: Group) async -> Bool {
    if group.isEmpty { return true }
    while !isStopped {
      do throws(DatabaseTrouble) {
        try await writeOnce(group)
        return true
      } catch {
        if error.isOfMoment { continue }
        if error.isOfData {
          if await writeApart(group, error) { return true }
          continue
        }
        await rest(error)
      }
    }
    return false
  }

  private func writeOnce(_ group: Group) async throws(DatabaseTrouble) {
    let began = loop.now
    still.begin()
    defer { still.end() }
    let writer = try await opened()
    let written = try await writer.write(group)
    backoff.succeeded()
    still.succeeded()
    counts.rows += written.rows
    counts.new += written.new
    counts.groups += 1
    counts.aside += written.aside.count
    for news in written.news { log.info(news) }
    for heir in written.heirs {
      if heir.isSameMachine { log.info(heir.words) } else { log.warning("\(Reason.sinkStoreTwice.code) \(heir.words)") }
    }
    for aside in written.aside + written.dropped { log.warning("\(aside.reason.code) \(aside.topic): \(aside.cause)") }
    log.debug(
      "written batches=\(group.batches.count) rows=\(written.rows) new=\(written.new) "
        + "ms=\(Int((loop.now - began).inSeconds * 1000))")
  }

  /// Writes each message of a group separately, because one cannot be stored; that one is put aside. False: try again.
  private func writeApart(_ group: Group, _ trouble: DatabaseTrouble) async -> Bool {
    let parts =
      group.batches.map { Group(batches: [$0]) } + group.aside.map { Group(aside: [$0]) }
      + group.words.map { Group(words: [$0]) }
    if parts.count > 1 {
      for part in parts { if !(await write(part)) { return false } }
      return true
    }
    if let batch = group.batches.first {
      var aside = batch.message
      aside.cause = "store \(RowGroup.storeText(batch.batch.store)), sent \(batch.batch.sentMs): \(trouble)"
      return await write(Group(aside: [aside]))
    }
    // A database with an encoding that lacks letters of a hub's name can still store the message's bytes.
    if let aside = group.aside.first, let plain = aside.inASCII { return await write(Group(aside: [plain])) }
    log.warning("\(Reason.sinkDatabase.code) a message is dropped: \(trouble)")
    return true
  }

  private func opened() async throws(DatabaseTrouble) -> GroupWriter {
    if let writer = connection?.writer { return writer }
    let database = try await Database.open(loop, settings.database.address)
    connection = (database, nil)
    let writer = try await GroupWriter.make(database, settings.database)
    connection?.writer = writer
    log.info("database connected")
    return writer
  }

  /// Closes a failed connection: the cached numbers may not fit the database of the next one.
  private func rest(_ trouble: DatabaseTrouble) async {
    connection?.database.close()
    connection = nil
    let wait = backoff.next()
    let error = HearthError(.sinkDatabase, "\(trouble)")
    log.warning("\(error); next try in \(Int(wait.inSeconds * 1000)) ms")
    try? await loop.sleep(for: wait)
  }
}
