// Positions of the wearable: four kinds of records.

public import Bluetooth
import Wearable

extension PMD.Format.LocationRecord {
  /// Bytes of a record; for NMEA, of the header before the text.
  var size: Int {
    switch self {
    case .fix: 51
    case .dilution: 6
    case .satellites: 41
    case .nmea: 7
    }
  }

  /// The number of records in a frame.
  ///
  /// - Throws: `truncated` if a text is longer than the remaining bytes.
  func count(_ content: RawBytes) throws(DecodeError) -> Int {
    guard self == .nmea else { return content.count / size }
    var texts = 0
    var offset = 0
    while offset < content.count {
      guard let text = PMD.LocationText(content, at: offset) else { throw .truncated }
      offset += size + text.text.count
      texts += 1
    }
    return texts
  }
}

extension PMD {
  /// Frame type 0, 51 bytes:
  ///
  ///     float64   latitude, longitude
  ///     uint16    year; uint8 month, day
  ///     uint32    time: 10 bits of ms, 5 hours, 6 minutes, 6 seconds
  ///     uint32    distance so far in 0.1 m
  ///     float32   speed in km/h, and three other speeds
  ///     uint16    course in 0.01°, speed of the receiver in 0.01 knots
  ///     uint8     fix
  ///     int8      speed flag
  ///     uint8     state of the fusion
  public struct LocationFix: Sendable, Hashable {
    /// Latitude in degrees; polar-ble-sdk names no datum.
    public let latitude: Double
    /// Longitude in degrees; polar-ble-sdk names no datum.
    public let longitude: Double
    /// Year of the calendar, UTC.
    public let year: UInt16
    /// Month, 1 to 12.
    public let month: UInt8
    /// Day of the month, 1 to 31, not checked.
    public let day: UInt8
    /// Hours of the day, 0 to 31 on the wire (5 bits).
    public let hours: UInt8
    /// Minutes of the hour, 0 to 63 on the wire (6 bits).
    public let minutes: UInt8
    /// Seconds of the minute, 0 to 63 on the wire (6 bits).
    public let seconds: UInt8
    /// Milliseconds of the second, 0 to 1,023 on the wire (10 bits).
    public let milliseconds: UInt16
    /// Distance so far in m, in steps of 0.1 m.
    public let distance: Double
    /// Speed in km/h.
    public let speed: Float
    /// Speed from the acceleration, as received; polar-ble-sdk names no unit.
    public let accelerationSpeed: Float
    /// Speed from the positions, as received; polar-ble-sdk names no unit.
    public let coordinateSpeed: Float
    /// Factor of the acceleration's speed, as received; its meaning is not documented.
    public let accelerationFactor: Float
    /// Course in degrees, in steps of 0.01°.
    public let course: Double
    /// Speed of the GPS chip in knots, in steps of 0.01 knots.
    public let receiverSpeed: Double
    /// True with a satellite fix.
    public let hasFix: Bool
    /// Flag of the speed, as received; its values are not documented.
    public let speedFlag: Int8
    /// State of the sensor fusion, as received; its values are not documented.
    public let fusionState: UInt8

    /// nil if the content ends before the record.
    public init?(_ content: RawBytes, index: Int) {
      guard var reader = PMD.record(content, index, size: 51), let latitude = reader.u64(),
        let longitude = reader.u64(), let year = reader.u16(),
        let month = reader.u8(), let day = reader.u8(), let time = reader.u32(), let distance = reader.u32(),
        let speed = reader.u32(),
        let acceleration = reader.u32(), let coordinate = reader.u32(), let factor = reader.u32(),
        let course = reader.u16(),
        let receiver = reader.u16(), let fix = reader.u8(), let flag = reader.i8(), let fusion = reader.u8()
      else { return nil }
      self.latitude = Double(bitPattern: latitude)
      self.longitude = Double(bitPattern: longitude)
      self.year = year
      self.month = month
      self.day = day
      milliseconds = UInt16(time & 0x3FF)
      hours = UInt8(time >> 10 & 0x1F)
      minutes = UInt8(time >> 15 & 0x3F)
      seconds = UInt8(time >> 21 & 0x3F)
      self.distance = Double(distance) / 10
      self.speed = Float(bitPattern: speed)
      accelerationSpeed = Float(bitPattern: acceleration)
      coordinateSpeed = Float(bitPattern: coordinate)
      accelerationFactor = Float(bitPattern: factor)
      self.course = Double(course) / 100
      receiverSpeed = Double(receiver) / 100
      hasFix = fix != 0
      speedFlag = flag
      fusionState = fusion
    }
  }

  /// Frame type 1, 6 bytes: uint16 dilution in hundredths, int16 altitude in m, uint8 satellites, uint8 fix.
  public struct LocationDilution: Sendable, Hashable {
    /// Dilution of precision, without a unit, in steps of 0.01.
    public let dilution: Double
    /// Altitude in m.
    public let altitude: Int16
    /// Number of satellites.
    public let satellites: UInt8
    /// True with a satellite fix.
    public let hasFix: Bool

    /// Reads a record; nil: the frame has fewer.
    public init?(_ content: RawBytes, index: Int) {
      guard var reader = PMD.record(content, index, size: 6), let dilution = reader.u16(), let altitude = reader.i16(),
        let satellites = reader.u8(),
        let fix = reader.u8()
      else { return nil }
      self.dilution = Double(dilution) / 100
      self.altitude = altitude
      self.satellites = satellites
      hasFix = fix != 0
    }
  }

  /// Frame type 3, 7 bytes and a text: uint32 period of the measurement, uint16 length, uint8 status, then that many
  /// bytes of NMEA 0183. All texts of a frame have its time. A view of the given bytes, which must outlive it.
  public struct LocationText {
    /// Period of the measurement, as received; polar-ble-sdk names no unit.
    public let period: UInt32
    /// Status flags, as received; their meaning is not documented.
    public let status: UInt8
    /// NMEA 0183 text, at most 65,535 bytes; points into the given bytes.
    public let text: RawBytes

    /// Reads a text at an offset; nil: the frame ends before.
    public init?(_ content: RawBytes, at offset: Int) {
      guard offset >= 0, offset <= content.count else { return nil }
      var reader = ByteReader(RawBytes(rebasing: content[offset...]))
      guard let period = reader.u32(), let length = reader.u16(), let status = reader.u8(),
        let text = reader.take(Int(length))
      else { return nil }
      self.period = period
      self.status = status
      self.text = text
    }
  }

  static func record(_ content: RawBytes, _ index: Int, size: Int) -> ByteReader? {
    guard index >= 0, index < content.count / size else { return nil }
    return ByteReader(RawBytes(rebasing: content[(index * size)..<(index * size + size)]))
  }
}
