import EventLoop
import Testing

@testable import Bluetooth

/// Random and damaged bytes against every parser and machine of the room. The libFuzzer harnesses in Tests/Fuzz go
/// deeper; these always run.
@Suite("Whatever bytes come")
struct FuzzTests {
  @Test("advertising data stays bounded and printable")
  func advertisingData() throws {
    var random = SeededGenerator(seed: 1)
    let sample = try #require(
      [UInt8](hexadecimal: "020106 03020D18 020AF4 03194103 06FF6B00720812 0609 4142431B5B 0516 0D18 0102"))
    var merged = AdvertisingData()
    for round in 0..<50_000 {
      let bytes = round % 2 == 0 ? random.bytes(0...62) : random.mutated(sample)
      if round % 64 == 0 { merged = AdvertisingData() }
      bytes.withUnsafeBytes { merged.merge($0) }
      must(merged.services.count <= 64 && merged.serviceData.count <= 16 && merged.manufacturerData.count <= 16)
      guard let name = merged.name else { continue }
      let isPrintable = name.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
      }
      must(isPrintable && !name.isEmpty && name.utf8.count <= 64)
    }
  }

  @Test("the server answers requests, only requests, and never more than the MTU")
  func server() {
    var random = SeededGenerator(seed: 2)
    for services in [[], database] {
      var server = GATTServer(services)
      for round in 0..<15_000 {
        let pdu = random.request()
        let response = pdu.withUnsafeBytes { server.respond(to: $0) }
        let isRequest = pdu.first.map { ATTRole(of: $0) == .request } ?? false
        must((response != nil) == isRequest)
        must((23...517).contains(server.mtu))
        if let response, let opcode = pdu.first {
          must(response.count <= server.mtu)
          must(response.first == opcode + 1 || (response.first == 1 && response.count == 5 && response[1] == opcode))
        }
        if round % 100 == 0 { server.reset() }
        _ = server.takeWrites()
      }
    }
  }

  @Test("the channel has one request outstanding, ends it once, and is silent after its end")
  func channel() {
    var random = SeededGenerator(seed: 3)
    var ended = 0
    for _ in 0..<600 {
      var channel = ATTChannel(server: GATTServer(database), floodGuard: .standard)
      var now = Instant(nanoseconds: 0)
      var id: UInt64 = 0
      var open: Set<UInt64> = []
      var outstanding: UInt8?
      for _ in 0..<60 {
        now = now + .milliseconds(Int64.random(in: 0...400, using: &random))
        if Bool.random(using: &random) {
          id += 1
          if channel.submit(ATTReadRequest(handle: 3).bytes, id: id, now: now) { open.insert(id) }
        }
        var pdu = random.request()
        if let outstanding, Int.random(in: 0..<3, using: &random) == 0 { pdu = [outstanding + 1] + pdu }
        switch pdu.withUnsafeBytes({ channel.receive($0, now: now) }) {
        case .response(let id, _), .refused(let id, _, _):
          must(open.remove(id) != nil)
          must(outstanding != nil)
          outstanding = nil
        case .failed: open = []
        default: break
        }
        if channel.expire(now) { open = [] }
        while let outgoing = channel.takeOutgoing() {
          must(channel.failure == nil)
          must(outgoing.pdu.count <= channel.mtu)
          guard let opcode = outgoing.pdu.first, ATTRole(of: opcode) == .request else { continue }
          must(outstanding == nil)
          outstanding = opcode
        }
        must((channel.deadline == nil) == open.isEmpty)
      }
      if channel.failure != nil { ended += 1 }
    }
    must(ended > 100)
  }

  @Test("what the cache decoder accepts is a database that survives being kept again")
  func cache() throws {
    var random = SeededGenerator(seed: 4)
    let kept = try VirtualLoop.run { loop in
      let client = GATTClient(ServedBearer(GATTServer(database)), loop: loop)
      _ = try await client.open()
      return try #require(client.cache)
    }
    let bytes = kept.encode()
    must(bytes.withUnsafeBytes { GATTCache(decoding: $0) } == kept)
    for count in 0..<bytes.count { #expect(bytes[..<count].withUnsafeBytes { GATTCache(decoding: $0) } == nil) }
    var accepted = 0
    for round in 0..<50_000 {
      let damaged = round % 4 == 0 ? random.bytes(0...200) : random.mutated(bytes)
      guard let cache = damaged.withUnsafeBytes({ GATTCache(decoding: $0) }) else { continue }
      accepted += 1
      must(cache.encode().withUnsafeBytes { GATTCache(decoding: $0) } == cache)
    }
    must(accepted > 100)
  }

  @Test(
    "against a wearable that damages its answers, every operation still ends, and the link says why", arguments: 1...200
  )
  func client(_ seed: Int) throws {
    try VirtualLoop.run { loop in
      let bearer = ServedBearer(GATTServer(database))
      bearer.damage = (SeededGenerator(seed: UInt64(seed)), oneIn: seed % 7 + 2)
      let client = GATTClient(bearer, loop: loop)
      var ends = 0
      client.onClosed = { _ in ends += 1 }
      let start = loop.now
      for _ in 0..<5 {
        let result: Result<GATTDatabase, GATTError>
        do throws(GATTError) { result = .success(try await client.open()) } catch { result = .failure(error) }
        if case .success(let database) = result {
          #expect(database.services.count <= 64)
          _ = try? await client.read(3)
          _ = try? await client.write(16, [UInt8](repeating: 1, count: 30))
        }
        bearer.chatter()
      }
      #expect(loop.now - start <= .seconds(5 * 150))
      #expect(ends == (bearer.isClosed ? 1 : 0))
    }
  }
}

/// As #expect, which is too slow for a million checks.
private func must(_ condition: Bool, line: Int = #line) {
  if !condition { Issue.record("broken at line \(line)") }
}

private let database = [
  GATTServiceDefinition(0x1801, [GATTCharacteristicDefinition(0x2A05, .indicate)]),
  GATTServiceDefinition(
    0x180D,
    [
      GATTCharacteristicDefinition(0x2A37, .notify), GATTCharacteristicDefinition(0x2A38, [.read, .write], value: [1]),
    ]),
  GATTServiceDefinition(
    BluetoothUUID(high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8),
    [
      GATTCharacteristicDefinition(
        BluetoothUUID(high: 0xFB00_5C81_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8), [.read, .write, .notify],
        value: [UInt8](repeating: 7, count: 60),
        descriptors: [GATTDescriptorDefinition(0x2901, value: [65])])
    ]),
]

extension SeededGenerator {
  /// Something like a PDU: mostly an assigned opcode with plausible handles, sometimes anything.
  fileprivate mutating func request() -> [UInt8] {
    guard Int.random(in: 0..<8, using: &self) > 0, let opcode = ATTOpcode.allCases.randomElement(using: &self) else {
      return bytes(0...30)
    }
    var pdu = [opcode.rawValue]
    pdu.append(littleEndian: UInt16.random(in: 0...20, using: &self))
    switch Int.random(in: 0..<5, using: &self) {
    case 0: break
    case 1: pdu.append(littleEndian: UInt16.random(in: 0...600, using: &self))
    case 2: pdu += [0xFF, 0xFF, UInt8.random(in: 0...3, using: &self), 0x28]
    case 3: pdu += bytes(0...20)
    default: pdu += bytes(0...600)
    }
    return Int.random(in: 0..<6, using: &self) == 0 ? mutated(pdu) : pdu
  }
}

/// A bearer with a whole wearable behind it, which answers after a connection interval and may damage what it says.
@LoopActor
final class ServedBearer: Bearer {
  let address = BluetoothAddress(value: 1, kind: .leRandom)
  var onReceive: (@LoopActor (RawBytes) -> Void)?
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?
  private(set) var isClosed = false
  private(set) var server: GATTServer
  var damage: (random: SeededGenerator, oneIn: Int)?

  init(_ server: GATTServer) { self.server = server }

  func send(_ pdu: [UInt8]) -> Bool {
    guard let response = pdu.withUnsafeBytes({ server.respond(to: $0) }) else { return true }
    guard damage != nil, let oneIn = damage?.oneIn, damage?.random.next().isMultiple(of: UInt64(oneIn)) == true else {
      deliver(response)
      return true
    }
    if let damaged = damage?.random.mutated(response) { deliver(damaged) }
    return true
  }

  /// Sends a message without a request.
  func chatter() {
    for _ in 0..<10 { if let pdu = damage?.random.request() { deliver(pdu) } }
  }

  func close(immediately: Bool) { isClosed = true }

  func deliver(_ pdu: [UInt8]) {
    if !isClosed { pdu.withUnsafeBytes { onReceive?($0) } }
  }
}
