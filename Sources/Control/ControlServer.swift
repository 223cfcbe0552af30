// The server of the control socket: accepts clients, reads their calls, answers them. An idle server uses no processor
// time.

internal import CLinux
public import EventLoop
internal import Glibc
internal import HubProtocol
public import Logging
public import Reasons
internal import RingStore

/// The Varlink service of one hub on a UNIX socket.
///
/// Guarantees:
/// - No call blocks the loop.
/// - Memory for all clients together is bounded: `clientLimit` times one call, one reply or one export page.
/// - A client delays another by at most one bounded piece of work.
/// - Only root can take all places (`ControlPlaces`).
/// - A client that sends no call, or does not read, loses its place.
@LoopActor
public final class ControlServer {
  /// Connections at a time.
  public nonisolated static let clientLimit = ControlPlaces.all
  /// A client without a call for this long yields its place to a new one when all are taken.
  var idleLimit: Duration = .seconds(60)
  /// Times that clients may keep silent, and leave unread what they asked for.
  var patience = ControlConnection.Patience()
  /// Identifies the client as the kernel reports it.
  var identify: @LoopActor (Int32) -> Peer = { Peer(of: $0) }
  /// Rights of users: which role each has.
  var access: AccessRules
  /// Interval at which a watched visit is checked: people cannot read faster than twice a second.
  var visitTick: Duration = .milliseconds(500)

  /// Counted since start.
  public struct Statistics: Sendable, Equatable {
    /// Number of accepted clients.
    public var clients: UInt64 = 0
    /// Number of received calls.
    public var calls: UInt64 = 0
    /// Calls that ended with an error.
    public var errors: UInt64 = 0
    /// Clients that got no place.
    public var refusedClients: UInt64 = 0
    /// Clients disconnected because they did not read.
    public var slowClients: UInt64 = 0
    /// Connections closed because they sent no call at all.
    public var silentClients: UInt64 = 0
  }
  /// Counters since the start.
  public private(set) var statistics = Statistics()

  private let answers: (hub: any HubService, store: any StoreService)
  var service: any HubService { answers.hub }
  var stored: any StoreService { answers.store }
  let loop: EpollLoop
  let logger: Logger
  private let socket: ControlSocket
  private var watch: Watch?
  private var connections: [ControlConnection] = []
  /// Time when the log last reported a user that no group admits.
  private var strangerLogged: Instant?
  /// Time when the log last reported a client that got no place.
  private var refusalLogged: Instant?
  /// Orders of the last minute.
  private var noted: [String: Instant] = [:]
  private static let notedLimit = 256
  /// Feed of the full-screen views.
  private(set) lazy var feed = WatchFeed(self)

  /// Starts to serve at `path`. `access` decides which users may connect, and which calls they may make.
  ///
  /// - Throws: `socketInUse` if a living daemon has the path, `socketUnavailable` if it cannot be had.
  public init(
    loop: EpollLoop, service: any HubService, stored: any StoreService, path: String,
    access: AccessRules = AccessRules(), logger: Logger
  ) throws(HearthError) {
    self.loop = loop
    answers = (service, stored)
    self.logger = logger
    self.access = access
    socket = try ControlSocket(path: path, mode: access.socketMode)
    watch = loop.watch(socket.descriptor, for: .readable) { [weak self] _ in self?.accept() }
  }

  /// Ends all connections and removes the socket. Idempotent.
  public func stop() {
    guard let watch else { return }
    watch.end()
    self.watch = nil
    for connection in connections { connection.close() }
    socket.end()
  }

  private func accept() {
    // Level-triggered: clients left in the queue are accepted in the next turn.
    let descriptor = hearth_accept(socket.descriptor)
    if descriptor < 0 {
      // Out of descriptors, the queue would wake the loop without end: close the idle, else let the client wait behind
      // a pause.
      if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { pause() }
      return
    }
    statistics.clients += 1
    let connection = ControlConnection(
      descriptor, peer: identify(descriptor), loop: loop, patience: patience,
      onCall: { [weak self] message, connection in await self?.answer(message, on: connection) },
      onLate: { [weak self] connection in self?.noteLate(connection) },
      onClosed: { [weak self] connection in self?.connections.removeAll { $0 === connection } })
    if access.role(user: connection.peer.user, groups: connection.peer.groups) == nil { return turnAway(connection) }
    if let full = placeRefusal(of: connection, without: nil) {
      dropIdle(for: connection)
      if placeRefusal(of: connection, without: nil) != nil { return refuse(connection, full) }
    }
    connections.append(connection)
  }

  private func seat(_ connection: ControlConnection) -> ControlPlaces.Seat {
    ControlPlaces.Seat(
      user: connection.peer.user, clientClass: access.clientClass(connection.peer), streams: connection.isStreaming)
  }

  private func placeRefusal(of newcomer: ControlConnection, without leaver: ControlConnection?) -> HearthError? {
    ControlPlaces.refusal(
      of: seat(newcomer), among: connections.filter { $0 !== leaver }.map { seat($0) })
  }

  private func pause() {
    watch?.update([])
    loop.schedule(after: .seconds(1)) { [weak self] in self?.watch?.update(.readable) }
  }

  /// Closes the client that was idle for longest, of those that may yield their place to the newcomer.
  private func dropIdle(for newcomer: ControlConnection) {
    let idle = connections.filter {
      !$0.isBusy && loop.now - $0.lastActivity > idleLimit && placeRefusal(of: newcomer, without: $0) == nil
    }
    idle.min { $0.lastActivity < $1.lastActivity }?.close()
  }

  /// Sends the reason, and logs it once a minute at most, so that clients cannot fill the log.
  private func refuse(_ connection: ControlConnection, _ error: HearthError) {
    if isDue(&refusalLogged) {
      logger.warning("\(error)", metadata: ["CODE": "\(error.reason.code)", "PEER": "\(connection.peer)"])
    }
    hangUp(connection, error)
  }

  private func isDue(_ logged: inout Instant?) -> Bool {
    if let logged, loop.now - logged < .seconds(60) { return false }
    logged = loop.now
    return true
  }

  /// Refuses a user outside all groups: sends the reason, and gives no place.
  private func turnAway(_ connection: ControlConnection) {
    do throws(HearthError) { try access.refuse(connection.peer, unless: .read, for: "reading") } catch {
      if isDue(&strangerLogged) {
        logger.notice("\(error)", metadata: ["CODE": "\(error.reason.code)", "PEER": "\(connection.peer)"])
      }
      hangUp(connection, error)
    }
  }

  private func hangUp(_ connection: ControlConnection, _ error: HearthError) {
    statistics.refusedClients += 1
    connection.send(VarlinkError.refused(error).message)
    // A message this short fits the kernel's buffer at once.
    connection.close()
  }

  // MARK: Calls

  private func answer(_ message: [UInt8], on connection: ControlConnection) async {
    statistics.calls += 1
    let call: VarlinkCall
    do throws(HearthError) { call = try VarlinkCall(message) } catch {
      statistics.errors += 1
      connection.send(VarlinkError.refused(error).message)
      // A client that sends what is no call is not spoken to further.
      return connection.closeWhenSent()
    }
    do throws(VarlinkError) {
      if let reply = try await perform(call, on: connection), !call.oneway { connection.send(Self.message(reply)) }
    } catch {
      statistics.errors += 1
      if !call.oneway { connection.send(error.message) }
    }
  }

  private func perform(_ call: VarlinkCall, on connection: ControlConnection) async throws(VarlinkError) -> JSON? {
    switch call.interface {
    case "org.varlink.service": return try describe(call)
    case HubInterface.name[...]:
      guard let method = ServedMethod.all[String(call.member)] else { throw .methodNotFound(harmless(call.method)) }
      do throws(HearthError) { try access.refuse(connection.peer, unless: method.role, for: method.role.word) } catch {
        noteRefusal(of: "call \(call.member)", by: connection.peer, error)
        throw .refused(error)
      }
      try beginStream(call, on: connection)
      defer { connection.isStreaming = false }
      return try await HubInterface(server: self, connection: connection, call: call).perform(method)
    default: throw .interfaceNotFound(harmless(String(call.interface)))
    }
  }

  /// A call that asks for several replies takes one of the places for streams until it ends.
  private func beginStream(_ call: VarlinkCall, on connection: ControlConnection) throws(VarlinkError) {
    guard call.more else { return }
    if let error = ControlPlaces.refusal(ofStreamBy: seat(connection), among: connections.map { seat($0) }) {
      if isDue(&refusalLogged) {
        logger.warning("\(error)", metadata: ["CODE": "\(error.reason.code)", "PEER": "\(connection.peer)"])
      }
      throw .refused(error)
    }
    connection.isStreaming = true
  }

  /// `org.varlink.service`, which every service has.
  private func describe(_ call: VarlinkCall) throws(VarlinkError) -> JSON {
    guard case .object(let members) = call.parameters else { throw .invalidParameter("parameters") }
    switch call.member {
    case "GetInfo":
      if let member = members.first { throw .invalidParameter(member.key) }
      return [
        "vendor": "Hearth", "product": "hearthd", "version": .string(hearthVersion), "url": "",
        "interfaces": .array(["org.varlink.service", .string(HubInterface.name)]),
      ]
    case "GetInterfaceDescription":
      guard let name = call.parameters["interface"]?.text else { throw .invalidParameter("interface") }
      if let member = members.first(where: { $0.key != "interface" }) { throw .invalidParameter(member.key) }
      switch name {
      case HubInterface.name: return ["description": .string(InterfaceText.hub)]
      case "org.varlink.service": return ["description": .string(InterfaceText.service)]
      default: throw .interfaceNotFound(harmless(name))
      }
    default: throw .methodNotFound(harmless(call.method))
    }
  }

  static func message(_ parameters: JSON, continues: Bool = false) -> [UInt8] {
    var reply = [JSON.Member("parameters", parameters)]
    if continues { reply.append(JSON.Member("continues", true)) }
    return JSON.object(reply).compact
  }

  /// Counts a client that is disconnected because it does not read.
  func noteSlow(_ connection: ControlConnection) {
    statistics.slowClients += 1
    let error = HearthError(
      .controlClientTooSlow, "\(connection.peer) did not read what it asked for; it is disconnected")
    logger.warning("\(error)", metadata: ["CODE": "\(error.reason.code)", "PEER": "\(connection.peer)"])
  }

  private func noteLate(_ connection: ControlConnection) {
    if connection.hasUnsent { noteSlow(connection) } else { statistics.silentClients += 1 }
  }

  /// Records a change with the user and the wearable, in the log and in the store. Equal orders of one user within a
  /// minute are stored once, so that a script in a loop cannot wear out the card.
  func noteChange(_ what: String, by peer: Peer, of wearable: WearableID? = nil) {
    logger.notice("a client asked to \(what)", metadata: ["PEER": "\(peer)"])
    let text = "\(peer.who): \(what)"
    let now = loop.now
    noted = noted.filter { now - $0.value < .seconds(60) }
    if noted[text] != nil { return }
    if noted.count >= Self.notedLimit { noted = [:] }
    noted[text] = now
    stored.noteOrder(of: wearable, text)
  }

  func noteRefusal(of what: String, by peer: Peer, _ error: HearthError) {
    logger.notice(
      "a client asked to \(what): refused, \(error)", metadata: ["PEER": "\(peer)", "CODE": "\(error.reason.code)"])
  }
}
