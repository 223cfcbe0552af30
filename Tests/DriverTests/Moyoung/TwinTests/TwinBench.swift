// A simulated Moyoung band on a simulated radio, and a host of a few lines that says exactly what a test tells it to.

import Bluetooth
import EventLoop
import Foundation
import Simulation
import Testing

@testable import BandTwin

@LoopActor
final class TwinBench {
  let loop: any Loop
  let world: VirtualWorld
  let radio: VirtualRadio
  let band: VirtualMoyoungBand
  private(set) var bearer: (any Bearer)?
  /// Values of the answers' characteristic, as they came.
  private(set) var pieces: [[UInt8]] = []
  private(set) var totals: [[UInt8]] = []
  private(set) var isClosed = false
  private var answer: CheckedContinuation<[UInt8]?, Never>?

  init(
    _ loop: any Loop, seed: UInt64 = 7, faults: FaultPlan = FaultPlan(), _ make: MoyoungMake = MoyoungMake(),
    traits: BandTraits = BandTraits(), habits: BandHabits = BandHabits()
  ) async throws {
    self.loop = loop
    world = VirtualWorld(loop: loop, seed: seed, faults: faults)
    band = world.add {
      VirtualMoyoungBand($0, address: $1, random: $2, traits: traits, make: make, habits: habits)
    }
    band.arrive()
    radio = VirtualRadio(world)
    radio.start()
    try await loop.sleep(for: .seconds(1))
  }

  /// Connected, with a large MTU agreed on and both characteristics subscribed.
  func connect(subscribing: Bool = true, mtu: UInt8 = 247) async throws {
    let bearer = try await radio.connect(to: band.address, deadline: loop.now + .seconds(5), parameters: .foreground)
    self.bearer = bearer
    (pieces, totals, isClosed) = ([], [], false)
    bearer.onReceive = { [weak self] in self?.take(Array($0)) }
    bearer.onClosed = { [weak self] _ in self?.end() }
    if mtu > 23 { _ = await request([0x02, mtu, 0x00]) }
    if subscribing {
      for characteristic in [MoyoungUUID.notify, MoyoungUUID.totals] {
        #expect(await request([0x12] + place(characteristic, 1) + [1, 0]) == [0x13])
      }
    }
  }

  func hangUp() async throws {
    bearer?.close(immediately: true)
    try await loop.sleep(for: .milliseconds(100))
  }

  private func place(_ characteristic: BluetoothUUID, _ step: UInt16 = 0) -> [UInt8] {
    let handle = (band.server.valueHandle(of: characteristic) ?? 0) + step
    return [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)]
  }

  private func request(_ pdu: [UInt8]) async -> [UInt8]? {
    guard let bearer, !isClosed, bearer.send(pdu) else { return nil }
    return await withCheckedContinuation { answer = $0 }
  }

  func read(_ characteristic: BluetoothUUID) async -> [UInt8] {
    Array((await request([0x0A] + place(characteristic)) ?? []).dropFirst())
  }

  /// A write command, which has no response.
  func write(_ value: [UInt8], to characteristic: BluetoothUUID = MoyoungUUID.write) async throws {
    _ = bearer?.send([0x52] + place(characteristic) + value)
    try await loop.sleep(for: .milliseconds(60))
  }

  /// A frame in hexadecimal, and what the band answers within a time: whole frames in hexadecimal.
  func ask(_ hex: String, for time: Duration = .seconds(4)) async throws -> [String] {
    let before = pieces.count
    try await write(TwinVectors.bytes(hex))
    try await loop.sleep(for: time)
    return Self.frames(Array(pieces[before...])).map(TwinVectors.hex)
  }

  /// The payload of the answer to a command; nil: it did not come.
  func payload(_ command: MoyoungCommand, _ payload: [UInt8] = []) async throws -> [UInt8]? {
    let frame = try #require(band.make.framing.frame(command.rawValue, payload))
    let before = pieces.count
    try await write(frame)
    for _ in 0..<25 {
      for frame in Self.frames(Array(pieces[before...])) where frame[4] == command.rawValue {
        return Array(frame[5...])
      }
      try await loop.sleep(for: .milliseconds(200))
    }
    return nil
  }

  /// Frames by the length that they announce. An incomplete one ends at the start of the next.
  static func frames(_ pieces: [[UInt8]]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var held: [UInt8] = []
    for piece in pieces {
      if piece.prefix(2) == [0xFE, 0xEA] { held = [] }
      held += piece
      guard held.count >= 5 else { continue }
      let length = (held[2] == 0x10 ? 0 : Int(held[2] & 15) << 8) | Int(held[3])
      if held.count == length {
        frames.append(held)
        held = []
      }
    }
    return frames
  }

  /// The local wall clock as if the zone were GMT+8, most significant byte first, and an 8.
  func setTime(offset: Int64 = 3600) async throws {
    let shown = loop.wall.microseconds / 1_000_000 + offset
    let wire = UInt32(shown - 28_800)
    _ = try await payload(
      .setTime, [UInt8(wire >> 24), UInt8(wire >> 16 & 255), UInt8(wire >> 8 & 255), UInt8(wire & 255), 8])
  }

  private func take(_ pdu: [UInt8]) {
    guard pdu.first == 0x1B, pdu.count >= 3 else {
      let waiting = answer
      answer = nil
      waiting?.resume(returning: pdu)
      return
    }
    if Array(pdu[1...2]) == place(MoyoungUUID.notify) { pieces.append(Array(pdu[3...])) }
    if Array(pdu[1...2]) == place(MoyoungUUID.totals) { totals.append(Array(pdu[3...])) }
  }

  private func end() {
    isClosed = true
    let waiting = answer
    answer = nil
    waiting?.resume(returning: nil)
  }
}

/// The shared vectors of this family, read by this file alone.
enum TwinVectors {
  struct Frame: Sendable, CustomTestStringConvertible {
    let id: String
    let kind: String
    let bytes: [UInt8]
    let framing: MoyoungFraming?
    let command: UInt8
    let payload: [UInt8]

    var testDescription: String { id }
  }

  static let frames: [Frame] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Vectors/topstep")
    guard let data = try? Data(contentsOf: folder.appending(path: "moyoung.json")),
      let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      let all = root["vectors"] as? [[String: Any]]
    else { return [] }
    return all.compactMap { entry in
      guard let id = entry["id"] as? String, let kind = entry["kind"] as? String, let hex = entry["hex"] as? String
      else { return nil }
      let expect = entry["expect"] as? [String: Any] ?? [:]
      let framing = (expect["framing"] as? String).map { $0 == "mtu" ? MoyoungFraming.negotiated : .fixed20 }
      return Frame(
        id: id, kind: kind, bytes: bytes(hex), framing: framing, command: UInt8(expect["cmd"] as? Int ?? 0),
        payload: bytes(expect["payload"] as? String ?? ""))
    }
  }()

  static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }
}
