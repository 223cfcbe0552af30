// A simulated Polar wearable on a simulated radio, and a host of a few lines that does exactly what a test tells it to.

import Bluetooth
import EventLoop
import PolarMessages
import PolarTwin
import Simulation
import Testing

@LoopActor
final class PolarBench {
  let loop: any Loop
  let world: VirtualWorld
  let radio: VirtualRadio
  let wearable: VirtualPolar
  private(set) var bearer: (any Bearer)?
  private(set) var notified: [(characteristic: BluetoothUUID, value: [UInt8])] = []
  private(set) var closed: [LinkError] = []
  private var answer: CheckedContinuation<[UInt8]?, Never>?

  init(_ loop: any Loop, seed: UInt64 = 11, _ traits: PolarTraits) async throws {
    self.loop = loop
    world = VirtualWorld(loop: loop, seed: seed)
    wearable = world.add { VirtualPolar($0, address: $1, random: $2, traits: traits) }
    radio = VirtualRadio(world)
    radio.onKeys = { _, _ in .kept }
    radio.onPairingRequest = { [weak self] in self?.radio.answer($0.address, .yes) }
    radio.start()
    try await loop.sleep(for: .seconds(1))
  }

  convenience init(_ loop: any Loop, _ model: PolarTraits.Model, adjust: (inout PolarTraits) -> Void = { _ in })
    async throws
  {
    var traits = PolarTraits(model)
    adjust(&traits)
    try await self.init(loop, traits)
  }

  /// Connected, with everything subscribed.
  func connect(subscribing: Bool = true) async throws {
    let bearer = try await radio.connect(
      to: wearable.address, deadline: loop.now + .seconds(5), parameters: .foreground)
    self.bearer = bearer
    notified = []
    bearer.onReceive = { [weak self] in self?.take(Array($0)) }
    bearer.onClosed = { [weak self] in
      self?.closed.append($0)
      self?.resume(nil)
    }
    _ = await request([0x02, 0x05, 0x02])
    guard subscribing else { return }
    if wearable.traits.needsBond { try await radio.secure(bearer) }
    for (characteristic, kind): (BluetoothUUID, UInt8) in [
      (PolarUUID.mtu, 1), (PolarUUID.d2h, 1), (PolarUUID.pmdControl, 2), (PolarUUID.pmdData, 1),
      (PolarUUID.pfcControl, 1),
    ] {
      #expect(try await subscribe(characteristic, kind) == [0x13])
    }
  }

  func subscribe(_ characteristic: BluetoothUUID, _ kind: UInt8 = 1) async throws -> [UInt8]? {
    let handle = try #require(wearable.handle(characteristic)) + 1
    return await request([0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), kind, 0])
  }

  func hangUp() async throws {
    bearer?.close(immediately: true)
    try await loop.sleep(for: .milliseconds(100))
  }

  /// The next response to a request; nil if the link ended first.
  func request(_ pdu: [UInt8]) async -> [UInt8]? {
    guard let bearer, bearer.send(pdu) else { return nil }
    return await withCheckedContinuation { answer = $0 }
  }

  func read(_ characteristic: BluetoothUUID) async throws -> [UInt8] {
    let handle = try #require(wearable.handle(characteristic))
    let answer = await request([0x0A, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)])
    let response = try #require(answer)
    return response[0] == 0x0B ? Array(response.dropFirst()) : response
  }

  @discardableResult
  func write(_ characteristic: BluetoothUUID, _ value: [UInt8]) async throws -> [UInt8] {
    let handle = try #require(wearable.handle(characteristic))
    let answer = await request([0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] + value)
    return try #require(answer)
  }

  func values(_ characteristic: BluetoothUUID) -> [[UInt8]] {
    notified.filter { $0.characteristic == characteristic }.map(\.value)
  }

  // MARK: Files

  /// Sends one message and assembles the answer: content, or a code. The result is nil after 20 s without an end, or if
  /// packets are out of order.
  func transfer(_ message: [UInt8]) async throws -> (content: [UInt8], code: Int?)? {
    let before = values(PolarUUID.mtu).count
    let size = 200
    var rest = message[...]
    var number: UInt8 = 0
    repeat {
      let isLast = rest.count < size
      try await write(
        PolarUUID.mtu, [(number & 15) << 4 | (isLast ? 2 : 6) | (number == 0 ? 0 : 1)] + rest.prefix(size - 1))
      rest = rest.dropFirst(size - 1)
      number += 1
    } while !rest.isEmpty
    for _ in 0..<400 {
      let packets = values(PolarUUID.mtu).dropFirst(before)
      var content: [UInt8] = []
      for (place, packet) in packets.enumerated() {
        guard packet[0] >> 4 == UInt8(place % 16), packet[0] & 1 == (place == 0 ? 0 : 1) else { return nil }
        switch packet[0] >> 1 & 3 {
        case 0: return (content, Int(packet[1]) | Int(packet[2]) << 8)
        case 1: return (content + packet.dropFirst(), nil)
        default: content += packet.dropFirst()
        }
      }
      try await loop.sleep(for: .milliseconds(50))
    }
    return nil
  }

  func ask(_ command: PbPFtpOperation.Command, _ path: String, _ content: [UInt8] = []) async throws -> (
    content: [UInt8], code: Int?
  )? {
    var operation = PbPFtpOperation()
    operation.command = command
    operation.path = path
    let header = try operation.wire()
    return try await transfer([UInt8(header.count), 0] + header + content)
  }

  func query(_ number: UInt8, _ parameters: [UInt8] = []) async throws -> (content: [UInt8], code: Int?)? {
    try await transfer([number, 0x80] + parameters)
  }

  func get(_ path: String) async throws -> [UInt8]? {
    guard let answer = try await ask(.get, path), answer.code == nil else { return nil }
    return answer.content
  }

  func list(_ path: String) async throws -> [String] {
    guard let bytes = try await get(path) else { return [] }
    return try PbPFtpDirectory(wire: bytes).entries.map(\.name)
  }

  // MARK: Measurements

  /// A command of the control point, and the parameters of its answer; or the status.
  func command(_ bytes: [UInt8]) async throws -> (status: UInt8, parameters: [UInt8]) {
    let before = values(PolarUUID.pmdControl).count
    try await write(PolarUUID.pmdControl, bytes)
    for _ in 0..<100 {
      if let response = values(PolarUUID.pmdControl).dropFirst(before).first {
        #expect(response[0] == 0xF0 && response[1] == bytes[0])
        return (response[3], Array(response.dropFirst(5)))
      }
      try await loop.sleep(for: .milliseconds(20))
    }
    throw NoAnswer()
  }
  struct NoAnswer: Error {}

  private func take(_ pdu: [UInt8]) {
    guard let opcode = pdu.first else { return }
    if opcode == 0x1B || opcode == 0x1D {
      if opcode == 0x1D { _ = bearer?.send([0x1E]) }
      let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
      let known: [BluetoothUUID] = [
        PolarUUID.mtu, PolarUUID.d2h, PolarUUID.pmdControl, PolarUUID.pmdData, PolarUUID.pfcControl, 0x2A37,
      ]
      if let characteristic = known.first(where: { wearable.handle($0) == handle }) {
        notified.append((characteristic, Array(pdu.dropFirst(3))))
      }
      return
    }
    if opcode & 1 == 1 { resume(pdu) }
  }

  private func resume(_ pdu: [UInt8]?) {
    guard let answer else { return }
    self.answer = nil
    answer.resume(returning: pdu)
  }
}

/// Frames as the description of the protocol has them, read as plainly as can be.
enum PlainFrame {
  static func signed(_ bytes: ArraySlice<UInt8>) -> Int32 {
    var value: UInt32 = 0
    for (place, byte) in bytes.enumerated() { value |= UInt32(byte) << UInt32(8 * place) }
    let missing = UInt32(32 - 8 * bytes.count)
    return Int32(bitPattern: value << missing) >> Int32(missing)
  }

  static func time(_ frame: [UInt8]) -> Int64 { (0..<8).reduce(0) { $0 | Int64(frame[1 + $1]) << Int64(8 * $1) } }

  /// Raw records of equal values.
  static func raw(_ frame: [UInt8], size: Int, channels: Int) -> [[Int32]] {
    stride(from: 10, through: frame.count - size * channels, by: size * channels).map { start in
      (0..<channels).map { signed(frame[(start + $0 * size)..<(start + $0 * size + size)]) }
    }
  }

  /// A reference and differences, bit by bit.
  static func compressed(_ frame: [UInt8], size: Int, channels: Int) -> [[Int32]] {
    var samples = [(0..<channels).map { signed(frame[(10 + $0 * size)..<(10 + $0 * size + size)]) }]
    var offset = 10 + size * channels
    while offset + 2 <= frame.count {
      let (width, count) = (Int(frame[offset]), Int(frame[offset + 1]))
      offset += 2
      var bit = 0
      for _ in 0..<count {
        var sample = samples[samples.count - 1]
        for channel in 0..<channels {
          var value: UInt32 = 0
          for place in 0..<width {
            value |= UInt32(frame[offset + bit / 8] >> UInt8(bit % 8) & 1) << UInt32(place)
            bit += 1
          }
          let missing = UInt32(32 - width)
          sample[channel] &+= Int32(bitPattern: value << missing) >> Int32(missing)
        }
        samples.append(sample)
      }
      offset += (count * width * channels + 7) / 8
    }
    return samples
  }
}
