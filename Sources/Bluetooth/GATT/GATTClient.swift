// GATT client: a wearable's database, its values, its notifications and indications.

public import EventLoop

/// GATT client on one bearer. All its code runs on the loop.
///
/// - Any number of tasks may call at once. Requests are sent one at a time, in order; at most 32 wait, the next fails
///   with `busy`.
/// - Every operation ends exactly once. When the link ends, all waiting operations fail with the reason, then
///   `onClosed` is called.
/// - A notification or indication reaches its handler during the call that delivered it, without a copy or an
///   allocation. Indications are confirmed at once, unless the subscription holds the confirmation.
/// - Requests of the wearable are answered from `server`, which is empty by default.
///
/// The owner of the link reconnects, pairs and raises security; the client never does.
@LoopActor
public final class GATTClient {
  /// Called once when the link ends for any reason but `close`, also if it had ended before this was set.
  public var onClosed: (@LoopActor (GATTError) -> Void)? { didSet { reportEnd() } }
  /// The wearable's database changed in this range of handles. The indication is confirmed, `cache` is nil, and the
  /// subscriptions in the range are gone; the owner calls `discover` and subscribes again.
  public var onServiceChanged: (@LoopActor (ClosedRange<UInt16>) -> Void)?
  /// Called before a read of the wearable, to set the values of `server`.
  public var onServe: (@LoopActor (inout GATTServer) -> Void)?
  /// Database to store for the next visit; nil before `open`, and as soon as its validity is in doubt.
  public private(set) var cache: GATTCache?
  /// Whether `open` found the cached database valid and skipped the discovery.
  public private(set) var cacheWasReused = false

  /// True until the bearer closes.
  public var isOpen: Bool { end == nil }
  /// ATT MTU in bytes.
  public var mtu: Int { channel.mtu }
  /// Counters of the ATT channel since it was opened.
  public var counters: ATTCounters { channel.counters }
  var ownMTU: Int { channel.ownMTU }

  let loop: any Loop
  private let bearer: any Bearer
  var channel: ATTChannel
  /// Handlers of notifications and indications, by value handle.
  var subscriptions: [UInt16: @LoopActor (RawBytes) -> Void] = [:]
  private var serviceChangedHandle: UInt16?
  /// Counts the signs that the database has changed.
  private(set) var generation = 0

  private var waiters: [UInt64: GATTWaiter] = [:]
  private var lastID: UInt64 = 0
  private var transactionTimer: LoopTimer?
  private var isBlocked = false
  private(set) var end: GATTError?
  private var endIsUnreported = false

  /// Long writes run one at a time: prepared parts of two writers would end in one value.
  let longWrites = GATTWriteTurn()

  /// Takes the bearer over and handles PDUs that it had queued.
  public init(_ bearer: any Bearer, loop: any Loop, server: GATTServer = .empty, floodGuard: FloodGuard = .standard) {
    self.bearer = bearer
    self.loop = loop
    channel = ATTChannel(server: server, floodGuard: floodGuard)
    // An open bearer retains its client and releases it when it ends. Weak references are avoided: an object that has
    // one is slower to retain, and this one is retained at every notification.
    bearer.onWritable = { self.becameWritable() }
    bearer.onReceive = { pdu in self.receive(pdu) }
    bearer.onClosed = { error in self.finish(.closed(error), closingBearer: false) }
  }

  // MARK: - Operations

  /// Sends a Write Command, which has no response. Throws `busy` if 16 wait for a full link.
  ///
  /// - Parameter value: at most `mtu` − 3 bytes, else `malformed`: a command cannot be continued.
  public func writeCommand(_ handle: UInt16, _ value: [UInt8]) throws(GATTError) {
    if let end { throw end }
    guard value.count <= mtu - 3 else { throw .malformed(.commandTooLong) }
    guard channel.submitCommand(value.withUnsafeBytes { ATTWriteCommand(handle: handle, value: $0).bytes }) else {
      throw .busy
    }
    flush()
  }

  /// Ends everything: waiting operations fail with `closed(.aborted)`, no callback follows. Idempotent.
  public func close(immediately: Bool) {
    if end == nil {
      end = .closed(.aborted)
      endAllWaiters(.closed(.aborted))
    }
    endIsUnreported = false
    bearer.close(immediately: immediately)
    letGoOfBearer()
  }

  private func letGoOfBearer() {
    bearer.onWritable = nil
    bearer.onReceive = nil
    bearer.onClosed = nil
  }

  // MARK: - Database

  func adopt(_ cache: GATTCache, reused: Bool) {
    self.cache = cache
    cacheWasReused = reused
    serviceChangedHandle = cache.database.characteristic(.serviceChanged, in: .genericAttributeService)?.valueHandle
  }

  private func serviceChanged(_ value: RawBytes) {
    var reader = ByteReader(value)
    var range: ClosedRange<UInt16> = 1...UInt16.max
    if let start = reader.u16(), let end = reader.u16(), reader.isAtEnd, start <= end {
      range = start...end
    } else {
      channel.noteMalformed()  // Something changed, so everything may have.
    }
    generation += 1
    cache = nil
    for handle in subscriptions.keys where range.contains(handle) { forget(handle) }
    onServiceChanged?(range)
  }

  // MARK: - Requests

  /// Sends a request in its turn and parses the response with `read`. Within a procedure it also counts against the
  /// procedure's bounds.
  func transact<Response: ATTPDU, Value>(
    _ request: [UInt8], _ procedure: GATTProcedure?, _ read: (Response) throws(GATTError) -> Value
  ) async throws(GATTError) -> Value {
    let pdu = try await exchange(request, procedure)
    // Outside of withUnsafeBytes, so that the typed error survives it.
    let result: Result<Value, GATTError> = pdu.withUnsafeBytes { bytes in
      guard let response = Response(bytes) else {
        channel.noteMalformed()
        return .failure(.malformed(.response))
      }
      do throws(GATTError) { return .success(try read(response)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// - Parameter arrived: called with the outcome during the call that delivers it, before this task resumes.
  func exchange(
    _ request: [UInt8], _ procedure: GATTProcedure?, arrived: (@LoopActor (GATTWaiter.Outcome) -> Void)? = nil
  ) async throws(GATTError) -> [UInt8] {
    if let end { throw end }
    if Task.isCancelled { throw .cancelled }
    try procedure?.countTransaction(now: loop.now)
    lastID += 1
    let id = lastID
    guard channel.submit(request, id: id, now: loop.now) else { throw .busy }
    let waiter = GATTWaiter(loop, arrived)
    if let procedure { waiter.end(at: procedure.deadline, with: .failure(.procedureTimeout)) }
    waiters[id] = waiter
    flush()
    let outcome = await waiter.wait()
    // The wait ended without a response: the request must not be sent any more, or its response must be dropped.
    if waiters.removeValue(forKey: id) != nil { channel.withdraw(id) }
    if case .failure(.refused(_, _, let code)) = outcome, code == .invalidHandle || code == .databaseOutOfSync {
      // The database differs from the cached one: do not store it for the next visit.
      cache = nil
    }
    return try outcome.get()
  }

  /// Retries twice, a second apart: wearables refuse this way while they are busy with their flash or sensors.
  func retrying(_ operation: () async throws(GATTError) -> [UInt8]) async throws(GATTError) -> [UInt8] {
    for _ in 0..<2 {
      do throws(GATTError) { return try await operation() } catch {
        guard case .refused(_, _, let code) = error, code == .insufficientResources || code == .unlikelyError else {
          throw error
        }
      }
      try await pause(.seconds(1))
    }
    return try await operation()
  }

  /// Sends a request and ignores its response. Also sent if the queue of requests is full.
  func requestUnheard(_ request: [UInt8]) {
    lastID += 1
    _ = channel.submit(request, id: lastID, now: loop.now, evenIfFull: true)
    flush()
  }

  private func pause(_ duration: Duration) async throws(GATTError) {
    if let end { throw end }
    lastID += 1
    let id = lastID
    let waiter = GATTWaiter(loop)
    waiter.end(at: loop.now + duration, with: .success([]))
    waiters[id] = waiter
    let outcome = await waiter.wait()
    waiters[id] = nil
    _ = try outcome.get()
  }

  // MARK: - The channel and the bearer

  private func receive(_ pdu: RawBytes) {
    if let onServe, let opcode = pdu.first, Self.readingOpcodes.contains(opcode) { channel.serve { onServe(&$0) } }
    switch channel.receive(pdu, now: loop.now) {
    case .value(let handle, let value): deliver(handle, value)
    case .values(let list): list.forEach(deliver)
    case .response(let id, let response): waiters.removeValue(forKey: id)?.end(.success(Array(response)))
    case .refused(let id, let request, let error):
      waiters.removeValue(forKey: id)?.end(.failure(.refused(request: request, handle: error.handle, code: error.code)))
    case .failed(let error): finish(error, closingBearer: true)
    case .nothing: break
    }
    flush()
  }

  private static let readingOpcodes = Set(
    [
      ATTOpcode.readByTypeRequest, .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest,
    ].map(\.rawValue))

  /// Notifies the wearable of a value of `server`, if it subscribed to it.
  public func notify(_ uuid: BluetoothUUID, _ value: [UInt8]) {
    channel.notify(uuid, value)
    flush()
  }

  private func deliver(_ handle: UInt16, _ value: RawBytes) {
    if let handler = subscriptions[handle] {
      handler(value)
    } else if handle == serviceChangedHandle {
      serviceChanged(value)
    } else {
      channel.noteUnknownHandle()
    }
  }

  func flush() {
    guard end == nil else { return }
    while !isBlocked, let outgoing = channel.takeOutgoing() {
      if bearer.send(outgoing.pdu) { continue }
      channel.putBack(outgoing)
      isBlocked = true
    }
    if transactionTimer == nil, let deadline = channel.deadline {
      transactionTimer = loop.schedule(at: deadline) { self.transactionTimerFired() }
    }
  }

  private func becameWritable() {
    isBlocked = false
    flush()
  }

  /// A single timer serves many transactions, so it checks whether the current one has expired.
  private func transactionTimerFired() {
    transactionTimer = nil
    if channel.expire(loop.now) { finish(.timeout, closingBearer: true) } else { flush() }
  }

  private func finish(_ error: GATTError, closingBearer: Bool) {
    guard end == nil else { return }
    end = error
    endIsUnreported = true
    if closingBearer { bearer.close(immediately: false) }
    letGoOfBearer()
    endAllWaiters(error)
    reportEnd()
  }

  private func endAllWaiters(_ error: GATTError) {
    if let transactionTimer { loop.cancel(transactionTimer) }
    transactionTimer = nil
    let all = waiters.sorted { $0.key < $1.key }.map(\.value) + longWrites.dismissAll()
    waiters = [:]
    for waiter in all { waiter.end(.failure(error)) }
    subscriptions = [:]
  }

  private func reportEnd() {
    guard endIsUnreported, let end, let onClosed else { return }
    endIsUnreported = false
    onClosed(end)
  }
}
