// The Activity Metrics service: one number for each characteristic, for reading. Notifications are unreliable.

import Bluetooth
import Wearable

@testable import BotzFamily

extension Botz {
  /// A characteristic of the Activity Metrics service, little-endian.
  ///
  /// Values change only while an activity runs. Notifications go to the newest link alone, many of them unasked. After
  /// any link has ended, notifications stop: a client reads.
  enum Metric: UInt8, Sendable, Hashable, CaseIterable {
    /// Steps a minute.
    case cadence = 0x91
    /// Steps of both feet since the start, and of this activity: a second word is always 0.
    case totalSteps = 0x96
    case activitySteps = 0x97
    /// Seconds a kilometre.
    case pace = 0x98
    /// Metres.
    case distance = 0x99
    case form = 0x9A
    /// -50 to 50, below 0 is left.
    case balance = 0x9B
    /// Milliseconds.
    case contact = 0x9C
    case flight = 0x9D
    case efficiency = 0x9E
    case alerts = 0x9F
    /// Percent.
    case contactAsymmetry = 0xA0
    case flightAsymmetry = 0xA1
    case forceAsymmetry = 0xA2
    case pronationAsymmetry = 0xA3
    /// 0 heel, 1 middle, 2 forefoot.
    case strikeLeft = 0xA4
    case strikeRight = 0xA5
    case pronationLeft = 0xA6
    case pronationRight = 0xA7
    case loadingLeft = 0xA8
    case loadingRight = 0xA9
    case archLeft = 0xAA
    case archRight = 0xAB
    /// At the end of an activity and at every pause.
    case summaryDistance = 0xAC
    /// The average at the end; while the activity runs it is notified with the live pace.
    case averagePace = 0xAD
    case averageCadence = 0xAE
    case summarySteps = 0xAF
    case calories = 0xB0
    case averageForm = 0xB1
    /// Seconds, in the upper three bytes of four: the lowest is arbitrary.
    case duration = 0xB2
    case strideTime = 0xB3
    case strideTimeAsymmetry = 0xB4
    /// Centimetres; millimetres in `strideLengthMillimetres`.
    case strideLength = 0xB5
    case strideLengthAsymmetry = 0xB6
    case strideLengthMillimetres = 0xB7
    /// Centimetres a second.
    case speed = 0xB8

    var characteristic: BluetoothUUID {
      BluetoothUUID(high: (0x4FD5_B600 | UInt64(rawValue)) << 32 | 0x9D89_4061, low: 0x92AA_319C_A786_BAAE)
    }

    /// Only for characteristics of the metrics service: the same numbers stand for other things elsewhere.
    init?(characteristic: BluetoothUUID) {
      guard let found = Self.allCases.first(where: { $0.characteristic == characteristic }) else { return nil }
      self = found
    }

    private enum Width {
      case u8, i8, u16, u32, duration, twoWords
    }

    private var width: Width {
      switch self {
      case .balance, .pronationLeft, .pronationRight: .i8
      case .cadence, .pace, .contact, .flight, .loadingLeft, .loadingRight, .averagePace, .averageCadence, .calories,
        .strideTime, .strideLength,
        .strideLengthMillimetres, .speed:
        .u16
      case .distance, .summaryDistance, .summarySteps: .u32
      case .duration: .duration
      case .totalSteps, .activitySteps: .twoWords
      default: .u8
      }
    }

    /// The number, corrected if the firmware shifts it; of two words the first.
    ///
    /// - Throws: `empty`, `truncated`.
    func value(_ bytes: RawBytes) throws(DecodeError) -> Int64 {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      let value: Int64? =
        switch width {
        case .u8: reader.u8().map { Int64($0) }
        case .i8: reader.i8().map { Int64($0) }
        case .u16: reader.u16().map { Int64($0) }
        case .u32: reader.u32().map { Int64($0) }
        case .duration: reader.u32().map { Int64($0 >> 8) }
        case .twoWords: bytes.count >= 8 ? reader.u32().map { Int64($0) } : nil
        }
      guard let value else { throw .truncated }
      return value
    }

    /// The second of two words, which is always 0; nil if there is only one word.
    func secondWord(_ bytes: RawBytes) -> UInt32? {
      guard width == .twoWords else { return nil }
      var reader = ByteReader(bytes)
      reader.skip(4)
      return reader.u32()
    }

    func encode(_ value: Int64) -> [UInt8] {
      var bytes: [UInt8] = []
      switch width {
      case .u8, .i8: bytes.append(UInt8(truncatingIfNeeded: value))
      case .u16: bytes.append(littleEndian: UInt16(truncatingIfNeeded: value))
      case .u32: bytes.append(littleEndian: UInt32(truncatingIfNeeded: value))
      case .duration: bytes.append(littleEndian: UInt32(truncatingIfNeeded: value << 8))
      case .twoWords: bytes.append(littleEndian: UInt64(UInt32(truncatingIfNeeded: value)))
      }
      return bytes
    }
  }
}
