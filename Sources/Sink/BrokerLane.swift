// Connection to the broker: one link after another, as long as the sink runs.

internal import EventLoop
internal import MQTTWire
internal import Reasons

@LoopActor
final class BrokerLane {
  private let loop: EpollLoop
  private let settings: SinkSettings.Broker
  private let log: SinkLog
  private let onDelivery: @LoopActor (Delivery) -> Void
  private let onConnection: @LoopActor () -> Void
  private var link: MQTTLink?
  private var backoff = Backoff()
  private var version: MQTTVersion
  /// Whether a broker ever answered in this version.
  private var isVersionProven = false
  private var turn = 0
  private var isStopped = false
  private var silence: SilenceWatch?
  private var looking: (timer: LoopTimer, since: Instant)?
  /// Acknowledgements since the last check.
  private var acknowledged = 0
  /// Number of the connection, which is part of each delivery.
  private(set) var connection = 0
  private(set) var isReady = false

  init(
    _ loop: EpollLoop, _ settings: SinkSettings.Broker, _ log: SinkLog,
    onDelivery: @escaping @LoopActor (Delivery) -> Void, onConnection: @escaping @LoopActor () -> Void
  ) {
    (self.loop, self.settings, self.log) = (loop, settings, log)
    (self.onDelivery, self.onConnection) = (onDelivery, onConnection)
    version = settings.version == .v311 ? .v311 : .v5
    silence = settings.silence.map { SilenceWatch($0) }
  }

  private var address: BrokerAddress {
    let addresses = settings.addresses
    return addresses.isEmpty ? BrokerAddress(host: "localhost", port: 1883) : addresses[turn % addresses.count]
  }

  /// Births and deaths are subscribed to individually, because every sink needs them. A shared subscription gets no
  /// retained messages.
  private var filters: [String] {
    let rows = "hearth/1/+/+/rows"
    let words =
      ["hearth/1/+/+/status", "hearth/1/+/+/heads/+"]
      + (settings.hearsSparkplug ? ["spBv1.0/+/NBIRTH/+", "spBv1.0/+/NDEATH/+"] : [])
    return [settings.group.map { "$share/\($0)/\(rows)" } ?? rows] + words
  }

  func start() {
    if isStopped { return }
    var options = MQTTOptions()
    options.version = version
    options.client = settings.client ?? "hearth-sink-\(hostName())"
    options.user = settings.user
    options.sessionExpiry = UInt32(clamping: Int(settings.session.inSeconds))
    options.receiveMaximum = UInt16(clamping: settings.inFlight)
    options.filters = filters
    if let file = settings.passwordFile {
      guard let password = secret(file) else {
        return failed(HearthError(.sinkBroker, "the file of the password cannot be read"))
      }
      options.password = password
    }
    connection += 1
    let number = connection
    let link = MQTTLink(
      loop, options, onEvent: { [weak self] in self?.heard($0, number) },
      onEnd: { [weak self] in self?.ended($0, number) })
    self.link = link
    let files = TLSFiles(trusted: settings.trusted, certificate: settings.certificate, key: settings.key)
    // All hosts first, then the next address of each.
    let count = max(settings.addresses.count, 1)
    link.open(host: address.host, port: address.port, tls: settings.isSecure ? files : nil, turn: turn / count)
  }

  func stop() {
    isStopped = true
    isReady = false
    if let looking { loop.cancel(looking.timer) }
    link?.close()
    link = nil
  }

  /// Stops the reading of the link, or resumes it.
  func pause(_ isPaused: Bool) { link?.isPaused = isPaused }

  /// Acknowledges in the order of arrival, as the standard demands.
  func acknowledge(_ deliveries: [Delivery]) {
    for delivery in deliveries where delivery.connection == connection && delivery.message.identifier != 0 {
      link?.acknowledge(delivery.message.identifier)
      acknowledged += 1
    }
    link?.flush()
  }

  private func heard(_ event: MQTTEvent, _ number: Int) {
    if number != connection || isStopped { return }
    switch event {
    case .connected(let sessionPresent):
      isVersionProven = true
      log.info(
        "broker \(address.text) connected, MQTT \(version == .v5 ? "5" : "3.1.1"), "
          + (sessionPresent ? "session goes on" : "new session"))
    case .sessionExpires(let seconds):
      log.warning(
        "\(Reason.sinkBroker.code) the broker keeps the session for \(durationWords(.seconds(Int64(seconds)))) and not "
          + "for \(durationWords(settings.session)): what comes while the sink is away for longer is lost")
    case .subscribed(let taken):
      if taken.first != true {
        link?.close()
        return failed(HearthError(.sinkBroker, "the broker refuses the subscription \(filters[0])"))
      }
      for (filter, isTaken) in zip(filters, taken) where !isTaken {
        log.warning(
          "\(Reason.sinkBroker.code) the broker refuses the subscription \(filter); hubs' states are not kept")
      }
      backoff.succeeded()
      isReady = true
      onConnection()
      silence?.connected()
      look(number)
    case .message(let message):
      silence?.heard(message.topic, message.payload, isRetained: message.isRetained)
      onDelivery(Delivery(message: message, connection: number))
    case .ended(let words): log.warning("\(Reason.sinkBroker.code) the broker ends the connection: \(words)")
    }
  }

  // MARK: - Silence

  private func look(_ number: Int) {
    guard let silence else { return }
    if let looking { loop.cancel(looking.timer) }
    let timer = loop.schedule(after: silence.interval) { [weak self] in self?.looked(number) }
    (looking, acknowledged) = ((timer, loop.now), 0)
  }

  private func looked(_ number: Int) {
    guard number == connection, !isStopped, isReady, let link, let looking else { return }
    // A broker waits while the sink does not read, or does not acknowledge because the database is down.
    let isHeldByUs = link.isPaused || link.inFlight > 0 && acknowledged == 0
    let silent = isHeldByUs ? nil : silence?.passed(loop.now - looking.since)
    guard let silent else { return look(number) }
    let (kind, lasted, next) = (silent.kind.rawValue, durationWords(silent.lasted), durationWords(silent.next))
    log.warning(
      "\(Reason.sinkBroker.code) \(address.text): no \(kind) for \(lasted), hubs online \(silence?.hubsOnline ?? 0); "
        + "connecting again, after \(next) again")
    link.close()
    // The broker keeps the session; another server of a cluster may work better.
    turn += 1
    again(after: .milliseconds(500))
  }

  private func ended(_ end: MQTTLinkEnd, _ number: Int) {
    if number != connection || isStopped { return }
    let failing = address
    turn += 1
    if settings.version == .automatic, !isVersionProven {
      switch end {
      case .defect(.versionRefused) where version == .v5:
        version = .v311
        log.info("broker \(failing.text) speaks no MQTT 5")
        turn -= 1
        return start()
      // Some brokers close the connection if they do not know a version.
      case .defect(.versionRefused), .broken("the broker closed the connection"), .defect(.malformed):
        version = version == .v5 ? .v311 : .v5
      default: break
      }
    }
    failed(HearthError(.sinkBroker, "\(failing.text): \(end)"))
  }

  private func failed(_ error: HearthError) {
    let wait = backoff.next()
    log.warning("\(error); next try in \(Int(wait.inSeconds * 1000)) ms")
    again(after: wait)
  }

  private func again(after wait: Duration) {
    link = nil
    isReady = false
    // The broker delivers unacknowledged messages again.
    connection += 1
    onConnection()
    loop.schedule(after: wait) { [weak self] in self?.start() }
  }
}

/// Writes a duration in minutes if they are whole, otherwise in seconds.
func durationWords(_ duration: Duration) -> String {
  let seconds = Int(duration.inSeconds.rounded())
  return seconds >= 120 ? "\((seconds + 30) / 60) min" : "\(seconds) s"
}
