// Frame of the lower layer (L1): data with checksum and number, or the acknowledgement of such a frame.

import StateCodec

/// Reason why bytes of a band are no frame or no message. The names are those of the test vectors.
enum FitCloudDefect: String, Error, Sendable, Hashable, CaseIterable {
  /// The checksum does not match the payload.
  case checksum = "crc"
  /// Invalid header bits, or a payload that is too long.
  case header
  /// An item is longer than the remaining bytes, or ends within its own header.
  case itemLength = "item_length"
  /// A payload without its two leading bytes.
  case tooShort = "too_short"
}

/// Frame in which all numbers are big-endian.
///
///     byte 0   0xAB
///     1        bit 5 error, bit 4 acknowledgement, bits 3-0 version: 0
///     2-3      length of the payload
///     4-5      CRC-16/ARC of the payload
///     6-7      sequence number
///     8-       payload
///
/// An acknowledgement has no payload, and repeats the number of the acknowledged frame.
struct FitCloudFrame: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    case data([UInt8])
    /// - Parameter isError: the frame arrived damaged, and its sender repeats it.
    case acknowledgement(isError: Bool)
  }

  let sequence: UInt16
  let content: Content

  static let marker: UInt8 = 0xAB
  static let headerSize = 8
  /// Bytes: the vendor's own bound. With the header a frame fits one attribute of 512 bytes.
  static let payloadLimit = 502

  private static let acknowledgementBit: UInt8 = 0x10
  private static let errorBit: UInt8 = 0x20

  init(_ sequence: UInt16, _ content: Content) { (self.sequence, self.content) = (sequence, content) }

  /// Serialised frame. This type does not enforce `payloadLimit`; `FitCloudMessage` does.
  var bytes: [UInt8] {
    var (flags, payload): (UInt8, [UInt8]) = (0, [])
    switch content {
    case .data(let bytes): payload = bytes
    case .acknowledgement(let isError): flags = Self.acknowledgementBit | (isError ? Self.errorBit : 0)
    }
    let length = UInt16(clamping: payload.count)
    let crc = CRC16ARC.of(payload)
    var bytes: [UInt8] = [Self.marker, flags]
    for number in [length, crc, sequence] {
      bytes.append(UInt8(number >> 8))
      bytes.append(UInt8(number & 0xFF))
    }
    return bytes + payload
  }
}

extension FitCloudFrame {
  /// Result of parsing the beginning of some bytes.
  enum Reading: Sendable, Hashable {
    /// The bytes may be the beginning of a frame.
    case incomplete
    /// - Parameter size: length of the frame in bytes.
    case whole(FitCloudFrame, size: Int)
    case damaged(sequence: UInt16, size: Int)
    /// Bytes that are not a frame of this version.
    case none
  }

  /// Parses the bytes from their first index on; total.
  static func read(_ bytes: some RandomAccessCollection<UInt8>) -> Reading {
    func byte(_ place: Int) -> UInt8 { bytes[bytes.index(bytes.startIndex, offsetBy: place)] }
    func word(_ place: Int) -> UInt16 { UInt16(byte(place)) << 8 | UInt16(byte(place + 1)) }
    guard bytes.count > 0, byte(0) == marker else { return bytes.isEmpty ? .incomplete : .none }
    guard bytes.count > 1 else { return .incomplete }
    let flags = byte(1)
    let isAcknowledgement = flags & acknowledgementBit != 0
    guard flags & ~(acknowledgementBit | errorBit) == 0, isAcknowledgement || flags == 0 else { return .none }
    guard bytes.count > 3 else { return .incomplete }
    let length = Int(word(2))
    guard isAcknowledgement ? length == 0 : length <= payloadLimit else { return .none }
    guard bytes.count >= headerSize + length else { return .incomplete }
    let sequence = word(6)
    let payload = bytes.dropFirst(headerSize).prefix(length)
    guard word(4) == CRC16ARC.of(payload) else { return .damaged(sequence: sequence, size: headerSize + length) }
    let content: Content =
      isAcknowledgement ? .acknowledgement(isError: flags & errorBit != 0) : .data(Array(payload))
    return .whole(FitCloudFrame(sequence, content), size: headerSize + length)
  }
}
