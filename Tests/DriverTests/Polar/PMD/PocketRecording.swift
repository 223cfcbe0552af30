// Files of recordings as a wearable writes them, for tests.

import Bluetooth
import Testing

@testable import DriverTestSupport
@testable import PolarFamily

enum PocketRecording {
  static let noon: UInt64 = 800_000_000_000_000_000
  static let key = [UInt8](1...16)

  /// A second of acceleration, which ends at that second.
  static func acc(_ second: UInt64, samples: Int = 52) -> [UInt8] {
    let numbers = (0..<(3 * samples)).map { Int32($0 % 11) }
    return PMD.Frame.encode(
      .acc, time: noon + second * 1_000_000_000, frameType: 1, isCompressed: true,
      PMD.Delta.encode(numbers, channels: 3, bits: 16))
  }

  static func file(
    _ packets: [[UInt8]], strategy: PMD.Secret.Strategy = .none, start: String = "2025-05-08 06:13:20",
    settings: [UInt8] = [0, 1, 52, 0],
    security: [UInt8] = [], key: [UInt8] = PocketRecording.key, payload: PMD.Secret? = nil
  ) throws -> [UInt8] {
    var head: [UInt8] = []
    for word in [PMD.Recording.magic, 1, 0, 0xCAFE] { head.append(littleEndian: word) }
    head += Array(start.utf8) + [0, UInt8(settings.count)] + settings + [UInt8(security.count)] + security
    func pad() {
      if strategy.isAES { head += [UInt8](repeating: UInt8(16 - head.count % 16), count: 16 - head.count % 16) }
    }
    pad()
    head.append(littleEndian: UInt16(packets.first?.count ?? 0))
    pad()
    var data = packets.first ?? []
    for packet in packets.dropFirst() {
      data.append(littleEndian: UInt16(packet.count))
      data += packet
    }
    if payload?.strategy.isAES == true { data += [UInt8](repeating: 0, count: (16 - data.count % 16) % 16) }
    let outer =
      strategy == .none ? PMD.Secret.none : try #require(PMD.Secret(strategy, key: strategy == .xor ? [key[0]] : key))
    let plainHead = head
    let plainData = data
    let hidden = try #require(plainHead.withUnsafeBytes { outer.encrypt($0) })
    let content = try #require(plainData.withUnsafeBytes { (payload ?? outer).encrypt($0) })
    return [strategy.rawValue] + hidden + content
  }

  /// As a Verity Sense encrypts: AES for what it says of itself, one byte of the key for the frames.
  static func encrypted(_ packets: [[UInt8]], key: [UInt8] = PocketRecording.key) throws -> [UInt8] {
    try file(packets, strategy: .aes128, security: [1, 12], key: key, payload: PMD.Secret(.xor, key: [key[12]]))
  }
}
