// State machine of one subscriber connection: bytes in, events and bytes out, without socket or clock. A message is
// acknowledged only when its reader asks for it, which is the purpose of this module.

/// Protocol state of one connection.
public struct MQTTSubscriber: Sendable {
  private enum Stage {
    case fresh, connecting, subscribing, ready, over
  }

  /// Options of the connection.
  public let options: MQTTOptions
  private var stage = Stage.fresh
  private var cutter: PacketCutter
  /// Messages delivered to the reader and not acknowledged.
  private var unacknowledged: Set<UInt16> = []
  /// Bytes to send; the caller takes them.
  private var outgoing: [UInt8] = []
  /// s; the broker may have set another value.
  public private(set) var keepAlive: UInt16
  /// True while a ping has no answer.
  public private(set) var isWaitingForPing = false

  /// Packet identifier of the subscription: there is only one per connection.
  private static let subscription: UInt16 = 1

  /// A subscriber before its connection.
  public init(_ options: MQTTOptions) {
    self.options = options
    keepAlive = options.keepAlive
    cutter = PacketCutter(limit: options.packetLimit)
  }

  /// Number of messages that the reader has and has not acknowledged.
  public var inFlight: Int { unacknowledged.count }

  /// Takes the bytes to be sent.
  public mutating func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  /// Called when the transport to the broker is open.
  public mutating func open() {
    if stage != .fresh { return }
    stage = .connecting
    outgoing += connectPacket(options)
  }

  /// Processes received bytes. After a defect the connection is over.
  ///
  /// - Throws: the defect that ended it: `malformed` or `tooLarge` for a packet, `versionRefused` or `refused` for the
  ///   broker's answer to the connection.
  public mutating func receive(_ bytes: ArraySlice<UInt8>, _ tell: (MQTTEvent) -> Void) throws(MQTTDefect) {
    cutter.append(bytes)
    while stage != .over, let packet = try next() { try take(packet, tell) }
  }

  private typealias Packet = (head: UInt8, body: ArraySlice<UInt8>, isCut: Bool)

  private mutating func next() throws(MQTTDefect) -> Packet? {
    do throws(MQTTDefect) { return try cutter.next() } catch {
      stage = .over
      throw error
    }
  }

  /// Acknowledges a message that is stored safely. Has no effect a second time, or after its connection.
  public mutating func acknowledge(_ identifier: UInt16) {
    if stage == .over || unacknowledged.remove(identifier) == nil { return }
    outgoing += acknowledgePacket(identifier)
  }

  /// Requests a ping response.
  public mutating func ping() {
    if stage != .ready && stage != .subscribing || isWaitingForPing { return }
    isWaitingForPing = true
    outgoing += emptyPacket(.pingRequest)
  }

  /// Ends the connection in order. The broker keeps the session.
  public mutating func close() {
    if stage == .ready || stage == .subscribing { outgoing += emptyPacket(.disconnect) }
    stage = .over
  }

  private mutating func take(_ packet: Packet, _ tell: (MQTTEvent) -> Void) throws(MQTTDefect) {
    let (head, body) = (packet.head, packet.body)
    do throws(MQTTDefect) {
      switch (PacketType(rawValue: head >> 4), stage) {
      case (.connectAck, .connecting): try connected(body, tell)
      case (.subscribeAck, .subscribing): try subscribed(body, tell)
      // A kept session may deliver messages before the subscription is acknowledged again.
      case (.publish, .subscribing), (.publish, .ready):
        var message = try readMessage(head, body, options.version)
        message.isCut = packet.isCut
        // The broker may send more than requested: mosquitto 2.0.11 sends all of a kept session at once. The reader
        // limits them by not reading; there are 65,535 identifiers.
        if message.identifier != 0 { unacknowledged.insert(message.identifier) }
        tell(.message(message))
      case (.pingResponse, .subscribing), (.pingResponse, .ready): isWaitingForPing = false
      case (.disconnect, _) where options.version == .v5 && stage != .fresh:
        stage = .over
        var fields = FieldReader(body)
        let code = fields.isAtEnd ? 0 : try fields.byte()
        let reason = fields.isAtEnd ? nil : try fields.properties().reason
        tell(.ended(reason ?? reasonWords(code)))
      default: throw .malformed("a packet of type \(head >> 4) that may not come now")
      }
    } catch {
      stage = .over
      throw error
    }
  }

  private mutating func connected(_ body: ArraySlice<UInt8>, _ tell: (MQTTEvent) -> Void) throws(MQTTDefect) {
    var fields = FieldReader(body)
    let flags = try fields.byte()
    let code = try fields.byte()
    let subscribe = subscribePacket(options.filters, Self.subscription, options.version)
    var expiry: UInt32?
    // Section 3.2.2.3 of MQTT 3.1.1; a broker without version 5 answers in this form.
    if options.version == .v311 || (body.count == 2 && code < 0x80 && code != 0) {
      switch code {
      case 0: break
      case 1: throw .versionRefused
      case 2: throw .refused(reasonWords(0x85))
      case 3: throw .refused(reasonWords(0x88))
      case 4: throw .refused(reasonWords(0x86))
      case 5: throw .refused(reasonWords(0x87))
      default: throw .refused("return code \(code)")
      }
    } else {
      let properties = fields.isAtEnd ? Properties() : try fields.properties()
      if code == 0x84 { throw .versionRefused }
      if code != 0 { throw .refused(properties.reason ?? reasonWords(code)) }
      if let other = properties.keepAlive { keepAlive = other }
      if let limit = properties.packetLimit, subscribe.count > Int(limit) {
        throw .refused("packets of more than \(limit) bytes, and a subscription has \(subscribe.count)")
      }
      expiry = properties.sessionExpiry
    }
    stage = .subscribing
    tell(.connected(sessionPresent: flags & 1 != 0))
    if let expiry, expiry < options.sessionExpiry { tell(.sessionExpires(expiry)) }
    outgoing += subscribe
  }

  private mutating func subscribed(_ body: ArraySlice<UInt8>, _ tell: (MQTTEvent) -> Void) throws(MQTTDefect) {
    var fields = FieldReader(body)
    if try fields.word() != Self.subscription { throw .malformed("an answer to a subscription that was not made") }
    if options.version == .v5 { _ = try fields.properties() }
    if fields.rest.count != options.filters.count { throw .malformed("answers are not as many as filters") }
    stage = .ready
    tell(.subscribed(fields.rest.map { $0 <= 1 }))
  }
}
