// A simulated insole on a simulated radio, and a client of a few lines that says exactly what a test tells it to.

import Bluetooth
import BotzTwin
import EventLoop
import Foundation
import Simulation
import Testing

@LoopActor
final class InsoleBench {
  let loop: any Loop
  let world: VirtualWorld
  let radio: VirtualRadio
  let insole: VirtualInsole
  private(set) var bearer: (any Bearer)?
  private(set) var received: [[UInt8]] = []
  private(set) var closed: [LinkError] = []
  /// The hub's answers to the insole's own questions; nil: no answer.
  var answersQuestions = true
  private var answer: CheckedContinuation<[UInt8]?, Never>?

  init(_ loop: any Loop, seed: UInt64 = 5, faults: FaultPlan = FaultPlan(), _ traits: InsoleTraits = InsoleTraits())
    async throws
  {
    self.loop = loop
    world = VirtualWorld(loop: loop, seed: seed, faults: faults)
    insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
    var options = VirtualRadioOptions()
    options.preferredInterval = 12
    radio = VirtualRadio(world, options: options)
    radio.start()
    try await loop.sleep(for: .seconds(1))
  }

  @discardableResult
  func connect(_ parameters: ConnectionParameters = .foreground) async throws -> any Bearer {
    let bearer = try await radio.connect(to: insole.address, deadline: loop.now + .seconds(5), parameters: parameters)
    self.bearer = bearer
    received = []
    bearer.onReceive = { [weak self] in self?.take(Array($0)) }
    bearer.onClosed = { [weak self] in self?.end($0) }
    return bearer
  }

  func hangUp() async throws {
    bearer?.close(immediately: true)
    try await loop.sleep(for: .milliseconds(100))
  }

  /// The next response to a request of ours; nil if the link ended first or it took 40 s.
  func request(_ pdu: [UInt8]) async -> [UInt8]? {
    guard let bearer, bearer.send(pdu) else { return nil }
    let timer = loop.schedule(after: .seconds(40)) { [weak self] in
      self?.answer?.resume(returning: nil)
      self?.answer = nil
    }
    defer { loop.cancel(timer) }
    return await withCheckedContinuation { answer = $0 }
  }

  func handle(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) throws -> [UInt8] {
    let handle = try #require(insole.handle(service, characteristic))
    return [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)]
  }

  /// The ATT error code; nil for success.
  func write(_ service: BluetoothUUID, _ characteristic: BluetoothUUID, _ value: [UInt8]) async throws -> UInt8? {
    let answer = try await request([0x12] + handle(service, characteristic) + value)
    let response = try #require(answer)
    return response == [0x13] ? nil : response.last
  }

  func control(_ command: UInt8, _ value: [UInt8]) async throws -> UInt8? {
    try await write(InsoleUUID.control, InsoleUUID.vendor(command), value)
  }

  /// The value, or what was said instead of it.
  func read(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) async throws -> [UInt8] {
    let answer = try await request([0x0A] + handle(service, characteristic))
    let response = try #require(answer)
    return response[0] == 0x0B ? Array(response.dropFirst()) : response
  }

  func info(_ part: UInt8) async throws -> [UInt8] { try await read(InsoleUUID.information, InsoleUUID.info(part)) }

  func subscribe(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) async throws {
    let handle = try #require(insole.handle(service, characteristic)) + 1
    #expect(await request([0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), 1, 0]) == [0x13])
  }

  /// Values that were notified by this characteristic, in order.
  func values(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) throws -> [[UInt8]] {
    let handle = try handle(service, characteristic)
    return received.filter { $0.first == 0x1B && $0.count >= 3 && Array($0[1...2]) == handle }.map {
      Array($0.dropFirst(3))
    }
  }

  /// Sends one SMP frame in commands of at most 118 bytes, and assembles the reply. Nil if it is incomplete after 10 s.
  func smp(_ frame: [UInt8]) async throws -> [UInt8]? {
    let before = try values(InsoleUUID.smp, InsoleUUID.smpData).count
    var start = 0
    while start < frame.count {
      let end = min(start + 118, frame.count)
      #expect(bearer?.send([0x52] + (try handle(InsoleUUID.smp, InsoleUUID.smpData)) + frame[start..<end]) == true)
      start = end
      if start < frame.count { try await loop.sleep(for: .milliseconds(100)) }
    }
    for _ in 0..<500 {
      try await loop.sleep(for: .milliseconds(20))
      let bytes = try values(InsoleUUID.smp, InsoleUUID.smpData).dropFirst(before).flatMap { $0 }
      if bytes.count >= 8, bytes.count >= 8 + (Int(bytes[2]) << 8 | Int(bytes[3])) { return bytes }
    }
    return nil
  }

  /// A download or status request in the second version, with a map of known length.
  static func request(_ command: UInt8, _ path: String, offset: Int? = nil, sequence: UInt8 = 1) -> [UInt8] {
    var body: [UInt8] = [offset == nil ? 0xA1 : 0xA2]
    if let offset {
      body += [0x63, 0x6F, 0x66, 0x66, 0x1A] + (0..<4).map { UInt8(truncatingIfNeeded: offset >> (24 - 8 * $0)) }
    }
    body += [0x64, 0x6E, 0x61, 0x6D, 0x65, 0x78, UInt8(path.utf8.count)] + Array(path.utf8)
    return [0x08, 0, 0, UInt8(body.count), 0, 8, sequence, command] + body
  }

  static func path(_ id: Int) -> String {
    "/lfs1/hardware/activity_\(String(repeating: "0", count: 3 - String(id).count))\(id).dat"
  }

  /// The whole file, chunk by chunk; nil as soon as something is no reply of the firmware.
  func download(_ id: Int) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    var length: Int?
    while true {
      guard let reply = try await smp(Self.request(0, Self.path(id), offset: bytes.count)) else { return nil }
      // bf "off" uint "data" bstr ["len" uint] ff: the data are found by their key.
      guard let key = Self.find([0x64, 0x64, 0x61, 0x74, 0x61], in: reply) else { return nil }
      let (count, start) = Self.head(reply, at: key + 5)
      bytes += reply[start..<start + count]
      if bytes.count == count || length == nil,
        let key = Self.find([0x63, 0x6C, 0x65, 0x6E], in: reply, after: start + count)
      {
        length = Self.head(reply, at: key + 4).0
      }
      guard let length else { return nil }
      if bytes.count >= length || count == 0 { return bytes }
    }
  }

  private static func head(_ bytes: [UInt8], at index: Int) -> (Int, Int) {
    switch bytes[index] & 0x1F {
    case 24: (Int(bytes[index + 1]), index + 2)
    case 25: (Int(bytes[index + 1]) << 8 | Int(bytes[index + 2]), index + 3)
    case 26: ((0..<4).reduce(0) { $0 << 8 | Int(bytes[index + 1 + $1]) }, index + 5)
    default: (Int(bytes[index] & 0x1F), index + 1)
    }
  }

  private static func find(_ pattern: [UInt8], in bytes: [UInt8], after start: Int = 8) -> Int? {
    guard bytes.count >= start + pattern.count else { return nil }
    return (start...bytes.count - pattern.count).first { Array(bytes[$0..<$0 + pattern.count]) == pattern }
  }

  private func take(_ pdu: [UInt8]) {
    received.append(pdu)
    guard let opcode = pdu.first else { return }
    if answersQuestions, opcode == 0x02 { _ = bearer?.send([0x03, 0x05, 0x02]) }
    if answersQuestions, opcode == 0x06 { _ = bearer?.send([0x01, 0x06, pdu[1], pdu[2], 0x0A]) }
    guard opcode & 1 == 1, opcode < 0x1B, let answer else { return }
    self.answer = nil
    answer.resume(returning: pdu)
  }

  private func end(_ error: LinkError) {
    closed.append(error)
    answer?.resume(returning: nil)
    answer = nil
  }
}

/// A case of the shared vectors of this wearable, as far as the twin needs them.
struct InsoleVector: Sendable, CustomTestStringConvertible {
  let file: String
  let id: String
  let kind: String
  let service: String
  let characteristic: String
  let operation: String
  let bytes: [UInt8]
  let error: UInt8?
  let isOfOtherEra: Bool

  var testDescription: String { "\(file)/\(id)" }

  static let folder = URL(filePath: #filePath).appending(path: "../../../../Vectors/botz").standardized

  static func load(_ file: String) -> [InsoleVector] {
    guard let data = try? Data(contentsOf: folder.appending(path: "\(file).json")),
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      let vectors = object["vectors"] as? [[String: Any]]
    else { return [] }
    return vectors.map { vector in
      let expect = vector["expect"] as? [String: Any]
      let bytes = [UInt8](hexadecimal: vector["hex"] as? String ?? "") ?? []
      return InsoleVector(
        file: file, id: vector["id"] as? String ?? "", kind: vector["kind"] as? String ?? "",
        service: vector["service"] as? String ?? "",
        characteristic: vector["characteristic"] as? String ?? "", operation: vector["op"] as? String ?? "",
        bytes: bytes,
        error: (expect?["code"] as? Int).map { UInt8($0) }, isOfOtherEra: vector["firmware_era"] != nil)
    }
  }
}
