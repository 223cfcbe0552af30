// A client of health sensors of a few lines, without code of the hub. It finds characteristics, subscribes, confirms
// and records values.

import Bluetooth
import EventLoop
import Foundation
import Simulation
import StrapTwin
import Testing

@LoopActor
final class SensorClient {
  let bearer: any Bearer
  /// False: an indication is left without its confirmation.
  var confirms = true
  private(set) var values: [(characteristic: BluetoothUUID, bytes: [UInt8])] = []
  private(set) var isClosed = false
  private var handles: [BluetoothUUID: UInt16] = [:]
  private var answer: CheckedContinuation<[UInt8]?, Never>?

  init(_ bearer: any Bearer) {
    self.bearer = bearer
    bearer.onReceive = { [weak self] in self?.take(Array($0)) }
    bearer.onClosed = { [weak self] _ in self?.end() }
  }

  /// Connects, agrees on an MTU and looks at the whole database.
  static func meet(_ sensor: VirtualPeripheral, _ radio: VirtualRadio, for length: Duration = .seconds(5)) async throws
    -> SensorClient
  {
    let deadline = sensor.world.loop.now + length
    let client = SensorClient(try await radio.connect(to: sensor.address, deadline: deadline))
    _ = await client.request([0x02, 0xB9, 0x00])
    await client.discover()
    return client
  }

  func received(_ characteristic: BluetoothUUID) -> [[UInt8]] {
    values.filter { $0.characteristic == characteristic }.map(\.bytes)
  }

  /// The next response; nil if the link ended first.
  func request(_ pdu: [UInt8]) async -> [UInt8]? {
    guard !isClosed, bearer.send(pdu) else { return nil }
    return await withCheckedContinuation { answer = $0 }
  }

  private func discover() async {
    var start: UInt16 = 1
    while let found = await request([0x08] + bytes(start) + [0xFF, 0xFF, 0x03, 0x28]), found.first == 0x09 {
      let size = Int(found[1])
      for place in stride(from: 2, to: found.count, by: size) {
        let entry = Array(found[place..<place + size])
        start = (UInt16(entry[3]) | UInt16(entry[4]) << 8) + 1
        guard size == 7 else { continue }
        handles[BluetoothUUID(UInt16(entry[5]) | UInt16(entry[6]) << 8)] = start - 1
      }
    }
  }

  func has(_ characteristic: BluetoothUUID) -> Bool { handles[characteristic] != nil }

  func read(_ characteristic: BluetoothUUID) async -> [UInt8]? {
    guard let handle = handles[characteristic], let response = await request([0x0A] + bytes(handle)),
      response.first == 0x0B
    else { return nil }
    return Array(response.dropFirst())
  }

  /// nil: taken; else the error.
  @discardableResult
  func write(_ value: [UInt8], to characteristic: BluetoothUUID) async -> UInt8? {
    guard let handle = handles[characteristic] else { return 0x01 }
    return error(await request([0x12] + bytes(handle) + value))
  }

  @discardableResult
  func subscribe(_ characteristic: BluetoothUUID, _ bits: UInt8 = 2) async -> UInt8? {
    guard let handle = handles[characteristic] else { return 0x01 }
    return error(await request([0x12] + bytes(handle + 1) + [bits, 0]))
  }

  func close() { bearer.close(immediately: true) }

  private func error(_ response: [UInt8]?) -> UInt8? {
    guard let response else { return 0xFF }
    return response.first == 0x01 ? response[4] : nil
  }

  private func bytes(_ handle: UInt16) -> [UInt8] { [UInt8(handle & 0xFF), UInt8(handle >> 8)] }

  private func take(_ pdu: [UInt8]) {
    if let opcode = pdu.first, opcode == 0x1B || opcode == 0x1D, pdu.count >= 3 {
      let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
      if let found = handles.first(where: { $0.value == handle }) { values.append((found.key, Array(pdu[3...]))) }
      if opcode == 0x1D, confirms { _ = bearer.send([0x1E]) }
      return
    }
    let waiting = answer
    answer = nil
    waiting?.resume(returning: pdu)
  }

  private func end() {
    isClosed = true
    let waiting = answer
    answer = nil
    waiting?.resume(returning: nil)
  }
}

/// The bytes of one of the shared vectors; if it has several values, all of them one after the other.
func vector(_ file: String, _ id: String) throws -> [UInt8] {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors/gatt")
  let data = try Data(contentsOf: folder.appending(path: "\(file).json"))
  let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  let all = try #require(root["vectors"] as? [[String: Any]])
  let found = try #require(all.first { $0["id"] as? String == id }, "no vector \(id) in \(file)")
  let text = found["hex"] as? String ?? (found["pdus"] as? [String] ?? []).joined()
  return hexBytes(text)
}

func hexBytes(_ text: String) -> [UInt8] {
  let digits: [Int] = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { place in UInt8(16 * digits[place] + digits[place + 1]) }
}
