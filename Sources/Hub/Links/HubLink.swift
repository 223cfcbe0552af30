// An open link as a driver's session sees it: requests with a deadline, notified values, time, security.

import Bluetooth
import CivilTime
import EventLoop
import Health
import Reasons
import StateCodec
import Wearable

/// A `WearableLink` over a GATT client. Lives as long as the link; at its end all waiting callers get the reason.
@LoopActor
final class HubLink: WearableLink {
  let client: GATTClient
  let subscriptions: Subscriptions
  private let loop: any Loop
  private(set) var database: GATTDatabase
  private let security: LinkSecurity
  /// State that a session may read beside its requests.
  var knowledge = LinkKnowledge()
  var events = LinkEvents()
  /// The last stage that its session reported, for a wearable that belongs to one host.
  private(set) var reached: BindingStage?
  /// Reason why the link is useless; nil while it works.
  private(set) var end: VisitTrouble?
  /// The reason of `end` as the session gets it. A session may continue after a silence. A link that ended for silence
  /// must look different, or the session would repeat its request without end, and without any time passing.
  private var toldEnd: VisitTrouble? { if case .silent? = end { .link(.cancelled) } else { end } }

  /// The real reason why a session ended with `error`.
  func cause(of error: VisitTrouble) -> VisitTrouble { error == .link(.cancelled) ? end ?? error : error }
  /// The link is being encrypted, which may take a pairing, and a person. No request is sent meanwhile.
  private(set) var isSecuring = false
  /// The session itself waits at the moment.
  private(set) var isPausing = false
  private var waiters: [LinkWaiter] = []
  private var gates: [PaceGate] = []
  /// Oddities so far, without repetitions.
  private(set) var oddities: [String] = []

  /// Limit of a request with its repetitions. A single transaction has 30 s by the specification, and a value of 512
  /// bytes over the smallest PDU takes 24 transactions. A request that takes longer hangs.
  static let operationLimit: Duration = .seconds(40)
  static let longestWait: Duration = .seconds(120)
  static let longestSettling: Duration = .seconds(30)
  nonisolated static let oddityLimit = 16
  /// Wait of a command for room in a full link, before the next try.
  private static let commandPause: Duration = .milliseconds(20)

  init(
    _ client: GATTClient, _ bearer: any Bearer, subscriptions: Subscriptions, database: GATTDatabase, radio: any Radio,
    loop: any Loop
  ) {
    self.client = client
    self.subscriptions = subscriptions
    self.database = database
    security = LinkSecurity(bearer: bearer, radio: radio)
    self.loop = loop
  }

  var address: BluetoothAddress { security.address }
  var isSecured: Bool { security.isSecured }
  var protection: LinkProtection { security.protection }
  var orders: WearableOrders { knowledge.orders }
  var wish: SyncSelection { knowledge.wish }
  var known: KnownWearable { knowledge.known }
  var zone: TimeZoneRules { knowledge.zone }
  var mtu: Int { client.mtu }
  var hubTime: HubTime {
    HubTime(wall: loop.wall, monotonic: loop.now.nanoseconds, isTrusted: loop.wallIsTrusted, boot: knowledge.boot)
  }

  // MARK: Requests

  func read(_ characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8] {
    try await perform("reading \(characteristic.uuid)") { () throws(GATTError) in
      try await client.read(characteristic.valueHandle)
    }
  }

  func read(_ descriptor: GATTDescriptor) async throws(VisitTrouble) -> [UInt8] {
    try await perform("reading \(descriptor.uuid)") { () throws(GATTError) in
      try await client.read(descriptor.handle)
    }
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) {
    try await paced(characteristic) { () throws(VisitTrouble) in
      try await perform("writing \(characteristic.uuid)") { () throws(GATTError) in
        try await client.write(characteristic.valueHandle, value)
      }
    }
  }

  func writeOnce(_ characteristic: GATTCharacteristic, _ value: () async throws(VisitTrouble) -> [UInt8])
    async throws(VisitTrouble)
  {
    try await paced(characteristic) { () throws(VisitTrouble) in
      let bytes = try await value()
      try await perform("writing \(characteristic.uuid)") { () throws(GATTError) in
        try await client.writeOnce(characteristic.valueHandle, bytes)
      }
    }
  }

  func writeCommand(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) {
    try await paced(characteristic) { () throws(VisitTrouble) in try await command(characteristic, value) }
  }

  private func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) {
    let deadline = loop.now + Self.operationLimit
    while true {
      if let toldEnd { throw toldEnd }
      do throws(GATTError) { return try client.writeCommand(characteristic.valueHandle, value) } catch {
        guard error == .busy else { throw trouble(error, "writing \(characteristic.uuid)") }
      }
      if loop.now >= deadline {
        giveUp(.silent(what: "it takes no more commands"))
      } else {
        try await settle(for: Self.commandPause)
      }
    }
  }

  func subscribe(_ characteristic: GATTCharacteristic, into inbox: Inbox) async throws(VisitTrouble) {
    try await perform("subscribing \(characteristic.uuid)") { () throws(GATTError) in
      try await subscriptions.listen(characteristic, inbox)
    }
  }

  /// Applies the driver's rules for the pace of writes; called before the first write.
  ///
  /// - Parameter began: start of the link.
  func keep(_ paces: [WritePace], since began: Instant) {
    gates = paces.flatMap { pace in
      database.services.filter { $0.uuid == pace.service }.map { PaceGate($0.handles, pause: pace.pause, began: began) }
    }
  }

  private func paced(_ characteristic: GATTCharacteristic, _ body: () async throws(VisitTrouble) -> Void)
    async throws(VisitTrouble)
  {
    guard let gate = gates.first(where: { $0.covers(characteristic) }) else { return try await body() }
    while true {
      let waiter = LinkWaiter()
      if gate.take(waiter) { break }
      if let trouble = await wait(waiter) { throw trouble }
    }
    defer { gate.give(at: loop.now) }
    let left = gate.opensAt - loop.now
    if left > .zero { try await settle(for: left) }
    try await body()
  }

  private func perform<Value>(_ what: String, _ body: () async throws(GATTError) -> Value) async throws(VisitTrouble)
    -> Value
  {
    if let toldEnd { throw toldEnd }
    let timer = loop.schedule(after: Self.operationLimit) { [weak self] in self?.giveUp(.silent(what: what)) }
    defer { loop.cancel(timer) }
    do throws(GATTError) { return try await encryptingWhereRefused(body) } catch { throw trouble(error, what) }
  }

  private func trouble(_ error: GATTError, _ what: String) -> VisitTrouble {
    if let toldEnd { return toldEnd }
    switch error {
    case .refused(_, _, let code): return .refused(code, what: what)
    case .malformed(let fault): return .framing("\(what): \(fault.rawValue)")
    case .missing: return .unsupported("\(what): \(error)")
    case .busy: return .busy(what: "\(what): \(error)", retryAfter: nil)
    case .closed, .timeout, .protocolViolation, .flood, .discoveryBounded, .procedureTimeout, .cancelled:
      return .link(error)
    }
  }

  // MARK: Waiting

  func next(from inbox: Inbox, within limit: Duration) async throws(VisitTrouble) -> [UInt8] {
    let limit = min(limit, Self.longestWait)
    let deadline = loop.now + limit
    while true {
      if let value = inbox.take() { return value }
      let waiter = LinkWaiter()
      inbox.onValue = { waiter.wake(nil) }
      let timer = loop.schedule(at: deadline) { waiter.wake(.silent(what: "no value within \(limit.inSeconds) s")) }
      let trouble = await wait(waiter)
      inbox.onValue = nil
      loop.cancel(timer)
      if let trouble, inbox.isEmpty { throw trouble }
    }
  }

  func settle(for duration: Duration) async throws(VisitTrouble) {
    let waiter = LinkWaiter()
    isPausing = true
    defer { isPausing = false }
    let timer = loop.schedule(after: min(duration, Self.longestSettling)) { waiter.wake(nil) }
    defer { loop.cancel(timer) }
    if let trouble = await wait(waiter) { throw trouble }
  }

  private func wait(_ waiter: LinkWaiter) async -> VisitTrouble? {
    if let toldEnd { return toldEnd }
    waiters.append(waiter)
    defer { waiters.removeAll { $0 === waiter } }
    return await waiter.wait()
  }

  // MARK: Security

  /// Encrypts the link with the existing key, before a session has it.
  func encryptWithKey() async throws(LinkError) { try await security.secure() }

  func secure() async throws(VisitTrouble) {
    if let toldEnd { throw toldEnd }
    if isSecured { return }
    guard events.maySecure() else {
      throw .wantsPairing
    }
    isSecuring = true
    defer { isSecuring = false }
    do throws(LinkError) {
      try await security.secure()
    } catch {
      let trouble: VisitTrouble = error.isOfSecurity ? .needsKeys(error) : .link(.closed(error))
      // After a failed pairing the behaviour of most wearables is undefined.
      if end == nil { giveUp(trouble) }
      throw trouble
    }
  }

  /// Requests a value. If the wearable refuses because the link is not encrypted, and its driver pairs for that
  /// (`PairingNeed.whereRefused`), encrypts the link and tries once more.
  ///
  /// - Throws: the wearable's answer; `.closed` if the encryption failed, with the reason in `end`.
  func encryptingWhereRefused<Value>(_ body: () async throws(GATTError) -> Value) async throws(GATTError) -> Value {
    do throws(GATTError) { return try await body() } catch {
      guard error.wantsSecurity, !isSecured, end == nil, events.whereRefused() == .encrypt else { throw error }
      events.encryptsAfterRefusal()
      do throws(VisitTrouble) { try await secure() } catch { throw .closed(.aborted) }
      return try await body()
    }
  }

  /// Ends the link after a refusal that makes it useless. A person is notified if the wearable requires encryption that
  /// is impossible now.
  func needsSecurity(_ error: GATTError) {
    guard error.wantsSecurity, case .needs(let trouble) = events.whereRefused() else { return }
    giveUp(trouble)
  }

  // MARK: Reports of the session

  func profileWasDisturbed(settlesAfter after: Duration) { events.onDisturbed(after) }
  func reached(_ stage: BindingStage) {
    if end != nil || stage == reached { return }
    reached = stage
    events.onReached()
  }

  func noteProgress(bytes: Int) { events.onProgress(max(0, bytes)) }

  func note(_ oddity: String) {
    guard oddities.count < Self.oddityLimit, !oddities.contains(oddity) else { return }
    oddities.append(oddity)
    events.onOddity(oddity)
  }

  func hasReading(_ mark: ReadingMark) async throws(VisitTrouble) -> Bool {
    do throws(HearthError) { return try await events.hasReading(mark) } catch { throw .noRoom("\(error)") }
  }

  /// Forgets oddities, so that a new visit over the same link records them again.
  func forgetOddities() { oddities = [] }

  // MARK: The end

  /// Ends the link from this side.
  func giveUp(_ trouble: VisitTrouble) {
    guard end == nil else { return }
    ended(trouble)
    client.close(immediately: true)
    events.onGivenUp(trouble)
  }

  /// Notes that the link ended, or that the wearable's database changed. Idempotent: the first reason stays.
  func ended(_ trouble: VisitTrouble) {
    guard end == nil else { return }
    end = trouble
    let all = waiters
    waiters = []
    for waiter in all { waiter.wake(toldEnd) }
  }
}
