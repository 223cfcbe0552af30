// Uncompressed frames: records of a fixed size.

import Bluetooth

extension PMD.Format {
  /// Bytes of a sample in an uncompressed frame.
  func recordSize(_ frameType: UInt8) -> Int {
    switch self {
    case .ecg, .ecgContact, .ecgTags, .ppgGain, .offlineHRQuality: 3
    case .ecgImpedance: 7
    case .ppgAmbient: 12
    case .ppgGains: 36
    case .ppgOperationMode, .float: 4
    case .ppgSport: 8
    // int8, int16 or int24 by frame type.
    case .accMilliG: 3 * (Int(frameType) + 1)
    case .ppi: 6
    case .offlineHR: 1
    // These formats are always compressed, or decoded from the content.
    case .ppgStatus, .accScaledMilliG, .accG, .gyro, .gyroFloat, .magnetometer, .magnetometerCalibrated, .location: 1
    }
  }

  /// Writes `count` × `channels` numbers from that many whole records.
  ///
  ///     format                    bytes of a record
  ///     ECG 0                     int24
  ///     ECG 1                     14 bits of value, 2 unused; 1 over-sampling, 2 contact, 2 impedance, 3 unused
  ///     ECG 2                     18 bits of value, 3 ECG tag, 3 pace tag
  ///     ECG 3                     int24 ECG, int24 bio-impedance, uint8 status
  ///     PPG 0                     3 × int24 light, int24 ambient light
  ///     PPG 4, 9                  12 × uint8 integrated pulses, 12 × 2 gains of 3 bits in a byte each
  ///     PPG 5, 6                  uint32 operation mode; uint64 sport
  ///     PPG 14                    uint8 integrated pulses, 2 gains
  ///     ACC 0, 1, 2               3 × int8, int16, int24
  ///     PPI 0                     uint8 heart rate, uint16 interval, uint16 error, flags
  ///     pressure, temperatures 0  float32
  ///     offline HR 0, 1           uint8 rate; and uint8 quality, uint8 corrected rate
  func decode(_ content: RawBytes, _ count: Int, _ frameType: UInt8, into numbers: UnsafeMutablePointer<Int32>) {
    let channels = channels
    if let width = plainWidth(frameType) { return Self.unpack(content, width, count * channels, into: numbers) }
    let size = recordSize(frameType)
    for sample in 0..<count {
      let record = sample * size
      let out = numbers + sample * channels
      switch self {
      case .ecgContact:
        out[0] = Int32(content[record]) | Int32(content[record + 1] & 0x3F) << 8
        out[1] = Int32(content[record + 2] & 1)
        out[2] = Int32(content[record + 2] >> 1 & 3)
        out[3] = Int32(content[record + 2] >> 3 & 3)
      case .ecgTags:
        out[0] = Int32(content[record]) | Int32(content[record + 1]) << 8 | Int32(content[record + 2] & 3) << 16
        out[1] = Int32(content[record + 2] >> 2 & 7)
        out[2] = Int32(content[record + 2] >> 5)
      case .ecgImpedance:
        out[0] = Self.int24(content, record)
        out[1] = Self.int24(content, record + 3)
        out[2] = Int32(content[record + 6])
      case .ppgGains:
        for channel in 0..<12 { out[channel] = Int32(content[record + channel]) }
        for channel in 12..<36 { out[channel] = Int32(content[record + channel] & 7) }
      case .ppgGain:
        out[0] = Int32(content[record])
        out[1] = Int32(content[record + 1] & 7)
        out[2] = Int32(content[record + 2] & 7)
      case .ppi:
        out[0] = Int32(content[record])
        out[1] = Int32(UInt16(bitPattern: Self.int16(content, record + 1)))
        out[2] = Int32(UInt16(bitPattern: Self.int16(content, record + 3)))
        out[3] = Int32(content[record + 5])
      case .offlineHR: out[0] = Int32(content[record])
      case .offlineHRQuality:
        for channel in 0..<3 { out[channel] = Int32(content[record + channel]) }
      case .ecg, .ppgAmbient, .ppgOperationMode, .ppgSport, .accMilliG, .float, .ppgStatus, .accScaledMilliG, .accG,
        .gyro, .gyroFloat, .magnetometer,
        .magnetometerCalibrated, .location:
        return
      }
    }
  }

  /// Bytes of a number if the records are signed numbers of one width; nil for other formats.
  private func plainWidth(_ frameType: UInt8) -> Int? {
    switch self {
    case .ecg, .ppgAmbient: 3
    case .ppgOperationMode, .ppgSport, .float: 4
    case .accMilliG: Int(frameType) + 1
    default: nil
    }
  }

  /// Decodes `count` contiguous numbers of `width` bytes. The content must have that many.
  private static func unpack(_ content: RawBytes, _ width: Int, _ count: Int, into numbers: UnsafeMutablePointer<Int32>)
  {
    guard count > 0 else { return }
    switch width {
    case 1:
      for index in 0..<count { numbers[index] = Int32(Int8(bitPattern: content[index])) }
    case 2:
      for index in 0..<count { numbers[index] = Int32(int16(content, 2 * index)) }
    case 3:
      // A four-byte load for each number but the last: the byte after it is also part of the content.
      for index in 0..<(count - 1) { numbers[index] = (int32(content, 3 * index) &<< 8) &>> 8 }
      numbers[count - 1] = int24(content, 3 * (count - 1))
    default:
      for index in 0..<count { numbers[index] = int32(content, 4 * index) }
    }
  }

  @inline(__always)
  private static func int16(_ bytes: RawBytes, _ offset: Int) -> Int16 {
    Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
  }

  @inline(__always)
  private static func int24(_ bytes: RawBytes, _ offset: Int) -> Int32 {
    // Loaded into the upper three bytes, then shifted down to extend the sign.
    Int32(bitPattern: UInt32(bytes[offset]) << 8 | UInt32(bytes[offset + 1]) << 16 | UInt32(bytes[offset + 2]) << 24)
      >> 8
  }

  @inline(__always)
  private static func int32(_ bytes: RawBytes, _ offset: Int) -> Int32 {
    Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
  }
}
