// Broker implementation with libmosquitto: the library's socket on the hub's loop, and its errors as reason codes.

internal import CMosquitto
public import EventLoop
internal import Glibc
internal import Reasons
/// Each connection is a separate client of the library; its queue never has messages that the outbox does not have too.
/// The C library looks up the broker's name and blocks, for seconds at most, if a name server does not answer.
@LoopActor
public final class MosquittoBroker: Broker {
  /// Called for each event of the connection.
  public var onEvent: (@LoopActor (BrokerEvent) -> Void)?

  private let loop: EpollLoop
  private let address: BrokerAddress
  private var client: OpaquePointer?
  private var events = MosquittoEvents()
  private var watch: Watch?
  private var housekeeping: LoopTimer?
  /// Ends a connect without a response.
  private var deadline: LoopTimer?
  private var isConnected = false
  /// Whether the broker reported, or showed by hanging up, that it lacks MQTT 5.
  private var isOld = false
  private var silentEnds = 0
  /// Whether the network connection was established, whatever the broker did then.
  private var stood = false
  private var aliases: [String: UInt16] = [:]
  /// Index of the server being tried.
  private var turn = 0

  private nonisolated static let connectLimit: Duration = .seconds(20)
  /// Largest unsent queue in the kernel, in bytes: more would delay live values.
  private nonisolated static let kernelQueue: Int32 = 32 << 10
  /// A broker without a connection.
  public init(_ loop: EpollLoop, _ address: BrokerAddress) {
    (self.loop, self.address) = (loop, address)
    mosquitto_lib_init()
  }

  // MARK: Connecting

  /// Connects; `will` is published if the connection breaks.
  public func connect(will: BrokerMessage) {
    end()
    events = MosquittoEvents()
    (aliases, stood) = ([:], false)
    guard let made = mosquitto_new(address.client, true, Unmanaged.passUnretained(events).toOpaque()) else {
      return later(.lost(HearthError(.uplinkBrokerUnreachable, "no memory for a connection")))
    }
    client = made
    events.listen(to: made)
    if let error = prepare(made, will) {
      end()
      return later(.lost(error))
    }
    let code = mosquitto_connect_async(made, host, port, Int32(address.keepAlive))
    if code != Int32(MOSQ_ERR_SUCCESS.rawValue) {
      let error = failure(code, errno)
      end()
      turn += 1
      return later(.lost(error))
    }
    attach()
    deadline = loop.schedule(after: Self.connectLimit) { [weak self] in
      guard let self, !isConnected else { return }
      deadline = nil
      lose(
        HearthError(.uplinkBrokerUnreachable, "\(place) did not answer within \(Int(Self.connectLimit.inSeconds)) s"))
    }
  }

  private func prepare(_ client: OpaquePointer, _ will: BrokerMessage) -> HearthError? {
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, isOld ? 4 : 5)
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
    // The outbox has its own window.
    mosquitto_max_inflight_messages_set(client, 0)
    _ = mosquitto_will_set(
      client, will.topic, Int32(will.payload.count), will.payload, Int32(will.quality), will.isRetained)
    if let user = address.user {
      var password: String?
      if let file = address.passwordFile {
        do throws(HearthError) { password = try secret(file) } catch { return error }
      }
      mosquitto_username_pw_set(client, user, password)
    }
    guard let secure = address.secure else { return nil }
    for file in [secure.authorities, secure.certificate, secure.key].compactMap({ $0 }) where access(file, R_OK) != 0 {
      return HearthError(.uplinkCertificate, "\(file): \(String(cString: strerror(errno)))")
    }
    let folder = secure.authorities == nil ? "/etc/ssl/certs" : nil
    let code = mosquitto_tls_set(client, secure.authorities, folder, secure.certificate, secure.key, nil)
    if code == Int32(MOSQ_ERR_SUCCESS.rawValue) { return nil }
    return HearthError(
      .uplinkCertificate, "the files of tls are not usable: \(String(cString: mosquitto_strerror(code)))")
  }

  private func attach() {
    guard let client else { return }
    let socket = mosquitto_socket(client)
    if socket < 0 { return }
    var queue = Self.kernelQueue
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &queue, socklen_t(MemoryLayout<Int32>.size))
    // When it is first writable, the connection is established and TLS may start.
    watch = loop.watch(socket, for: [.readable, .writable]) { [weak self] readiness in self?.ready(readiness) }
    tick()
  }

  private func tick() {
    housekeeping = loop.schedule(after: .seconds(1)) { [weak self] in
      guard let self else { return }
      housekeeping = nil
      if let client { settle(mosquitto_loop_misc(client)) }
      if client != nil { tick() }
    }
  }

  private func ready(_ readiness: Readiness) {
    guard let client else { return }
    var code = Int32(MOSQ_ERR_SUCCESS.rawValue)
    if readiness.contains(.writable), !readiness.contains(.failed) { stood = true }
    if readiness.contains(.writable) { code = mosquitto_loop_write(client, 1) }
    // Until it is connected the handshake is driven by reading, even without data to read.
    if code == Int32(MOSQ_ERR_SUCCESS.rawValue), readiness != .writable || !isConnected {
      code = mosquitto_loop_read(client, 1)
    }
    settle(code)
  }

  /// Called after each call of the library: handles its callbacks and updates what to wait for.
  private func settle(_ code: Int32) {
    let happened = events.events
    events.events = []
    for event in happened where client != nil { take(event) }
    guard let client else { return }
    let isGone = mosquitto_socket(client) < 0
    let isFine = code == Int32(MOSQ_ERR_SUCCESS.rawValue) || code == Int32(MOSQ_ERR_CONN_PENDING.rawValue)
    if isGone || !isFine { return lose(failure(code, errno)) }
    watch?.update(mosquitto_want_write(client) ? [.readable, .writable] : .readable)
  }

  private func take(_ event: MosquittoEvents.Event) {
    switch event {
    case .connected(let code):
      if code != 0 { return lose(refusal(code)) }
      isConnected = true
      silentEnds = 0
      if let deadline { loop.cancel(deadline) }
      deadline = nil
      onEvent?(.connected(protocol: isOld ? "MQTT 3.1.1" : "MQTT 5"))
    case .disconnected(let code): lose(code > 127 || code == 4 ? refusal(code) : failure(code, errno))
    case .acknowledged(let number, let code):
      // MQTT 5, section 3.4.2.1: no matching subscribers.
      if code == 0x10 { return onEvent?(.unread(number)) ?? () }
      if code < 128 { return onEvent?(.acknowledged(number)) ?? () }
      onEvent?(.refused(number, refusal(code)))
    case .arrived(let topic, let payload): onEvent?(.arrived(topic: topic, payload: payload))
    }
  }

  // MARK: Use

  /// Subscribes to a topic with quality 1.
  public func subscribe(_ topic: String) {
    guard let client, isConnected else { return }
    settle(mosquitto_subscribe(client, nil, topic, 1))
  }

  /// Publishes a message; nil: not connected, or it is too long.
  public func publish(_ message: BrokerMessage) -> Int32? {
    guard let client, isConnected else { return nil }
    // A packet longer than the limit would make the broker end the connection. Rows are split to fit before.
    if let packetLimit, message.mostBytes > packetLimit { return nil }
    var number: Int32 = 0
    var properties: OpaquePointer?
    var topic: String? = message.topic
    if !isOld, let alias = aliases[message.topic] {
      topic = nil
      mosquitto_property_add_int16(&properties, Int32(MQTT_PROP_TOPIC_ALIAS.rawValue), alias)
    } else if !isOld, aliases.count < Int(events.aliasLimit) {
      let alias = UInt16(aliases.count + 1)
      aliases[message.topic] = alias
      mosquitto_property_add_int16(&properties, Int32(MQTT_PROP_TOPIC_ALIAS.rawValue), alias)
    }
    if !isOld, let expiry = message.expiry {
      mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
    }
    defer { mosquitto_property_free_all(&properties) }
    let code = mosquitto_publish_v5(
      client, &number, topic, Int32(message.payload.count), message.payload, Int32(message.quality),
      message.isRetained, properties)
    if code != Int32(MOSQ_ERR_SUCCESS.rawValue) {
      let isTooLittle = code == Int32(MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue)
      let error =
        isTooLittle
        ? HearthError(.uplinkBrokerRefuses, "\(place): it acknowledges no message (its maximum QoS is 0)")
        : failure(code, errno)
      // Scheduled, because this is within a call of the outbox.
      loop.schedule(after: .zero) { [weak self] in if self?.client == client { self?.lose(error) } }
      return nil
    }
    watch?.update(mosquitto_want_write(client) ? [.readable, .writable] : .readable)
    if !events.events.isEmpty { loop.schedule(after: .zero) { [weak self] in self?.settle(0) } }
    return number
  }

  /// Longest packet that the broker accepts, in bytes; nil: unknown.
  public var packetLimit: Int? { isConnected && events.packetLimit > 0 ? Int(events.packetLimit) : nil }
  /// True while bytes wait for the socket.
  public var isCongested: Bool { client.map { mosquitto_want_write($0) } ?? false }
  /// Disconnects; `inOrder`: with a DISCONNECT, so that the will is not published.
  public func disconnect(inOrder: Bool) {
    if let client, inOrder, isConnected {
      mosquitto_disconnect(client)
      _ = mosquitto_loop_write(client, 16)
    }
    end()
  }

  // MARK: End

  private func lose(_ error: HearthError) {
    if client == nil { return }
    // Brokers without MQTT 5 hang up on a header that they do not know.
    if !isConnected, stood, !isOld, error.reason == .uplinkBrokerUnreachable, address.secure == nil {
      silentEnds += 1
      if silentEnds >= 3 { (isOld, silentEnds) = (true, 0) }
    } else if !isConnected, stood, isOld {
      silentEnds += 1
      // The broker may have been upgraded meanwhile, or have been down only.
      if silentEnds >= 3 { (isOld, silentEnds) = (false, 0) }
    }
    // The next server of the cluster may be available, so this one is not waited for.
    turn += 1
    end()
    onEvent?(.lost(error))
  }

  private func end() {
    watch?.end()
    watch = nil
    for timer in [housekeeping, deadline].compactMap({ $0 }) { loop.cancel(timer) }
    (housekeeping, deadline) = (nil, nil)
    isConnected = false
    if let client { mosquitto_destroy(client) }
    client = nil
  }

  private func later(_ event: BrokerEvent) {
    loop.schedule(after: .zero) { [weak self] in self?.onEvent?(event) }
  }

  // MARK: Error texts

  private var host: String { address.hosts.isEmpty ? "localhost" : address.hosts[turn % address.hosts.count] }
  private var port: Int32 { address.ports.isEmpty ? 1883 : Int32(address.ports[turn % address.ports.count]) }
  /// Host and port in use.
  public var place: String { "\(host):\(port)" }
  /// Interprets an error of the library. Of TLS errors only those that an operator can fix are reported as such.
  private func failure(_ code: Int32, _ number: Int32) -> HearthError {
    // To the TLS library a cut link looks like an attack, and one reset by a tunnel has no message. Faulty files show
    // before the connection is established.
    let isCut = isConnected || events.secureProblem.contains("unexpected eof")
    if !events.secureProblem.isEmpty, !isCut { return certificateError(events.secureProblem) }
    let isSecure = code == Int32(MOSQ_ERR_TLS.rawValue) || code == Int32(MOSQ_ERR_TLS_HANDSHAKE.rawValue)
    let words = isSecure ? "hung up during the secure connection" : String(cString: mosquitto_strerror(code))
    let text = code == Int32(MOSQ_ERR_ERRNO.rawValue) ? String(cString: strerror(number)) : words
    return HearthError(.uplinkBrokerUnreachable, "\(place): \(text)")
  }

  private func certificateError(_ text: String) -> HearthError {
    let files = [address.secure?.authorities, address.secure?.certificate].compactMap { $0 }.joined(separator: ", ")
    return HearthError(.uplinkCertificate, "\(place) (\(files.isEmpty ? "the machine's authorities" : files)): \(text)")
  }

  /// Text for the broker's own code, of MQTT 5 or of a CONNACK of 3.1.1.
  private func refusal(_ code: Int32) -> HearthError {
    let words = String(cString: code > 127 || !isOld ? mosquitto_reason_string(code) : mosquitto_connack_string(code))
    let text = "\(place): \(words) (\(code))" + (events.reasonText.isEmpty ? "" : ": \(events.reasonText)")
    switch code {
    case 132, 1:
      isOld.toggle()
      return HearthError(.uplinkBrokerRefuses, text)
    case 142: return HearthError(.uplinkSessionTaken, "\(address.client) at \(place) is used by another client")
    case 136, 137, 139, 141, 151, 156, 157, 159, 160: return HearthError(.uplinkBrokerUnreachable, text)
    default: return HearthError(.uplinkBrokerRefuses, text)
    }
  }

  private func secret(_ file: String) throws(HearthError) -> String {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw HearthError(.uplinkBrokerRefuses, "\(file): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1025)
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 || count > 1024 { throw HearthError(.uplinkBrokerRefuses, "\(file) is no password of up to 1 KiB") }
    let line = buffer.prefix(count).prefix { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    return String(decoding: line, as: UTF8.self)
  }
}
