// Hub and wearables as an edge node of Sparkplug B, and the retained status: messages sent at once, before rows.

import CivilTime
internal import EventLoop
internal import HubProtocol
internal import JSONText
internal import UplinkMessages

/// Births, deaths, live values and the status document of one hub.
@LoopActor
final class NodeVoice {
  /// Shortest time between two answers to birth requests: a publisher may send a thousand of them.
  static let rebirthPause: Duration = .seconds(5)
  /// Shortest time between two status documents if only constantly changing figures, such as the backlog, changed.
  static let statusPause: Duration = .seconds(60)
  /// Expiry of the status, s. With Sparkplug the will is the node's death, and MQTT has only one will. So the retained
  /// status of a dead hub expires by itself, after two and a half times the interval of its repetition.
  private static let statusExpiry = UInt32(statusPause.inSeconds * 2.5)
  /// µs; a value older than this when it is published is marked as historical.
  static let historicalAfter: Int64 = 60_000_000
  private static let seriesLimit = 64
  private static let deviceLimit = 512

  private struct Value {
    var numbers: [ExactNumber]
    var unit: String
    /// µs since 1970
    var time: Int64
    var isNew: Bool
  }

  private let loop: any Loop
  private let outbox: Outbox
  let topics: UplinkTopics
  /// False: only the retained status is published.
  private let speaksSparkplug: Bool
  private var node: SparkplugNode
  private var news = PublishedStatus()
  private var values: [String: [String: Value]] = [:]
  private var wantsBirths = false
  private var lastBirths: Instant?
  private var saidNode: [String: SparkplugValue] = [:]
  private var saidStatus: (document: JSON, at: Instant)?
  private(set) var ignored = 0
  private(set) var liveValues = 0
  /// Additional data of the status document: backlog, losses.
  var backlog: (rows: Int64, hours: Double?) = (0, nil)
  var ownTroubles: [String] = []
  /// The store's identity, and the mark of this machine; nil: unknown.
  var identity: (store: UInt64?, machine: String?)

  init(_ loop: any Loop, _ outbox: Outbox, _ topics: UplinkTopics, birthDeath: UInt64, speaksSparkplug: Bool) {
    (self.loop, self.outbox, self.topics) = (loop, outbox, topics)
    self.speaksSparkplug = speaksSparkplug
    node = SparkplugNode(birthDeath: birthDeath)
  }

  /// Birth number of the latest connection.
  var birth: UInt8 { node.birth }

  private var time: UInt64 { UInt64(max(0, loop.wall.microseconds / 1000)) }

  // MARK: Connections

  /// The will of a new connection.
  func will() -> BrokerMessage {
    speaksSparkplug ? BrokerMessage(topics.nodeDeath, node.beginConnection(), quality: 1) : offline
  }

  private var offline: BrokerMessage {
    BrokerMessage(topics.status, JSON.object([JSON.Member("state", "offline")]).compact, quality: 1, isRetained: true)
  }

  func connected() {
    saidStatus = nil
    births()
  }

  /// Messages to send before a regular end of the connection, at which the broker discards the will.
  func farewell() -> [BrokerMessage] {
    (speaksSparkplug ? [BrokerMessage(topics.nodeDeath, node.death(), quality: 0)] : []) + [offline]
  }

  /// Handles a request for births; every other message is counted and dropped.
  func arrived(_ topic: String, _ payload: [UInt8]) {
    if topic == topics.nodeCommand, SparkplugCommand.asksForRebirth(payload) {
      wantsBirths = true
    } else {
      ignored += 1
    }
  }

  // MARK: Input from the daemon

  func heard(_ news: PublishedStatus) {
    let before = self.news
    self.news = news
    let known = Set(news.devices.map(\.name))
    values = values.filter { known.contains($0.key) }
    guard outbox.isConnected else { return }
    if speaksSparkplug { sayChanges(since: before) }
    sayStatus()
  }

  private func sayChanges(since before: PublishedStatus) {
    for device in before.devices where node.isBorn(device.name) {
      if news.devices.contains(where: { $0.name == device.name && $0.isHere }) { continue }
      outbox.say(BrokerMessage(topics.deviceDeath(device.name), node.deviceDeath(device.name, time: time), quality: 0))
    }
    for device in news.devices where device.isHere {
      if !node.isBorn(device.name) {
        birth(device)
      } else if let old = before.devices.first(where: { $0.name == device.name }), old != device {
        say(metrics(of: device).filter { !metrics(of: old).contains($0) }, of: device.name)
      }
    }
    let now = nodeMetrics()
    let changed = now.filter { saidNode[$0.name] != $0.value }
    if !changed.isEmpty { say(changed, of: "") }
    for metric in now { saidNode[metric.name] = metric.value }
  }

  /// Stores a live value: only the newest of each series is kept until it is published.
  func heard(live sample: JSON) {
    guard let device = sample["device"]?.text, let series = sample["series"]?.text,
      let time = sample["time"]?.text.flatMap(moment(rfc3339:)), sample["period_ns"] == nil,
      let value = sample["value"], values.count < Self.deviceLimit || values[device] != nil
    else { return }
    var numbers: [ExactNumber] = []
    guard UplinkRow.collect(value, into: &numbers, depth: 1), !numbers.isEmpty, numbers.count <= 16 else { return }
    liveValues += 1
    if values[device]?[series] == nil, values[device]?.count ?? 0 >= Self.seriesLimit { return }
    if let known = values[device]?[series], known.time > time { return }
    let kept = Value(numbers: numbers, unit: sample["unit"]?.text ?? "", time: time, isNew: true)
    values[device, default: [:]][series] = kept
  }

  /// Called each second: publishes new values, one message for each wearable.
  func tick() {
    if wantsBirths, outbox.isConnected, lastBirths.map({ loop.now - $0 >= Self.rebirthPause }) ?? true { births() }
    for device in values.keys.sorted() {
      // Values wait while there is no room; then only the newest is published.
      if !outbox.mayBeSaid { return }
      sayLive(device)
    }
  }

  private func sayLive(_ device: String) {
    guard let all = values[device], all.contains(where: \.value.isNew) else { return }
    var fresh: [SparkplugMetric] = []
    for (series, value) in all.sorted(by: { $0.key < $1.key }) where value.isNew {
      fresh += metrics(series, value)
      values[device]?[series]?.isNew = false
    }
    let isKnown = fresh.allSatisfy { node.isBorn(device, $0.name) }
    if isKnown { return say(fresh, of: device) }
    // A wearable that delivers values is present, whatever the last poll reported.
    let known = news.devices.first { $0.name == device }
    birth(known ?? PublishedStatus.Device(name: device, state: "live"))
  }

  // MARK: Births

  private func births() {
    (wantsBirths, lastBirths) = (false, loop.now)
    if !speaksSparkplug { return sayStatus() }
    let own = nodeMetrics()
    saidNode = Dictionary(own.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    outbox.say(BrokerMessage(topics.nodeBirth, node.nodeBirth(own, time: time), quality: 0))
    for device in news.devices where device.isHere { birth(device) }
    sayStatus()
  }

  private func birth(_ device: PublishedStatus.Device) {
    var all = metrics(of: device)
    for (series, value) in (values[device.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
      all += metrics(series, value)
    }
    outbox.say(
      BrokerMessage(topics.deviceBirth(device.name), node.deviceBirth(device.name, all, time: time), quality: 0))
  }

  private func say(_ metrics: [SparkplugMetric], of device: String) {
    if metrics.isEmpty { return }
    let topic = device.isEmpty ? topics.nodeData : topics.deviceData(device)
    outbox.say(BrokerMessage(topic, node.data(device, metrics, time: time), quality: 0))
  }

  private func metrics(_ series: String, _ value: Value) -> [SparkplugMetric] {
    let isOld = loop.wall.microseconds - value.time > Self.historicalAfter
    return value.numbers.enumerated().map { place, number in
      SparkplugMetric(
        value.numbers.count == 1 ? series : "\(series)/\(place)", .double(number.approximate),
        time: UInt64(max(0, value.time / 1000)), unit: value.unit, isHistorical: isOld)
    }
  }

  private func metrics(of device: PublishedStatus.Device) -> [SparkplugMetric] {
    [
      SparkplugMetric("State", .text(device.state), time: time),
      SparkplugMetric(
        "Battery", device.battery.map { .double(Double($0)) } ?? .unknownDouble, time: time, unit: "%"),
    ]
  }

  private func nodeMetrics() -> [SparkplugMetric] {
    let values: [(String, SparkplugValue)] = [
      ("Properties/Version", .text(news.version)), ("Status/Phase", .text(news.phase)),
      ("Status/Wearables", .int64(Int64(news.devices.count))),
      ("Status/Present", .int64(Int64(news.devices.count(where: \.isHere)))),
      ("Status/Missing", .text(news.missing.joined(separator: " "))),
      ("Status/Troubles", .text((news.troubles + ownTroubles).joined(separator: " "))),
      ("Status/Lost Rows", .int64(news.lostRows)), ("Status/Backlog Rows", .int64(backlog.rows)),
    ]
    return values.map { SparkplugMetric($0.0, $0.1, time: time) }
  }

  // MARK: Status

  /// Publishes the retained status, so that later subscribers receive it too.
  private func sayStatus() {
    if news.name.isEmpty || !outbox.isConnected { return }
    let lost: JSON =
      news.lostRows == 0
      ? .null
      : [
        "code": "H9007", "rows": .integer(news.lostRows), "from": .optional(news.lostFrom),
        "to": .optional(news.lostTo),
      ]
    let lasting: [JSON.Member] = [
      JSON.Member("schema", "io.hearth.uplink.status/1"), JSON.Member("state", "online"),
      JSON.Member("hub", .string(news.name)), JSON.Member("version", .string(news.version)),
      JSON.Member("phase", .string(news.phase)), JSON.Member("zone", .optional(news.zone)),
      JSON.Member("store", .optional(identity.store.map(RowGroup.storeText))),
      JSON.Member("machine", .optional(identity.machine)),
      JSON.Member("wearables", .integer(Int64(news.devices.count))),
      JSON.Member("present", .integer(Int64(news.devices.count(where: \.isHere)))),
      JSON.Member("missing", .array(news.missing.map { .string($0) })),
      JSON.Member("troubles", .array((news.troubles + ownTroubles).map { .string($0) })),
      JSON.Member("losses", lost),
    ]
    let now = loop.now
    if let saidStatus, saidStatus.document == .object(lasting), now - saidStatus.at < Self.statusPause { return }
    saidStatus = (.object(lasting), now)
    let backlog: JSON = [
      "rows": .integer(backlog.rows), "hours": backlog.hours.map { JSON(($0 * 10).rounded() / 10) } ?? .null,
    ]
    let document = JSON.object(
      lasting + [
        JSON.Member("backlog", backlog), JSON.Member("time", .string(momentText(loop.wall.microseconds, .exact))),
      ])
    let expiry = speaksSparkplug ? Self.statusExpiry : nil
    outbox.say(BrokerMessage(topics.status, document.compact, quality: 1, isRetained: true, expiry: expiry))
  }
}
