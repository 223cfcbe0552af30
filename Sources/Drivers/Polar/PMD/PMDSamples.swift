// The numbers in a frame, and their meaning.

public import Bluetooth
public import Wearable

extension PMD {
  /// Decoded samples of a frame: `count` samples, each with the numbers of its format. A view of the decoder's buffer
  /// and of the frame's bytes, valid until the decoder's next frame.
  public struct Samples {
    /// Format of the samples.
    public let format: Format
    /// Number of samples.
    public let count: Int
    /// Raw numbers, sample after sample: without the factor, floats as their bit patterns.
    public let numbers: UnsafeBufferPointer<Int32>
    /// Content of the frame.
    public let content: RawBytes
    /// Factor from numbers to values.
    public let factor: Float
    private let channels: Int

    init(format: Format, count: Int, numbers: UnsafeMutablePointer<Int32>, content: RawBytes, factor: Float) {
      self.format = format
      self.count = count
      self.content = content
      self.factor = factor
      channels = format.channels
      self.numbers = UnsafeBufferPointer(start: numbers, count: count * channels)
    }

    /// Number of a channel in a sample, both from 0 on.
    @inline(__always)
    public func number(_ sample: Int, _ channel: Int) -> Int32 { numbers[sample * channels + channel] }

    /// Whether the raw numbers already are whole numbers in the format's unit, as `whole` returns them.
    var areWhole: Bool {
      switch format {
      case .ecg, .accMilliG: true
      case .ppgAmbient, .accScaledMilliG: factor == 1
      default: false
      }
    }

    /// A number in the format's unit. Products are 32-bit floats.
    public func value(_ sample: Int, _ channel: Int) -> Float {
      let number = number(sample, channel)
      switch format {
      case .gyro, .magnetometer, .accScaledMilliG: return Float(number) * factor
      case .accG: return Float(number) * factor * 1000
      case .gyroFloat: return Float(bitPattern: UInt32(bitPattern: number)) * factor
      case .float(let isScaled): return Float(bitPattern: UInt32(bitPattern: number)) * (isScaled ? factor : 1)
      // The fourth number is the state of the calibration, which has no factor.
      case .magnetometerCalibrated: return channel < 3 ? Float(number) * factor / 1000 : Float(number)
      default: return Float(number)
      }
    }

    /// A whole number in the format's unit, truncated toward zero.
    public func whole(_ sample: Int, _ channel: Int) -> Int32 {
      let number = number(sample, channel)
      switch format {
      case .accG: return Int32(cutting: Float(number) * factor * 1000)
      case .accScaledMilliG: return factor == 1 ? number : Int32(cutting: Float(number) * factor)
      case .ppgAmbient: return factor == 1 ? number : Int32(cutting: Float(number) * factor)
      case .ppgStatus(let channels):
        if channel == channels { return number & 0xFF_FFFF }
        return factor == 1 ? number : Int32(cutting: Float(number) * factor)
      default: return number
      }
    }

    /// State of the calibration: 0 unknown, 1 poor, 2 acceptable, 3 good; nil if the wearable does not report it.
    public func calibration(_ sample: Int) -> Int32? {
      guard format == .magnetometerCalibrated else { return nil }
      let state = number(sample, 3)
      return (0...3).contains(state) ? state : nil
    }
  }

  /// Flags of a pulse interval.
  public struct PPIFlags: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Movement: the interval is unusable.
    public static let blocker = PPIFlags(rawValue: 1)
    /// The sensor has skin contact.
    public static let skinContact = PPIFlags(rawValue: 2)
    /// The wearable reports skin contact.
    public static let contactSupported = PPIFlags(rawValue: 4)

    /// True if the interval is not blocked and has contact, as far as contact is known.
    public var isUsable: Bool { !contains(.blocker) && (contains(.skinContact) || !contains(.contactSupported)) }
  }

  /// Decodes frames into a buffer that grows to the largest of them.
  public final class FrameDecoder {
    private var numbers: UnsafeMutablePointer<Int32>
    private var capacity: Int

    /// A decoder with room for 1,024 numbers.
    public init() {
      // A notification of 512 bytes seldom has more.
      capacity = 1024
      numbers = .allocate(capacity: capacity)
    }

    deinit { numbers.deallocate() }

    /// - Parameter type: the expected type, which replaces that of the frame's first octet.
    /// - Throws: `outOfRange` for a frame type that does not exist, `truncated`.
    public func decode(_ frame: Frame, as type: MeasurementType, factor: Float) throws(DecodeError) -> Samples {
      guard let format = Format(type, frameType: frame.frameType, isCompressed: frame.isCompressed) else {
        throw .outOfRange
      }
      let content = frame.content
      let count: Int
      if frame.isCompressed {
        let delta = try Delta(content, channels: format.channels, bits: format.referenceBits)
        count = delta.samples
        reserve(count * format.channels)
        delta.decode(into: numbers)
      } else if case .location(let record) = format {
        count = try record.count(content)
      } else {
        count = content.count / format.recordSize(frame.frameType)
        reserve(count * format.channels)
        format.decode(content, count, frame.frameType, into: numbers)
      }
      return Samples(format: format, count: count, numbers: numbers, content: content, factor: factor)
    }

    private func reserve(_ count: Int) {
      if count <= capacity { return }
      numbers.deallocate()
      capacity = max(count, 2 * capacity)
      numbers = .allocate(capacity: capacity)
    }
  }
}

extension Int32 {
  /// Truncated toward zero, limited to the range of Int32; 0 for NaN.
  @inline(__always)
  init(cutting value: Float) {
    self = value >= -0x1p31 ? value < 0x1p31 ? Int32(value) : .max : value < 0 ? .min : 0
  }
}
