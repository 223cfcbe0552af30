// Layouts that exist only in the firmware's headers or run in its laboratory, and are never sent. These decoders are
// for tests.

import Bluetooth
import Wearable

@testable import BotzFamily

extension Botz {
  enum Dormant {
    /// 17 bytes: `u8` sequence, eight `u16`.
    struct FootSequence: Sendable, Hashable {
      let sequence: UInt8
      let values: SIMD8<UInt16>

      init(_ bytes: RawBytes) throws(DecodeError) {
        if bytes.isEmpty { throw .empty }
        var reader = ByteReader(bytes)
        guard reader.remaining >= 17, let sequence = reader.u8() else { throw .truncated }
        var values = SIMD8<UInt16>()
        for channel in 0..<8 { values[channel] = reader.u16() ?? 0 }
        (self.sequence, self.values) = (sequence, values)
      }
    }

    /// 16 bytes: `u8` sequence, x, y, z, w as `i16` × 10,000, three `i16` of rotation, `u8` accuracy.
    struct MotionSequence: Sendable, Hashable {
      let sequence: UInt8
      let orientation: SIMD4<Int16>
      /// x, y, z; the fourth is unused.
      let rotation: SIMD4<Int16>
      let accuracy: UInt8

      init(_ bytes: RawBytes) throws(DecodeError) {
        if bytes.isEmpty { throw .empty }
        var reader = ByteReader(bytes)
        guard reader.remaining >= 16, let sequence = reader.u8() else { throw .truncated }
        var orientation = SIMD4<Int16>()
        var rotation = SIMD4<Int16>()
        for component in 0..<4 { orientation[component] = reader.i16() ?? 0 }
        for component in 0..<3 { rotation[component] = reader.i16() ?? 0 }
        (self.sequence, self.orientation, self.rotation, accuracy) = (sequence, orientation, rotation, reader.u8() ?? 0)
      }
    }

    /// 7 bytes: `u8` sequence, three `i16` of acceleration.
    struct AccelerationSequence: Sendable, Hashable {
      let sequence: UInt8
      let x, y, z: Int16

      init(_ bytes: RawBytes) throws(DecodeError) {
        if bytes.isEmpty { throw .empty }
        var reader = ByteReader(bytes)
        guard let sequence = reader.u8(), let x = reader.i16(), let y = reader.i16(), let z = reader.i16() else {
          throw .truncated
        }
        (self.sequence, self.x, self.y, self.z) = (sequence, x, y, z)
      }
    }

    /// The 3D Orientation service, 20 bytes. `u16` ms since the last one, then w, x, y, z as `i16` × 16,384. The left
    /// foot comes first, then the right one, then whether each stands. A read gives zeros.
    struct Orientation3D: Sendable, Hashable {
      /// Milliseconds.
      let elapsed: UInt16
      /// w, x, y, z.
      let left, right: SIMD4<Int16>
      let leftContact, rightContact: UInt8

      init(_ bytes: RawBytes) throws(DecodeError) {
        if bytes.isEmpty { throw .empty }
        var reader = ByteReader(bytes)
        guard reader.remaining >= 20, let elapsed = reader.u16() else { throw .truncated }
        var feet = (SIMD4<Int16>(), SIMD4<Int16>())
        for component in 0..<4 { feet.0[component] = reader.i16() ?? 0 }
        for component in 0..<4 { feet.1[component] = reader.i16() ?? 0 }
        self.elapsed = elapsed
        (left, right) = feet
        (leftContact, rightContact) = (reader.u8() ?? 0, reader.u8() ?? 0)
      }

      var isAllZero: Bool {
        elapsed == 0 && left == SIMD4() && right == SIMD4() && leftContact == 0 && rightContact == 0
      }
    }
  }

  /// Answers of the File proxy on its data characteristic. The firmware invents them (two files that do not exist).
  /// They are decoded only to prove that the driver does not believe them.
  enum FileProxyAnswer: Sendable, Hashable {
    /// 0x01, `u8` how many entries follow.
    case list(count: UInt8)
    /// 42 bytes: `u8` number, `u8` kind, `u32` size, `u32` time, 32 bytes of name.
    case entry(number: UInt8, kind: UInt8, size: UInt32, time: UInt32, name: String)
    /// 0x04: details follow.
    case info
    /// 15 bytes: `u8` status, `u8` number, `u8` kind, `u32` size, `u32` time, `u32` CRC.
    case details(status: UInt8, number: UInt8, kind: UInt8, size: UInt32, time: UInt32, checksum: UInt32)

    /// - Throws: `empty`, `truncated` for a length that no answer has.
    init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      switch bytes.count {
      case 1:
        guard reader.u8() == 4 else { throw .outOfRange }
        self = .info
      case 2:
        guard reader.u8() == 1, let count = reader.u8() else { throw .outOfRange }
        self = .list(count: count)
      case 15:
        guard let status = reader.u8(), let number = reader.u8(), let kind = reader.u8(), let size = reader.u32(),
          let time = reader.u32(),
          let checksum = reader.u32()
        else { throw .truncated }
        self = .details(status: status, number: number, kind: kind, size: size, time: time, checksum: checksum)
      case 42:
        guard let number = reader.u8(), let kind = reader.u8(), let size = reader.u32(), let time = reader.u32(),
          let name = reader.take(32)
        else {
          throw .truncated
        }
        let text = String(decoding: name.prefix { $0 != 0 }.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
        self = .entry(number: number, kind: kind, size: size, time: time, name: text)
      default: throw .truncated
      }
    }
  }
}
