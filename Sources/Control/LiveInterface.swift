// Live values to one client (`Live`): each as it comes, or once in a while the newest of each series.

internal import EventLoop
internal import Export
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore

extension HubInterface: LiveMethods {
  /// Values, one a reply, until the client goes.
  func live(_ parameters: Methods.Live.Parameters) async throws -> Methods.Live.Reply? {
    let stream = LiveStream(connection, server)
    let newest = parameters.every.map { NewestValues(stream, server.loop, every: .seconds(Int64($0))) }
    let token = try service.subscribeLive(parameters.name) { value in
      if let newest { newest.take(value) } else { stream.give([value]) }
    }
    // Reading the values of one wearable counts as looking at it.
    let watch = parameters.name.map { OperatorKeepAlive($0, service, server.loop) }
    await connection.ended()
    watch?.end()
    service.unsubscribeLive(token)
    newest?.end()
    stream.end()
    return nil
  }
}

/// The replies of one client.
@LoopActor
private final class LiveStream {
  /// Far below the limit of output that may wait (`ControlConnection.pushLimit`), so that a client that reads is never
  /// too slow.
  private static let writeSize = 16 << 10

  private let connection: ControlConnection
  private let server: ControlServer
  private let notes: LiveNotes

  init(_ connection: ControlConnection, _ server: ControlServer) {
    (self.connection, self.server) = (connection, server)
    notes = LiveNotes(connection, server)
  }

  /// Sends a reply for each value, with one write for about a hundred of them.
  func give(_ values: [LiveValue]) {
    var message: [UInt8] = []
    for value in values {
      if message.count >= Self.writeSize {
        if !push(message) { return }
        message.removeAll(keepingCapacity: true)
      }
      notes.add(value)
      // Messages end with a zero byte; the last one's is the connection's to add.
      if !message.isEmpty { message.append(0) }
      message += #"{"parameters":{"sample":"#.utf8
      message += SampleExport.liveObject(value.sample, device: value.wearable, address: value.address.description)
      message += #"},"continues":true}"#.utf8
    }
    _ = push(message)
  }

  /// False: it does not read, and is closed.
  private func push(_ message: [UInt8]) -> Bool {
    if connection.push(message) { return true }
    server.noteSlow(connection)
    connection.close()
    return false
  }

  func end() { notes.end() }
}

/// Keeps the newest value of each series of each wearable, and passes on new ones once in `every`. Without values it
/// never wakes.
@LoopActor
private final class NewestValues {
  private let stream: LiveStream
  private let loop: any Loop
  private let every: Duration
  /// Values in the order in which their first values since the last time came.
  private var waiting: [LiveValue] = []
  /// Rings of the waiting values, in their order. A few for each wearable: a linear search costs less than hashing.
  private var rings: [RingID] = []
  private var last: Instant?
  private var timer: LoopTimer?

  init(_ stream: LiveStream, _ loop: any Loop, every: Duration) {
    (self.stream, self.loop, self.every) = (stream, loop, every)
  }

  func take(_ value: LiveValue) {
    let sample = value.sample
    let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
    if let place = rings.firstIndex(of: ring) {
      waiting[place] = value
      return
    }
    rings.append(ring)
    waiting.append(value)
    if timer != nil { return }
    let due = last.map { $0 + every } ?? loop.now
    timer = loop.schedule(at: max(loop.now, due)) { [weak self] in self?.give() }
  }

  private func give() {
    (timer, last) = (nil, loop.now)
    let values = waiting
    waiting.removeAll(keepingCapacity: true)
    rings.removeAll(keepingCapacity: true)
    stream.give(values)
  }

  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }
}
