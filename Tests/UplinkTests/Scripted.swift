import EventLoop
import HubProtocol
import Reasons

@testable import Uplink

/// A broker as a test wants it.
@LoopActor
final class ScriptedBroker: Broker {
  var onEvent: (@LoopActor (BrokerEvent) -> Void)?
  let loop: any Loop
  let place = "broker:1883"
  var isCongested = false
  /// Bytes of a packet; what is longer ends the connection, as brokers do it.
  var packetLimit: Int?
  /// What is longer goes nowhere, and the connection stays: as of the real one.
  var keepsLongBack = false
  /// No client subscribes to batches.
  var isUnread = false
  /// nil: no acknowledgements.
  var acknowledgesAfter: Duration? = .milliseconds(20)
  /// Whether the broker refuses messages on a topic, by its access list.
  var forbids: @Sendable (String) -> Bool = { _ in false }
  /// What the next connections come to.
  var refusals: [HearthError] = []
  private(set) var said: [(message: BrokerMessage, at: Instant)] = []
  private(set) var connects: [Instant] = []
  private(set) var subscriptions: [String] = []
  private(set) var unacknowledged = 0
  private(set) var mostUnacknowledged = 0
  private(set) var isUp = false
  private(set) var endedInOrder = false
  private(set) var will: BrokerMessage?
  private var number: Int32 = 0
  private var connection = 0

  init(_ loop: any Loop) { self.loop = loop }

  func connect(will: BrokerMessage) {
    self.will = will
    connects.append(loop.now)
    connection += 1
    let error = refusals.isEmpty ? nil : refusals.removeFirst()
    loop.schedule(after: .milliseconds(10)) { [weak self] in
      guard let self else { return }
      if let error { return onEvent?(.lost(error)) ?? () }
      isUp = true
      onEvent?(.connected(protocol: "MQTT 5"))
    }
  }

  func subscribe(_ topic: String) { subscriptions.append(topic) }

  func publish(_ message: BrokerMessage) -> Int32? {
    if !isUp { return nil }
    if let packetLimit, message.mostBytes - 20 > packetLimit {
      // What is said beside rows is left out, as of the real one.
      if !keepsLongBack, message.topic.hasPrefix("hearth/1/"), !message.topic.hasSuffix("/status") {
        lose(HearthError(.uplinkBrokerUnreachable, "a packet that is too long"))
      }
      return nil
    }
    number += 1
    said.append((message, loop.now))
    if message.quality == 0 { return number }
    let isRow = message.topic.hasSuffix("/rows")
    if isRow { unacknowledged += message.size }
    mostUnacknowledged = max(mostUnacknowledged, unacknowledged)
    guard let acknowledgesAfter else { return number }
    let (own, mine) = (number, connection)
    loop.schedule(after: acknowledgesAfter) { [weak self] in
      guard let self, isUp, connection == mine else { return }
      if isRow { unacknowledged -= message.size }
      let isUnread = isUnread && !message.isRetained && !message.topic.contains("/json/")
      if forbids(message.topic) {
        return onEvent?(.refused(own, HearthError(.uplinkBrokerRefuses, "not authorised"))) ?? ()
      }
      onEvent?(isUnread ? .unread(own) : .acknowledged(own))
    }
    return number
  }

  func disconnect(inOrder: Bool) {
    (isUp, endedInOrder, unacknowledged) = (false, inOrder, 0)
  }

  /// The link ends.
  func lose(_ error: HearthError) {
    (isUp, unacknowledged) = (false, 0)
    onEvent?(.lost(error))
  }

  func messages(_ part: String) -> [BrokerMessage] { said.map(\.message).filter { $0.topic.contains(part) } }
}

/// What an uplink leaves to the next one.
@LoopActor
final class StoredMemory: UplinkMemory {
  /// Touched on the loop, and between two worlds.
  nonisolated(unsafe) var bytes: [UInt8]?
  nonisolated init() {}
  func load() -> [UInt8]? { bytes }
  func keep(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A daemon with rows of one ring.
@LoopActor
final class ScriptedDaemon {
  let loop: any Loop
  var rows = 0
  /// Of the cursor `uplink`, and of every other.
  var confirmed: Int { places["uplink"] ?? 0 }
  private(set) var places: [String: Int] = [:]
  private(set) var confirmations: [Instant] = []
  var lost = 0
  /// A row that a wearable made up.
  var odd: Int?
  /// The wearer, and identifiers of the house by name.
  var wearer: String?
  var ids: [String: String] = [:]
  /// A row with a long waveform.
  var wide: Int?
  /// Of a row the series.
  var series: @Sendable (Int) -> String = { _ in "heart_rate" }
  /// Of a row its place; one of several parts has the last of them.
  var ordinal: @Sendable (Int) -> Int = { $0 }
  var device = "live"
  var names = ["strap-01"]
  var isDown = false
  /// Asked, and not answered yet.
  var onCall: ((String) -> Void)?
  /// Rows that were given before the hub's clock was known, until they are confirmed.
  var retimed = 0
  private(set) var retimedConfirmed = 0
  var live: [CheckedContinuation<JSON?, Never>] = []

  init(_ loop: any Loop) { self.loop = loop }

  func connect() throws(HearthError) -> any HubCalling {
    if isDown { throw HearthError(.uplinkHubSilent, "nobody answers") }
    return Connection(self)
  }

  func sayLive(_ rate: Int) {
    let waiting = live
    live = []
    for one in waiting { one.resume(returning: ["sample": sample(rate, at: loop.wall)]) }
  }

  func end() {
    let waiting = live
    live = []
    for one in waiting { one.resume(returning: nil) }
  }

  func sample(_ number: Int, at time: WallTime) -> JSON {
    [
      "device": "strap-01", "address": "A0:9E:1A:00:00:01", "series": .string(series(number)), "unit": "bpm",
      "origin": "live",
      "time": .string(text(time)),
      "value": number == odd ? .decimal("1e300") : number == wide ? wave : .integer(Int64(value(number))),
      "enrolment": 1,
      "way": "live",
      "ordinal": .integer(Int64(ordinal(number))), "wearer": .optional(wearer),
    ]
  }

  private func value(_ number: Int) -> UInt64 { SplitMix64.mix(UInt64(number)) % 9973 }
  /// No packer makes less than two bytes a number of it.
  private var wave: JSON { .array((0..<2000).map { .integer(Int64(value($0 + 70_000))) }) }

  private func text(_ time: WallTime) -> String {
    let second = time.microseconds / 1_000_000 - 1_795_255_200
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "2026-11-21T\(two(10 + second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)).000Z"
  }

  func page(_ range: Range<Int>, last: Bool) -> JSON {
    let start = VirtualLoop.morning
    let again = (0..<retimed).map { number in
      let row = sample(number, at: start + .seconds(2880 + number))
      guard case .object(let members) = row else { return row }
      return JSON.object(members + [JSON.Member("clock", "corrected"), JSON.Member("was", .string(text(start)))])
    }
    return [
      "retimed": again.isEmpty ? .null : .array(again),
      "samples": .array(range.map { sample($0, at: start + .seconds($0 % 3600)) }), "corrupt_chunks": 0,
      "store": "0123456789abcdef", "last": .bool(last), "corrections": .null,
    ]
  }

  @LoopActor
  final class Connection: HubCalling {
    private let daemon: ScriptedDaemon
    private var given: Int?
    private var isDone = false

    init(_ daemon: ScriptedDaemon) { self.daemon = daemon }

    func call(_ method: String, _ parameters: JSON) async throws(HearthError) -> JSON {
      daemon.onCall?(method)
      try? await daemon.loop.sleep(for: .milliseconds(2))
      switch method {
      case "Status":
        return [
          "status": [
            "name": "gym", "version": "1", "phase": "serving", "attention": .array([]),
            "store": [
              "unexported": .integer(Int64(daemon.rows - daemon.confirmed)),
              "evicted_unexported": .integer(Int64(daemon.lost)), "evicted_from": "2026-11-01T00:00:00.000Z",
              "evicted_to": "2026-11-02T00:00:00.000Z",
            ],
          ]
        ]
      case "Devices":
        return [
          "devices": .array(
            daemon.names.map { ["name": .string($0), "enrolled": true, "state": .string(daemon.device)] })
        ]
      case "WearerIds":
        return [
          "ids": .array(
            daemon.ids.sorted { $0.key < $1.key }.map { ["wearer": .string($0.key), "id": .string($0.value)] })
        ]
      default: return next(parameters)
      }
    }

    private func next(_ parameters: JSON) -> JSON {
      let cursor = parameters["cursor"]?.text ?? ""
      if parameters["confirm"]?.isTrue == true, let given {
        daemon.confirm(given, cursor)
        if isDone {
          self.given = nil
          isDone = false
          return daemon.page(0..<0, last: true)
        }
      } else if isDone {
        given = nil
        isDone = false
      }
      guard case .integer(let limit)? = parameters["limit"] else { return daemon.page(0..<0, last: true) }
      let from = given ?? daemon.places[cursor] ?? 0
      let to = min(daemon.rows, from + Int(limit))
      given = to
      isDone = to == daemon.rows
      return daemon.page(from..<to, last: isDone)
    }

    func stream(
      _ method: String, _ parameters: JSON, _ body: @LoopActor (JSON) async throws(HearthError) -> Void
    ) async throws(HearthError) {
      if method == "Export" {
        for start in stride(from: 0, to: daemon.rows, by: 512) {
          try await body(daemon.page(start..<min(daemon.rows, start + 512), last: false))
        }
        return
      }
      while true {
        let next = await withCheckedContinuation { daemon.live.append($0) }
        guard let next else { throw HearthError(.uplinkHubSilent, "hung up") }
        try await body(next)
      }
    }

    func close() {}
  }

  func confirm(_ given: Int, _ cursor: String) {
    places[cursor] = given
    if cursor != "uplink" { return }
    (retimed, retimedConfirmed) = (0, retimedConfirmed + retimed)
    confirmations.append(loop.now)
  }
}
