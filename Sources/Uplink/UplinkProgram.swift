// The uplink in real time: settings, daemon, broker and socket on one loop.

internal import EventLoop
internal import Glibc
internal import HubProtocol
internal import JSONText
internal import Reasons

/// Main program of hearth-uplink.
public enum UplinkProgram {
  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Throws: `socketInUse`, `socketUnavailable`, `configUnreadable`.
  public static func run(_ settings: UplinkSettings) throws {
    try EpollLoop.run { loop in try await serve(loop, settings) }
  }

  @LoopActor
  private static func serve(_ loop: EpollLoop, _ settings: UplinkSettings) async throws {
    let manager = ServiceManager()
    var isOver = false
    var waiter: CheckedContinuation<Void, Never>?
    let signals = try SignalWatch(loop) { signal in
      if signal == .hangUp { return }
      isOver = true
      waiter?.resume()
      waiter = nil
    }
    defer { signals.end() }
    if let interval = manager.watchdogInterval { sign(loop, manager, interval) }
    manager.ready("waiting for the daemon")
    let connect: UplinkCourse.Connect = { () throws(HearthError) in try HubLink(loop, path: settings.hubSocket) }
    var name = settings.hub
    var told = false
    while name == nil, !isOver {
      do throws(HearthError) { name = try await hubName(connect) } catch {
        if !told { say(error, "") }
        told = true
      }
      if name == nil { try? await loop.sleep(for: .seconds(2)) }
    }
    guard let name, !isOver else { return }
    let address = BrokerAddress(
      hosts: settings.places.map(\.host), ports: settings.places.map(\.port),
      client: settings.broker.client ?? "hearth-\(name)", user: settings.broker.user,
      passwordFile: settings.broker.passwordFile, keepAlive: Int(settings.broker.keepAlive.inSeconds),
      secure: settings.secure.isOn ? settings.secure : nil)
    let seed = UInt64(truncatingIfNeeded: loop.wall.microseconds) ^ UInt64(getpid()) << 40
    let course = try UplinkCourse(
      loop, MosquittoBroker(loop, address), settings, hub: name, seed: seed,
      memory: MemoryFile(beside: settings.ownSocket), machine: MachineMark.said(),
      log: { error, words in
        say(error, words)
        manager.status(error.map { "\($0)" } ?? words)
        // A handshake runs much code that is not used again.
        if error == nil { loop.schedule(after: ProgramCode.settled) { ProgramCode.forget(withLibraries: true) } }
      }, connect: connect)
    let door = try UplinkDoor(loop, path: settings.ownSocket) { call, mayOrder throws(VarlinkError) in
      try answer(call, mayOrder, course)
    }
    defer { door.stop() }
    course.start()
    if !isOver { await withCheckedContinuation { waiter = $0 } }
    manager.stopping()
    await course.stop()
  }

  @LoopActor
  private static func sign(_ loop: EpollLoop, _ manager: ServiceManager, _ interval: Duration) {
    loop.schedule(after: interval) {
      manager.aliveSign()
      sign(loop, manager, interval)
    }
  }

  @LoopActor
  private static func hubName(_ connect: UplinkCourse.Connect) async throws(HearthError) -> String? {
    let link = try connect()
    defer { link.close() }
    return try await link.call("Status", [:])["status"]?["name"]?.text
  }

  @LoopActor
  private static func answer(_ call: VarlinkCall, _ mayOrder: Bool, _ course: UplinkCourse) throws(VarlinkError) -> JSON
  {
    guard call.interface == UplinkInterface.name else { throw .interfaceNotFound(harmless(String(call.interface))) }
    switch call.member {
    case "Status": return ["uplink": JSON(encoding: course.document)]
    case "Resend":
      guard let from = call.parameters["from"]?.text else { throw .invalidParameter("from") }
      do throws(HearthError) {
        if !mayOrder {
          throw HearthError(.controlNotAllowed, "sending again is for root and the groups hearth and hearth-admin")
        }
        return ["resend": JSON(encoding: try course.resend(from: from))]
      } catch { throw .refused(error) }
    default: throw .methodNotFound(harmless(call.method))
    }
  }

  /// Writes one line to standard error, for journald.
  private static func say(_ error: HearthError?, _ words: String) {
    let line = error.map { "\($0)" } ?? words
    let safe = String(decoding: line.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    let isUnderJournal = getenv("JOURNAL_STREAM") != nil
    LogOutput.standardError.write((isUnderJournal ? error == nil ? "<5>" : "<4>" : "") + "\(safe)\n") { count in
      (isUnderJournal ? "<4>" : "") + "\(count) lines are missing here: the reader of this log was too slow\n"
    }
  }
}
