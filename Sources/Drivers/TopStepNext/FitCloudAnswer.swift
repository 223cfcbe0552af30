// Recognition of FitCloud bands, which advertise the same service, by their answer.

import StateCodec

/// Answer of a FitCloud band. Header of its frames, big-endian: 0xAB, flags (bit 5 error, bit 4 acknowledgement, bits
/// 3-0 version 0), length, CRC-16/ARC, sequence. The band acknowledges each request, so its first answer has eight
/// bytes.
enum FitCloudAnswer {
  private static let headerSize = 8
  private static let acknowledgements: Set<UInt8> = [0x10, 0x30]
  /// The longest payload of that protocol.
  private static let payloadLimit = 502
  /// Received bytes that must be buffered to recognise the family.
  static let limit = headerSize + payloadLimit

  /// Whether the bytes received so far begin with a sound FitCloud frame. The second byte is a command that the new
  /// platform does not have. No bytes can therefore be valid in both protocols.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= headerSize, bytes[0] == TopStep.magic else { return false }
    let numbers = stride(from: 2, to: 6, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
    if acknowledgements.contains(bytes[1]) { return numbers == [0, 0] }
    guard bytes[1] == 0, (1...payloadLimit).contains(numbers[0]), bytes.count >= headerSize + numbers[0] else {
      return false
    }
    return Int(CRC16ARC.of(bytes[headerSize..<(headerSize + numbers[0])])) == numbers[1]
  }

  /// Request for the charge in FitCloud's layout (command 2, key 0x1B), for a band that did not answer in the new
  /// platform's layout. A FitCloud band acknowledges it.
  static let question: [UInt8] = {
    let payload: [UInt8] = [0x02, 0x00, 0x1B, 0x00, 0x00]
    let crc = CRC16ARC.of(payload)
    return [TopStep.magic, 0, 0, UInt8(payload.count), UInt8(crc >> 8), UInt8(crc & 0xFF), 0, 1] + payload
  }()
}
