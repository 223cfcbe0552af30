// Plays a conversation: our client on one side, the script on the other, byte for byte, in virtual time.

import EventLoop

@testable import Bluetooth

@LoopActor
final class ConversationRunner {
  private let loop: VirtualLoop
  private var bearer = ScriptedBearer()
  private var client: GATTClient
  private var operations: [Operation] = []
  private var heard: [(handle: UInt16, value: [UInt8])] = []
  private var changes: [ClosedRange<UInt16>] = []
  private var ends: [GATTError] = []
  private var closesSeen = 0

  /// A `do` line.
  private final class Operation {
    let step: ConversationStep
    var result: Result<[UInt8], GATTError>?
    var task: Task<Void, Never>?
    init(_ step: ConversationStep) { self.step = step }
  }

  init(_ loop: VirtualLoop) {
    self.loop = loop
    client = GATTClient(bearer, loop: loop)
    listen()
  }

  private func listen() {
    client.onClosed = { [weak self] in self?.ends.append($0) }
    client.onServiceChanged = { [weak self] in self?.changes.append($0) }
  }

  func play(_ script: ConversationScript) async throws {
    for step in try script.steps() {
      try await play(step)
      if step.verb != "<<" { try await settle() }
    }
    try checkQuiet(ConversationStep(place: "\(script.name).txt at its end", verb: "quiet", words: []), isEnd: true)
  }

  /// Lets everything happen that can happen without time passing: a microsecond only passes when all other work is
  /// done.
  private func settle() async throws { try await loop.sleep(for: .microseconds(1)) }

  private func play(_ step: ConversationStep) async throws {
    switch step.verb {
    case ">": try checkSent(step, step.bytes())
    case "<", "<<": bearer.deliver(try step.bytes())
    case "flood":
      let pdu = try step.bytes(1)
      guard let count = step.words.first.flatMap(Int.init) else { throw step.fail("flood needs a count") }
      for _ in 0..<count { bearer.deliver(pdu) }
    case "do": try start(step)
    case "wait": try await loop.sleep(for: step.duration())
    case "cancel": operations.first { $0.result == nil }?.task?.cancel()
    case "expect": try checkResult(step)
    case "heard": try checkHeard(step)
    case "changed":
      let range = try step.handle(0)...step.handle(1)
      try check(step, changes.isEmpty ? "nothing" : "\(changes.removeFirst())", "\(range)")
    case "ended": try check(step, ends.isEmpty ? "not ended" : name(ends.removeFirst()), step.rest)
    case "hung-up":
      try check(
        step, bearer.closes.count > closesSeen ? (bearer.closes[closesSeen] ? "at once" : "") : "not closed", step.rest)
      closesSeen += 1
    case "mtu": try check(step, "\(client.mtu)", step.rest)
    case "counter":
      try check(
        step, client.counters.list.first { $0.name == step.words.first }.map { "\($0.name) \($0.value)" } ?? "none",
        step.rest)
    case "services": try check(step, "\(client.cache?.database.services.count ?? -1)", step.rest)
    case "service": try checkService(step)
    case "characteristic": try checkCharacteristic(step)
    case "reused": try check(step, client.cacheWasReused ? "yes" : "no", step.rest)
    case "kept": try check(step, client.cache == nil ? "no" : "yes", step.rest)
    case "peer-closes": try peerCloses(step)
    case "room": bearer.room = Int(step.rest)
    case "writable": bearer.becomeWritable()
    case "confirm": client.confirm()
    case "serve": try serve(step)
    case "tell": client.notify(0x2A2B, try step.bytes())
    case "close": client.close(immediately: step.rest == "at once")
    case "reconnect": try reconnect(step)
    case "quiet": try checkQuiet(step, isEnd: false)
    default: throw step.fail("no such verb")
    }
  }

  // MARK: - What happens

  private func start(_ step: ConversationStep) throws {
    let operation = Operation(step)
    operations.append(operation)
    let body = try body(step)
    operation.task = loop.spawn {
      do throws(GATTError) { operation.result = .success(try await body()) } catch {
        operation.result = .failure(error)
      }
    }
  }

  private func body(_ step: ConversationStep) throws -> @LoopActor () async throws(GATTError) -> [UInt8] {
    let client = client
    switch step.words.first {
    case "open":
      let cache = step.words.count > 1 ? keptCache : nil
      return { () async throws(GATTError) in
        _ = try await client.open(cache: cache)
        return []
      }
    case "discover":
      return { () async throws(GATTError) in
        _ = try await client.discover()
        return []
      }
    case "read":
      let handle = try step.handle(1)
      return { () async throws(GATTError) in try await client.read(handle) }
    case "ask":
      let handle = try step.handle(1)
      return { () async throws(GATTError) in
        let isHeard = await client.isHeard(at: handle)
        return [isHeard ? 1 : 0]
      }
    case "take":
      let handle = try step.handle(1)
      return { () async throws(GATTError) in
        try await client.read(handle) { [weak self] in self?.heard.append((handle, Array($0))) }
        return []
      }
    case "write":
      let (handle, value) = try (step.handle(1), step.bytes(2))
      return { () async throws(GATTError) in
        try await client.write(handle, value)
        return []
      }
    case "command":
      let (handle, value) = try (step.handle(1), step.bytes(2))
      return { () async throws(GATTError) in
        try client.writeCommand(handle, value)
        return []
      }
    case "subscribe", "subscribe-held":
      let characteristic = try characteristic(step)
      let holds = step.words.first == "subscribe-held"
      return { () async throws(GATTError) in
        try await client.subscribe(characteristic, holdsConfirmation: holds) { [weak self] in
          self?.heard.append((characteristic.valueHandle, Array($0)))
        }
        return []
      }
    case "unsubscribe":
      let characteristic = try characteristic(step)
      return { () async throws(GATTError) in
        try await client.unsubscribe(characteristic)
        return []
      }
    default: throw step.fail("no such operation")
    }
  }

  /// `subscribe 0x0003` of the database, or `subscribe 0x0003 notify|indicate 0x0004` of one that was not discovered.
  private func characteristic(_ step: ConversationStep) throws -> GATTCharacteristic {
    let value = try step.handle(1)
    if step.words.count > 2 {
      var descriptors: [GATTDescriptor] = []
      if step.words.count > 3 {
        descriptors = [GATTDescriptor(uuid: .clientCharacteristicConfiguration, handle: try step.handle(3))]
      }
      let properties: GATTProperties =
        step.words[2] == "indicate" ? .indicate : step.words[2] == "read" ? .read : .notify
      return GATTCharacteristic(
        uuid: 0x2A37, properties: properties, declarationHandle: value - 1, valueHandle: value, descriptors: descriptors
      )
    }
    let all = client.cache?.database.services.flatMap(\.characteristics) ?? []
    guard let found = all.first(where: { $0.valueHandle == value }) else {
      throw step.fail("no such characteristic in the database")
    }
    return found
  }

  /// From the first line on the client has a server that tells the time, as a hub's; later it shows another one.
  private func serve(_ step: ConversationStep) throws {
    if client.onServe == nil {
      bearer = ScriptedBearer()
      client = GATTClient(bearer, loop: loop, server: .tellingTime)
      listen()
    }
    let value = step.rest == "nothing" ? nil : try step.bytes()
    client.onServe = { server in
      if let value { server.setValue(value, for: 0x2A2B) } else { server.refuseReading(0x2A2B, .unlikelyError) }
    }
  }

  private func peerCloses(_ step: ConversationStep) throws {
    let reasons: [String: LinkError] = [
      "": .peerClosed, "peerClosed": .peerClosed, "linkLost": .linkLost, "adapterGone": .adapterGone,
    ]
    guard let reason = reasons[step.rest] else { throw step.fail("no such reason") }
    bearer.end(reason)
  }

  private var keptCache: GATTCache?

  /// A new link to the same wearable. What the client would have kept goes through its kept form, as in the registry.
  private func reconnect(_ step: ConversationStep) throws {
    try checkQuiet(step, isEnd: true)
    keptCache = client.cache.flatMap { $0.encode().withUnsafeBytes { GATTCache(decoding: $0) } }
    guard keptCache == client.cache else { throw step.fail("the cache does not survive being kept") }
    client.close(immediately: true)
    bearer = ScriptedBearer()
    client = GATTClient(bearer, loop: loop)
    closesSeen = 0
    listen()
  }

  // MARK: - What must be true

  private func check(_ step: ConversationStep, _ actual: String, _ expected: String) throws {
    if actual != expected { throw step.fail("\(step.verb): expected \(expected), got \(actual)") }
  }

  private func checkSent(_ step: ConversationStep, _ expected: [UInt8]) throws {
    guard let sent = bearer.takeSent() else { throw step.fail("nothing was sent, expected \(hexadecimal(expected))") }
    try check(step, hexadecimal(sent), hexadecimal(expected))
  }

  private func checkHeard(_ step: ConversationStep) throws {
    guard !heard.isEmpty else { throw step.fail("nothing was heard") }
    let (handle, value) = heard.removeFirst()
    let (expectedHandle, expected) = try (step.handle(0), step.bytes(1))
    try check(step, "\(handle) \(hexadecimal(value))", "\(expectedHandle) \(hexadecimal(expected))")
  }

  private func checkResult(_ step: ConversationStep) throws {
    guard !operations.isEmpty else { throw step.fail("no operation is left") }
    if step.rest == "waiting" { return try check(step, operations[0].result == nil ? "waiting" : "ended", "waiting") }
    let operation = operations.removeFirst()
    guard let result = operation.result else { throw step.fail("`do \(operation.step.rest)` has not ended") }
    switch result {
    case .success(let value) where step.words.first == "value":
      try check(step, hexadecimal(value), hexadecimal(step.bytes(1)))
    case .success(let value): try check(step, value.isEmpty ? "done" : "value \(hexadecimal(value))", step.rest)
    case .failure(let error): try check(step, "error " + name(error), step.rest)
    }
  }

  private func checkService(_ step: ConversationStep) throws {
    guard step.words.count == 3, let uuid = BluetoothUUID(step.words[0]) else {
      throw step.fail("service UUID FIRST LAST")
    }
    let handles = try step.handle(1)...step.handle(2)
    let found = client.cache?.database.services.contains { $0.uuid == uuid && $0.handles == handles }
    if found != true { throw step.fail("no such service") }
  }

  /// `characteristic SERVICE UUID VALUE [CONFIGURATION]`
  private func checkCharacteristic(_ step: ConversationStep) throws {
    guard step.words.count >= 3, let service = BluetoothUUID(step.words[0]), let uuid = BluetoothUUID(step.words[1])
    else {
      throw step.fail("characteristic SERVICE UUID VALUE [CONFIGURATION]")
    }
    guard let found = client.cache?.database.characteristic(uuid, in: service) else {
      throw step.fail("no such characteristic")
    }
    let configuration = step.words.count > 3 ? try step.handle(3) : nil
    try check(
      step, "\(found.valueHandle) \(String(describing: found.configurationHandle))",
      "\(try step.handle(2)) \(String(describing: configuration))")
  }

  /// The script accounts for every event; at its end, no operation is under way either.
  private func checkQuiet(_ step: ConversationStep, isEnd: Bool) throws {
    if let pdu = bearer.takeSent() { throw step.fail("unexpected: sent \(hexadecimal(pdu))") }
    if let value = heard.first { throw step.fail("unexpected: heard \(hexadecimal(value.value)) from \(value.handle)") }
    if let change = changes.first { throw step.fail("unexpected: service changed \(change)") }
    if let end = ends.first { throw step.fail("unexpected: ended with \(name(end))") }
    if bearer.closes.count > closesSeen { throw step.fail("unexpected: hung up") }
    if isEnd, let operation = operations.first { throw step.fail("nobody asked how `do \(operation.step.rest)` ended") }
  }

  private func name(_ error: GATTError) -> String {
    switch error {
    case .closed(let link): "closed \(link)"
    case .timeout: "timeout"
    case .refused(_, _, let code): "refused \(hexadecimal([code.rawValue]))"
    case .protocolViolation(let violation): "protocol \(violation)"
    case .flood: "flood"
    case .discoveryBounded(let bound): "bounded \(bound)"
    case .malformed(let fault): "malformed \(fault)"
    case .missing: "missing"
    case .procedureTimeout: "procedure-timeout"
    case .busy: "busy"
    case .cancelled: "cancelled"
    }
  }
}
