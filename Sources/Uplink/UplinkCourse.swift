// Composition of the uplink: broker connection with back-off, streams, births, orders.

import CivilTime
public import EventLoop
internal import HubProtocol
internal import JSONText
public import Reasons
internal import UplinkMessages

/// The whole uplink except sockets: runs in virtual time as well.
@LoopActor
public final class UplinkCourse {
  /// Interval of status queries, each of which costs the daemon some milliseconds with 30 wearables. A death, and the
  /// birth of a wearable without live values, are at most this late.
  nonisolated static let pollEvery: Duration = .seconds(30)
  /// The same after a query without a response.
  private nonisolated static let pollAgain: Duration = .seconds(10)
  private nonisolated static let livePause: Duration = .seconds(3)
  /// A connection that lasted this long resets the count of failures.
  private nonisolated static let steady: Duration = .seconds(10)

  /// Opens a connection to the hub.
  public typealias Connect = @LoopActor () throws(HearthError) -> any HubCalling

  private let loop: any Loop
  let broker: any Broker
  let settings: UplinkSettings
  private let connect: Connect
  /// An outbox for each form of rows; the first one also sends all other messages.
  let outboxes: [Outbox]
  let voice: NodeVoice
  private let home: HomeVoice
  let histories: [HistoryStream]
  let orders: ResendOrders
  let hub: String
  private var random: SplitMix64
  var connectedAt: (instant: Instant, wall: WallTime, words: String)?
  /// Counts in a row: failed connections, takeovers by another client, and connections that succeeded at the first try
  /// and ended soon.
  private var ends = (failures: 0, takeovers: 0, brief: 0)
  var tries = 0
  var nextTry: (timer: LoopTimer, at: WallTime)?
  var trouble = (broker: HearthError?.none, reader: HearthError?.none, hub: HearthError?.none)
  private let heritage: UplinkHeritage
  var news = PublishedStatus()
  /// Time by the monotonic clock.
  private var backlogSince: Instant?
  private let log: @LoopActor (HearthError?, String) -> Void

  /// - Parameters:
  ///   - hub: name of the hub, from the settings or the daemon.
  ///   - seed: seed of waits and order numbers; different for each process.
  ///   - memory: state of the previous uplink; nil: no state is stored.
  ///   - machine: mark of this machine, for a sink that receives two hubs with one store; nil: unknown.
  ///   - log: called for changes; with an error, or with nil when the fault is over.
  /// - Throws: `configUnreadable` if persons need a key and it is missing.
  public init(
    _ loop: any Loop, _ broker: any Broker, _ settings: UplinkSettings, hub: String, seed: UInt64,
    memory: (any UplinkMemory)? = nil, machine: String? = nil,
    log: @escaping @LoopActor (HearthError?, String) -> Void, connect: @escaping Connect
  ) throws(HearthError) {
    (self.loop, self.broker, self.settings, self.hub) = (loop, broker, settings, hub)
    (self.connect, self.log) = (connect, log)
    random = SplitMix64(seed: seed)
    let persons = try PersonNames(
      settings.persons, of: settings.personsOf, hub: "\(settings.group)/\(hub)", keyFile: settings.personsKey)
    let topics = UplinkTopics(group: settings.group, hub: hub)
    let rate = LinkRate(bits: settings.limit, now: loop.now)
    // Separate for each form: a form without a reader does not block the other.
    let forms: [UplinkSettings.Form] = settings.history.form == .both ? [.batches, .json] : [settings.history.form]
    let outboxes = forms.map { _ in Outbox(loop, broker, window: settings.history.window, rate: rate) }
    self.outboxes = outboxes
    let outbox = outboxes[0]
    let second = UInt64(max(0, loop.wall.microseconds / 1_000_000))
    heritage = UplinkHeritage(memory, birth: second)
    voice = NodeVoice(
      loop, outbox, topics, birthDeath: UInt64(heritage.legacy.birth), speaksSparkplug: settings.sparkplug)
    voice.identity.machine = machine
    home = HomeVoice(loop, outbox, topics, settings, hub: hub, persons, heritage)
    let senders = zip(outboxes, forms).map { PageSender(outbox: $0, topics: topics, form: $1, hub: hub) }
    let (own, none) = (heritage, UplinkHeritage(nil, birth: 0))
    histories = senders.enumerated().map { place, sender in
      HistoryStream(
        loop, settings, cursor: settings.cursor(of: place), sender, persons, place == 0 ? own : none, connect: connect)
    }
    orders = ResendOrders(loop, senders, persons, first: max(1, second), connect: connect)
    outbox.on.reading = { [weak self] isRead in self?.reading(isRead) }
    broker.onEvent = { [weak self] event in self?.happened(event) }
    outbox.on.acknowledged = { [weak self] order, rows in self?.orders.acknowledged(order, rows) }
    for outbox in outboxes { outbox.on.trouble = { [weak self] error in self?.begin(anew: error) } }
  }

  /// Starts everything; runs until `stop`.
  public func start() {
    loop.spawn { [self] in await poll() }
    for history in histories { loop.spawn { await history.run() } }
    if settings.live, settings.sparkplug || settings.home.isOn { loop.spawn { [self] in await listen() } }
    loop.spawn { [self] in
      while !outbox.isStopped {
        try? await loop.sleep(for: .seconds(1))
        for outbox in outboxes { outbox.tick() }
        voice.tick()
        home.tick()
      }
    }
    tryBroker()
  }

  /// Sends farewell messages if possible, within `patience`.
  public func stop(patience: Duration = .seconds(2)) async {
    if outbox.isConnected { for message in history.farewell() + voice.farewell() { outbox.say(message) } }
    if let nextTry { loop.cancel(nextTry.timer) }
    let end = loop.now + patience
    while outbox.isConnected, broker.isCongested || !outbox.isSaid, loop.now < end {
      try? await loop.sleep(for: .milliseconds(50))
    }
    for outbox in outboxes { outbox.stop() }
    broker.disconnect(inOrder: true)
  }

  // MARK: The broker

  private func tryBroker() {
    nextTry = nil
    if outbox.isStopped { return }
    tries += 1
    let will = voice.will()
    heritage.keep(birth: voice.birth)
    broker.connect(will: will)
  }

  private func reading(_ isRead: Bool) {
    let others = outboxes.count > 1 ? ": batches wait, rows as JSON do not" : ""
    let unread = HearthError(.uplinkNoReader, "\(broker.place), topic \(voice.topics.rows)\(others)")
    tell(&trouble.reader, isRead ? nil : unread, "")
    if isRead { log(nil, "a client reads rows again") }
  }

  private func happened(_ event: BrokerEvent) {
    if outbox.isStopped { return }
    switch event {
    case .connected(let words):
      connectedAt = (loop.now, loop.wall, words)
      if settings.sparkplug { broker.subscribe(voice.topics.nodeCommand) }
      for filter in home.filters { broker.subscribe(filter) }
      tell(&trouble.broker, nil, "connected by \(words)")
      // Births are sent before rows.
      for outbox in outboxes { outbox.live() }
      voice.connected()
      home.connected()
      for history in histories { history.connected() }
      for outbox in outboxes { outbox.connected() }
    case .lost(let error): lost(error)
    case .acknowledged(let number): outbox(of: number).acknowledged(number)
    case .unread(let number): outbox(of: number).unread(number)
    case .refused(let number, let error): outbox(of: number).refused(number, error)
    case .arrived(let topic, let payload): if !home.arrived(topic, payload) { voice.arrived(topic, payload) }
    }
  }

  /// Outbox for all messages except rows.
  var outbox: Outbox { outboxes[0] }
  var history: HistoryStream { histories[0] }

  private func outbox(of number: Int32) -> Outbox { outboxes.first { $0.gave(number) } ?? outbox }

  private func begin(anew error: HearthError) {
    broker.disconnect(inOrder: false)
    lost(error)
  }

  private func lost(_ told: HearthError) {
    let stood = connectedAt.map { loop.now - $0.instant } ?? .zero
    let error = takenOver(told, stood)
    connectedAt = nil
    for outbox in outboxes { outbox.lost() }
    if stood > Self.steady { (ends.failures, tries) = (0, 0) }
    // The other client reconnects as well: the one that waits longer each time leaves the link alone.
    if error.reason == .uplinkSessionTaken { ends.takeovers += 1 } else if stood > .seconds(600) { ends.takeovers = 0 }
    ends.failures += 1
    tell(&trouble.broker, error, "")
    let pause = RetryPause.after(error.reason, failures: ends.failures, takeovers: ends.takeovers)
    let jitter = Double(random.next() >> 11) / Double(1 << 53) * 0.25
    let delay = Duration.nanoseconds(Int64(Double(pause.wholeNanoseconds) * (1 + jitter)))
    if let nextTry { loop.cancel(nextTry.timer) }
    nextTry = (loop.schedule(after: delay) { [weak self] in self?.tryBroker() }, loop.wall + delay)
  }

  /// Detects a takeover that the broker does not report: it lets this client in at once and soon hangs up, over and
  /// over. A broker that restarts accepts no connection meanwhile.
  private func takenOver(_ error: HearthError, _ stood: Duration) -> HearthError {
    if connectedAt == nil || error.reason != .uplinkBrokerUnreachable || stood > .seconds(30) {
      ends.brief = 0
      return error
    }
    ends.brief += 1
    if ends.brief < 3 { return error }
    return HearthError(
      .uplinkSessionTaken, "\(broker.place) let this client in \(ends.brief) times and hung up on it soon after")
  }

  // MARK: The daemon

  /// Queries the daemon's status repeatedly.
  private func poll() async {
    while !outbox.isStopped {
      var pause = Self.pollEvery
      do throws(HearthError) {
        let link = try connect()
        defer { link.close() }
        let status = try await link.call("Status", [:])
        let devices = try await link.call("Devices", [:])
        news = PublishedStatus(status: status, devices: devices)
        try await home.learn(link)
        tell(&trouble.hub, nil, "the daemon answers")
        noteBacklog()
        voice.identity.store = history.store
        voice.ownTroubles = troubles.map(\.reason.code).filter { $0 != "H9007" }
        voice.heard(news)
        home.heard(news)
      } catch {
        tell(&trouble.hub, Self.silent(error), "")
        pause = Self.pollAgain
      }
      try? await loop.sleep(for: pause)
    }
  }

  /// Confirmed rows at the last poll; rows confirmed since then are no longer backlog.
  var confirmedThen = 0

  private func noteBacklog() {
    confirmedThen = history.counts.rowsConfirmed
    if news.unexported == 0 { backlogSince = nil } else if backlogSince == nil { backlogSince = loop.now }
    voice.backlog = (news.unexported, backlogHours)
  }

  var backlogHours: Double? { backlogSince.map { (loop.now - $0).inSeconds / 3600 } }

  /// Passes on live values until the outbox is stopped.
  private func listen() async {
    let turn = LiveTurn(loop) { [weak self] in self?.voice.tick() }
    while !outbox.isStopped {
      do throws(HearthError) {
        let link = try connect()
        defer { link.close() }
        try await link.stream("Live", ["every": 1]) { reply throws(HearthError) in
          if let sample = reply["sample"] {
            if settings.sparkplug { voice.heard(live: sample) }
            home.heard(live: sample, sample["time"]?.text.flatMap(moment(rfc3339:)))
            turn.came()
          }
          if outbox.isStopped { throw HearthError(.uplinkDown, "stopped") }
        }
      } catch { if error.reason != .uplinkDown { tell(&trouble.hub, Self.silent(error), "") } }
      if !outbox.isStopped { try? await loop.sleep(for: Self.livePause) }
    }
  }

  /// Error of the daemon as "silent": a refusal by the daemon has the same effect for readers of rows.
  static func silent(_ error: HearthError) -> HearthError {
    [.uplinkHubSilent, .uplinkBrokerRefuses].contains(error.reason)
      ? error : HearthError(.uplinkHubSilent, "\(error.reason.code): \(error.detail)")
  }

  /// Logs a state only when it changes.
  private func tell(_ known: inout HearthError?, _ now: HearthError?, _ words: String) {
    let isNews = known?.reason != now?.reason
    known = now
    if isNews || now == nil && words.hasPrefix("connected") { log(now, words) }
  }
}
