// The uplink put together: connection to the broker with its patience, two streams, births, orders.

import CivilTime
public import EventLoop
public import HubProtocol
internal import JSONText
public import Reasons
internal import UplinkMessages

/// Everything but sockets: the same in virtual time.
@LoopActor
public final class UplinkCourse {
  /// How often the daemon is asked how it is, which costs it some milliseconds with 30 wearables: a death, and the
  /// birth of one that says nothing live, are at most this late.
  nonisolated static let pollEvery: Duration = .seconds(30)
  /// The same where it did not answer.
  private nonisolated static let pollAgain: Duration = .seconds(10)
  private nonisolated static let livePause: Duration = .seconds(3)
  /// A connection that stood this long was none of a row of failures.
  private nonisolated static let steady: Duration = .seconds(10)

  public typealias Connect = @LoopActor () throws(HearthError) -> any HubCalling

  private let loop: any Loop
  private let broker: any Broker
  private let settings: UplinkSettings
  private let connect: Connect
  private let outbox: Outbox
  private let voice: NodeVoice
  private let history: HistoryStream
  private let orders: ResendOrders
  private let hub: String
  private var random: SplitMix64
  private var connectedAt: (instant: Instant, wall: WallTime, words: String)?
  private var failures = 0
  private var takeovers = 0
  /// Connections in a row that stood at the first try and ended soon.
  private var briefEnds = 0
  private var tries = 0
  private var nextTry: (timer: LoopTimer, at: WallTime)?
  private var trouble = (broker: HearthError?.none, reader: HearthError?.none, hub: HearthError?.none)
  private let heritage: UplinkHeritage
  private var news = HubNews()
  /// By the clock that nobody steps.
  private var backlogSince: Instant?
  private let log: @LoopActor (HearthError?, String) -> Void

  /// - Parameters:
  ///   - hub: its name, of the settings or of the daemon.
  ///   - seed: decides waits and the numbers of orders; another one for each process.
  ///   - memory: what the uplink before this one knew; nil: nothing is kept.
  ///   - machine: which machine this is, for a sink that hears two hubs with one store; nil: not known.
  ///   - log: told of what changed; with an error, or with nil where all is well again.
  /// - Throws: `configUnreadable` where persons need a key and there is none.
  public init(
    _ loop: any Loop, _ broker: any Broker, _ settings: UplinkSettings, hub: String, seed: UInt64,
    memory: (any UplinkMemory)? = nil, machine: String? = nil,
    log: @escaping @LoopActor (HearthError?, String) -> Void, connect: @escaping Connect
  ) throws(HearthError) {
    (self.loop, self.broker, self.settings, self.hub) = (loop, broker, settings, hub)
    (self.connect, self.log) = (connect, log)
    random = SplitMix64(seed: seed)
    let persons = try Pseudonyms(
      settings.persons, of: settings.personsOf, hub: "\(settings.group)/\(hub)", keyFile: settings.personsKey)
    let topics = UplinkTopics(group: settings.group, hub: hub)
    outbox = Outbox(loop, broker, window: settings.history.window, limit: settings.limit)
    let second = UInt64(max(0, loop.wall.microseconds / 1_000_000))
    heritage = UplinkHeritage(memory, birth: second)
    voice = NodeVoice(
      loop, outbox, topics, birthDeath: UInt64(heritage.legacy.birth), speaksSparkplug: settings.sparkplug)
    voice.identity.machine = machine
    let sender = PageSender(outbox: outbox, topics: topics, form: settings.history.form, hub: hub)
    history = HistoryStream(loop, outbox, settings, sender, persons, heritage, connect: connect)
    orders = ResendOrders(loop, outbox, sender, persons, first: max(1, second), connect: connect)
    outbox.on.reading = { [weak self] isRead in self?.reading(isRead) }
    broker.onEvent = { [weak self] event in self?.happened(event) }
    outbox.on.acknowledged = { [weak self] order, rows in self?.orders.acknowledged(order, rows) }
    outbox.on.trouble = { [weak self] error in self?.begin(anew: error) }
  }

  /// Starts everything; it ends with `stop`.
  public func start() {
    loop.spawn { [self] in await poll() }
    loop.spawn { [self] in await history.run() }
    if settings.live, settings.sparkplug { loop.spawn { [self] in await listen() } }
    loop.spawn { [self] in
      while !outbox.isStopped {
        try? await loop.sleep(for: .seconds(1))
        outbox.tick()
        voice.tick()
      }
    }
    tryBroker()
  }

  /// Says good-bye where it can, within `patience`.
  public func stop(patience: Duration = .seconds(2)) async {
    if outbox.isConnected { for message in history.farewell() + voice.farewell() { outbox.say(message) } }
    if let nextTry { loop.cancel(nextTry.timer) }
    let end = loop.now + patience
    while outbox.isConnected, broker.isCongested || !outbox.isSaid, loop.now < end {
      try? await loop.sleep(for: .milliseconds(50))
    }
    outbox.stop()
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
    let unread = HearthError(.uplinkNoReader, "\(broker.place), topic \(voice.topics.rows)")
    tell(&trouble.reader, isRead ? nil : unread, "")
    if isRead { log(nil, "a client reads rows again") }
  }

  private func happened(_ event: BrokerEvent) {
    if outbox.isStopped { return }
    switch event {
    case .connected(let words):
      connectedAt = (loop.now, loop.wall, words)
      if settings.sparkplug { broker.subscribe(voice.topics.nodeCommand) }
      tell(&trouble.broker, nil, "connected by \(words)")
      // Births before rows.
      outbox.live()
      voice.connected()
      history.connected()
      outbox.connected()
    case .lost(let error): lost(error)
    case .acknowledged(let number): outbox.acknowledged(number)
    case .unread(let number): outbox.unread(number)
    case .refused(let number, let error): outbox.refused(number, error)
    case .arrived(let topic, let payload): voice.arrived(topic, payload)
    }
  }

  private func begin(anew error: HearthError) {
    broker.disconnect(inOrder: false)
    lost(error)
  }

  private func lost(_ told: HearthError) {
    let stood = connectedAt.map { loop.now - $0.instant } ?? .zero
    let error = takenOver(told, stood)
    connectedAt = nil
    outbox.lost()
    if stood > Self.steady { (failures, tries) = (0, 0) }
    // The other client comes back as well: whoever waits longer each time lets the link rest.
    if error.reason == .uplinkSessionTaken { takeovers += 1 } else if stood > .seconds(600) { takeovers = 0 }
    failures += 1
    tell(&trouble.broker, error, "")
    let pause = RetryPause.after(error.reason, failures: failures, takeovers: takeovers)
    let jitter = Double(random.next() >> 11) / Double(1 << 53) * 0.25
    let delay = Duration.nanoseconds(Int64(Double(pause.wholeNanoseconds) * (1 + jitter)))
    if let nextTry { loop.cancel(nextTry.timer) }
    nextTry = (loop.schedule(after: delay) { [weak self] in self?.tryBroker() }, loop.wall + delay)
  }

  /// Not every broker says that another client took the session: it lets this one in at once and soon hangs up, over
  /// and over. One that restarts lets nobody in meanwhile.
  private func takenOver(_ error: HearthError, _ stood: Duration) -> HearthError {
    if connectedAt == nil || error.reason != .uplinkBrokerUnreachable || stood > .seconds(30) {
      briefEnds = 0
      return error
    }
    briefEnds += 1
    if briefEnds < 3 { return error }
    return HearthError(
      .uplinkSessionTaken, "\(broker.place) let this client in \(briefEnds) times and hung up on it soon after")
  }

  // MARK: The daemon

  /// How it is, over and over.
  private func poll() async {
    while !outbox.isStopped {
      var pause = Self.pollEvery
      do throws(HearthError) {
        let link = try connect()
        defer { link.close() }
        let status = try await link.call("Status", [:])
        let devices = try await link.call("Devices", [:])
        news = HubNews(status: status, devices: devices)
        tell(&trouble.hub, nil, "the daemon answers")
        noteBacklog()
        voice.identity.store = history.store
        voice.ownTroubles = troubles.map(\.reason.code).filter { $0 != "H9007" }
        voice.heard(news)
      } catch {
        tell(&trouble.hub, Self.silent(error), "")
        pause = Self.pollAgain
      }
      try? await loop.sleep(for: pause)
    }
  }

  /// Confirmed rows at the last poll: what was confirmed since is no backlog any more.
  private var confirmedThen = 0

  private func noteBacklog() {
    confirmedThen = history.counts.rowsConfirmed
    if news.unexported == 0 { backlogSince = nil } else if backlogSince == nil { backlogSince = loop.now }
    voice.backlog = (news.unexported, backlogHours)
  }

  private var backlogHours: Double? { backlogSince.map { (loop.now - $0).inSeconds / 3600 } }

  /// Live values until it is over.
  private func listen() async {
    let turn = LiveTurn(loop) { [weak self] in self?.voice.tick() }
    while !outbox.isStopped {
      do throws(HearthError) {
        let link = try connect()
        defer { link.close() }
        try await link.stream("Live", ["every": 1]) { reply throws(HearthError) in
          if let sample = reply["sample"] {
            voice.heard(live: sample)
            turn.came()
          }
          if outbox.isStopped { throw HearthError(.uplinkDown, "stopped") }
        }
      } catch { if error.reason != .uplinkDown { tell(&trouble.hub, Self.silent(error), "") } }
      if !outbox.isStopped { try? await loop.sleep(for: Self.livePause) }
    }
  }

  /// What the daemon refused in its own words is as silent as nothing, for whoever waits for rows.
  private static func silent(_ error: HearthError) -> HearthError {
    [.uplinkHubSilent, .uplinkBrokerRefuses].contains(error.reason)
      ? error : HearthError(.uplinkHubSilent, "\(error.reason.code): \(error.detail)")
  }

  /// Whoever reads the log hears of changes alone.
  private func tell(_ known: inout HearthError?, _ now: HearthError?, _ words: String) {
    let isNews = known?.reason != now?.reason
    known = now
    if isNews || now == nil && words.hasPrefix("connected") { log(now, words) }
  }

  // MARK: Its own interface

  private var troubles: [HearthError] {
    var all = [trouble.broker, trouble.reader, trouble.hub ?? history.trouble.map(Self.silent)].compactMap { $0 }
    if news.lostRows > 0 {
      let span = [news.lostFrom, news.lostTo].compactMap { $0 }.joined(separator: " to ")
      all.append(HearthError(.uplinkLosses, "\(news.lostRows) rows\(span.isEmpty ? "" : " of \(span)")"))
    }
    return all
  }

  public var document: UplinkDocument {
    var document = UplinkDocument()
    let figures = outbox.figures
    document.version = hearthVersion
    (document.hub, document.group) = (hub, settings.group)
    document.broker = broker.place
    document.secure = settings.secure.isOn
    document.connected = outbox.isConnected
    document.connectedSince = connectedAt.map { momentText($0.wall.microseconds, .exact) }
    document.protocol = connectedAt?.words
    document.tries = tries
    document.nextTry = nextTry.map { momentText($0.at.microseconds, .exact) }
    document.store = history.store.map(RowGroup.storeText)
    let since = history.counts.rowsConfirmed - confirmedThen
    document.backlogRows = news.name.isEmpty ? nil : max(0, Int(news.unexported) - since)
    document.backlogHours = backlogHours
    document.rowsPerSecond = figures.rowRate
    document.bytesPerSecond = figures.byteRate
    document.limitBits = settings.limit
    document.lastAcknowledged = figures.lastAcknowledged.map { momentText($0.microseconds, .exact) }
    document.rowsSent = figures.rowsSent
    document.rowsAcknowledged = figures.rowsAcknowledged
    document.rowsConfirmed = history.counts.rowsConfirmed
    document.messagesSent = figures.messages
    document.bytesSent = figures.bytes
    (document.inFlight, document.inFlightBytes) = outbox.held
    (document.unsaidRows, document.corruptChunks) = (history.counts.unsaid, history.counts.corruptChunks)
    document.liveValues = voice.liveValues
    document.ignored = voice.ignored
    document.lostRows = Int(news.lostRows)
    (document.lostFrom, document.lostTo) = (news.lostFrom, news.lostTo)
    document.resend = orders.order
    document.troubles = troubles.map { TroubleDocument($0) }
    return document
  }

  /// - Throws: `uplinkOrderRefused`.
  public func resend(from text: String) throws(HearthError) -> UplinkDocument.Resend { try orders.begin(from: text) }
}
