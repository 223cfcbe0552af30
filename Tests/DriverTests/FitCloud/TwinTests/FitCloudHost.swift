// A host of a few lines that speaks to the virtual FitCloud band in bytes, without code of the driver.

import Bluetooth
import EventLoop
import Foundation
import Simulation
import Testing

@testable import BandTwin

@LoopActor
final class FitCloudHost {
  let bearer: any Bearer
  let loop: any Loop
  /// False: what the band says is left without acknowledgement.
  var acknowledges = true
  /// Each piece is written with an answer.
  var isAnswered = false
  /// The longest piece that it writes.
  var pieceBytes = 20
  var pace: Duration = .milliseconds(20)
  /// Whole frames of the band, acknowledgements among them.
  private(set) var heard: [[UInt8]] = []
  private(set) var isClosed = false
  private var partial: [UInt8] = []
  private var handles: [BluetoothUUID: UInt16] = [:]
  /// Requests, of which one is on the air at a time, with the task that waits for the answer.
  private var asked: [(pdu: [UInt8], answer: CheckedContinuation<[UInt8]?, Never>?)] = []
  private var number: UInt16 = 1

  init(_ bearer: any Bearer, _ loop: any Loop) {
    (self.bearer, self.loop) = (bearer, loop)
    bearer.onReceive = { [weak self] in self?.take(Array($0)) }
    bearer.onClosed = { [weak self] _ in self?.end() }
  }

  static func meet(_ band: VirtualFitCloud, _ radio: VirtualRadio) async throws -> FitCloudHost {
    let loop = band.world.loop
    let host = FitCloudHost(
      try await radio.connect(to: band.address, deadline: loop.now + .seconds(10)), loop)
    _ = await host.request([0x02, 0xB9, 0x00])
    await host.discover()
    let notify = try #require(host.handles[.fitCloudNotify])
    #expect(await host.request([0x12] + little(notify + 1) + [1, 0]) == [0x13])
    return host
  }

  private static func little(_ word: UInt16) -> [UInt8] { [UInt8(word & 0xFF), UInt8(word >> 8)] }

  private func request(_ pdu: [UInt8]) async -> [UInt8]? {
    if isClosed { return nil }
    return await withCheckedContinuation { put(pdu, $0) }
  }

  private func put(_ pdu: [UInt8], _ answer: CheckedContinuation<[UInt8]?, Never>?) {
    asked.append((pdu, answer))
    if asked.count == 1 { _ = bearer.send(pdu) }
  }

  private func discover() async {
    var start: UInt16 = 1
    while let found = await request([0x08] + Self.little(start) + [0xFF, 0xFF, 0x03, 0x28]), found.first == 0x09 {
      for place in stride(from: 2, to: found.count, by: Int(found[1])) {
        let entry = Array(found[place..<place + Int(found[1])])
        start = (UInt16(entry[3]) | UInt16(entry[4]) << 8) + 1
        let uuid = entry[5...].withUnsafeBytes { BluetoothUUID(wire: $0) }
        if let uuid { handles[uuid] = start - 1 }
      }
    }
  }

  func has(_ characteristic: BluetoothUUID) -> Bool { handles[characteristic] != nil }

  /// Writes bytes as they are, in pieces.
  func write(_ bytes: [UInt8]) async throws {
    let handle = try #require(handles[.fitCloudCommand])
    for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
      let piece = Array(bytes[start..<min(bytes.count, start + pieceBytes)])
      if isAnswered {
        #expect(await request([0x12] + Self.little(handle) + piece) == [0x13])
      } else {
        #expect(bearer.send([0x52] + Self.little(handle) + piece))
      }
      try await loop.sleep(for: pace)
    }
  }

  /// Says one thing in a frame with the next number, and waits for this long. Returns what came, without
  /// acknowledgements.
  @discardableResult
  func say(_ command: UInt8, _ key: UInt8, _ value: [UInt8] = [], wait: Duration = .seconds(2)) async throws
    -> [FitCloudCommand]
  {
    let before = heard.count
    try await write(FitCloudWire.frame(FitCloudCommand(command, key, value).payload, number: number))
    number &+= 1
    try await loop.sleep(for: wait)
    return commands(from: before)
  }

  func commands(from index: Int = 0) -> [FitCloudCommand] {
    heard.dropFirst(index).filter { $0[1] & 0x10 == 0 }.compactMap { FitCloudCommand(Array($0[8...])) }
  }

  /// Value of the only item, if the band said one thing with this key.
  func ask(_ command: UInt8, _ key: UInt8, _ value: [UInt8] = [], wait: Duration = .seconds(2)) async throws -> [UInt8]?
  {
    try await say(command, key, value, wait: wait).last?.items.first?.value
  }

  func bind(_ user: [UInt8] = FitCloudHost.user, wait: Duration = .seconds(6)) async throws -> UInt8? {
    try await ask(3, 0x11, user, wait: wait)?.first
  }

  static let user: [UInt8] = [0, 0, 0, 7] + [UInt8](repeating: 0, count: 25) + [1, 2, 3]

  /// Fetches one kind to its end: the bytes of its data, and the total that the band said; nil: no end came.
  func fetch(_ type: UInt8) async throws -> (bytes: [UInt8], total: Int)? {
    let before = heard.count
    try await say(5, 0x01, [type], wait: .zero)
    for _ in 0..<3000 {
      try await loop.sleep(for: .milliseconds(100))
      if commands(from: before).contains(where: { $0.items.first?.key == 0x08 }) { break }
    }
    // The acknowledgement has to be there too.
    try await loop.sleep(for: .seconds(1))
    let said = commands(from: before).compactMap(\.items.first)
    guard let end = said.last(where: { $0.key == 0x08 }), end.value.count == 4 else { return nil }
    let bytes = said.filter { $0.key == 0x30 }.flatMap(\.value)
    return (bytes, end.value.reduce(0) { $0 << 8 | Int($1) })
  }

  func close() { bearer.close(immediately: true) }

  private func take(_ pdu: [UInt8]) {
    guard pdu.first == 0x1B else {
      if asked.isEmpty { return }
      let waiting = asked.removeFirst().answer
      if let next = asked.first { _ = bearer.send(next.pdu) }
      waiting?.resume(returning: pdu)
      return
    }
    partial += pdu[3...]
    while partial.count >= 8 {
      let length = 8 + Int(partial[2]) << 8 + Int(partial[3])
      guard partial.count >= length else { return }
      let frame = Array(partial[..<length])
      partial.removeFirst(length)
      takeFrame(frame)
    }
  }

  private func takeFrame(_ frame: [UInt8]) {
    heard.append(frame)
    guard frame[1] & 0x10 == 0, acknowledges, let handle = handles[.fitCloudCommand] else { return }
    let payload = Array(frame[8...])
    let isSpoiled = FitCloudWire.checksum(payload) != UInt16(frame[4]) << 8 | UInt16(frame[5])
    if isSpoiled { heard.removeLast() }
    let piece = Self.little(handle) + [0xAB, isSpoiled ? 0x30 : 0x10, 0, 0, 0, 0, frame[6], frame[7]]
    if isAnswered { put([0x12] + piece, nil) } else { _ = bearer.send([0x52] + piece) }
  }

  private func end() {
    isClosed = true
    let waiting = asked
    asked = []
    for request in waiting { request.answer?.resume(returning: nil) }
  }
}

/// A world with a radio, ready to be connected with.
@LoopActor
func bandWorld(_ loop: any Loop, _ seed: UInt64) async throws -> (VirtualWorld, VirtualRadio) {
  let world = VirtualWorld(loop: loop, seed: seed)
  let radio = VirtualRadio(world, options: VirtualRadioOptions())
  radio.start()
  try await loop.sleep(for: .seconds(1))
  return (world, radio)
}

func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

/// A shared vector of bands.
struct BandVector {
  let fields: [String: Any]
  var bytes: [UInt8] { hex(fields["hex"] as? String ?? "") }
  var expect: [String: Any] { fields["expect"] as? [String: Any] ?? [:] }

  static func all(_ prefix: String) throws -> [BandVector] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Vectors/topstep/fitcloud.json")
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    let vectors = try #require(root["vectors"] as? [[String: Any]])
    return vectors.filter { ($0["id"] as? String)?.hasPrefix(prefix) == true }.map(BandVector.init)
  }
}

/// Samples of a transfer, read as the records' description says: shown seconds and values of so many bytes.
func samples(_ bytes: [UInt8], size: Int = 1) throws -> [(shown: Int64, value: [UInt8])] {
  var found: [(shown: Int64, value: [UInt8])] = []
  var at = 0
  func word(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
  while at < bytes.count {
    try #require(at + 8 <= bytes.count)
    let count = word(at)
    let day = word(at + 2)
    let date = WristDate(2000 + day >> 9 & 0x3F, day >> 5 & 0x0F, day & 0x1F)
    try #require(at + 8 + count * size <= bytes.count)
    for index in 0..<count {
      let value = Array(bytes[(at + 8 + index * size)..<(at + 8 + (index + 1) * size)])
      guard value.contains(where: { $0 != 0 }) else { continue }
      found.append((date.seconds + Int64(word(at + 4) + index * word(at + 6)) * 60, value))
    }
    at += 8 + count * size
  }
  return found
}
