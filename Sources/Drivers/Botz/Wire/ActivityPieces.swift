// Parts of an activity file of version 3: header, record, footer. The same bytes are notified during a session.

public import Bluetooth
public import Wearable

extension Botz {
  /// Header of a session: its first 53 bytes in a file. Notified as 56 bytes, with three meaningless ones at the end.
  ///
  ///     0   4   "BOTZ"
  ///     4   u8  version, 3
  ///     5   u32 start, s since 1970 on the insole's clock
  ///     9   u32 samples a second inside the insole: 100
  ///     13  16  firmware, padded with zeros
  ///     29  u8  height cm, weight kg, age, sex: always 175, 70, 30, 1
  ///     33  u16 battery mV, u8 percent, u8 charge state: always 0, 80, 0
  ///     37  16  the advertised service, least significant byte first
  public struct ActivityHeader: Sendable, Hashable {
    /// Length in a file, in bytes.
    public static let size = 53
    /// First four bytes.
    public static let magic: [UInt8] = Array("BOTZ".utf8)
    /// Version that is read.
    public static let version: UInt8 = 3

    /// Start of the session, seconds since 1970 on the insole's clock.
    public var start: UInt32
    /// Sample rate in Hz.
    public var sampleRate: UInt32 = 100
    /// Printable ASCII, at most 16 characters.
    public var firmware = "001.07.01"
    /// Height of the wearer in cm.
    public var height: UInt8 = 175
    /// Weight of the wearer in kg.
    public var weight: UInt8 = 70
    /// Age of the wearer in years.
    public var age: UInt8 = 30
    /// Sex of the wearer: 0 female, 1 male.
    public var sex: UInt8 = 1
    /// Battery voltage in mV.
    public var batteryMillivolts: UInt16 = 0
    /// Battery level in percent.
    public var batteryPercent: UInt8 = 80
    /// Charge state, 0 not charging, 1 charging, 2 full; always 0 in a header.
    public var batteryState: UInt8 = 0
    /// Service of the insole.
    public var service = Botz.advertisedService

    /// A header with the firmware's defaults; `start` in seconds since 1970.
    public init(start: UInt32) { self.start = start }

    /// Whether a header of any version begins here.
    public static func isMagic(_ bytes: RawBytes) -> Bool { bytes.starts(with: magic) }

    /// - Throws: `empty`, `truncated` below 53 bytes, `outOfRange` for another magic or version.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard reader.remaining >= Self.size else { throw .truncated }
      guard Self.isMagic(bytes), reader.skip(4), reader.u8() == Self.version else { throw .outOfRange }
      guard let start = reader.u32(), let rate = reader.u32(), let firmware = reader.take(16), let height = reader.u8(),
        let weight = reader.u8(),
        let age = reader.u8(), let sex = reader.u8(), let millivolts = reader.u16(), let percent = reader.u8(),
        let state = reader.u8(),
        let service = reader.take(16).flatMap({ BluetoothUUID(wire: $0) })
      else { throw .truncated }
      self.start = start
      sampleRate = rate
      self.firmware = String(decoding: firmware.prefix { $0 != 0 }.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
      (self.height, self.weight, self.age, self.sex) = (height, weight, age, sex)
      (batteryMillivolts, batteryPercent, batteryState) = (millivolts, percent, state)
      self.service = service
    }

    public func encode() -> [UInt8] {
      var bytes = Self.magic + [Self.version]
      bytes.append(littleEndian: start)
      bytes.append(littleEndian: sampleRate)
      let text = Array(firmware.utf8.prefix(16))
      bytes += text + [UInt8](repeating: 0, count: 16 - text.count)
      bytes += [height, weight, age, sex]
      bytes.append(littleEndian: batteryMillivolts)
      bytes += [batteryPercent, batteryState]
      return bytes + service.wireBytes
    }
  }

  /// Record of 26 bytes: about one per second while the wearer walks, and no record at rest.
  ///
  ///     0   u32 number, from 0 on
  ///     4   u32 s since 1970 on the insole's clock
  ///     8   u16 cadence, steps/min
  ///     10  u16 pace, s/km; 0: none
  ///     12  u16 speed, 0.1 km/h
  ///     14  i8  balance, percent: below 0 is left
  ///     15  u16 ground contact, ms
  ///     17  u16 flight, ms
  ///     19  i8  asymmetry of contact, of force, of pronation, percent
  ///     22  u8  strike left, right: 0 heel, 1 middle, 2 forefoot
  ///     24  i8  mean pronation, degrees
  ///     25  u8  vertical ratio
  public struct ActivityRecord: Sendable, Hashable {
    /// Length in bytes.
    public static let size = 26

    /// Number in the session, from 0 on.
    public var number: UInt32
    /// Time in seconds since 1970 on the insole's clock.
    public var time: UInt32
    /// Cadence in steps/min.
    public var cadence: UInt16 = 0
    /// Pace in s/km; 0: none.
    public var pace: UInt16 = 0
    /// Speed in 0.1 km/h.
    public var speed: UInt16 = 0
    /// Balance in percent; below 0 is left.
    public var balance: Int8 = 0
    /// Ground contact in ms.
    public var contact: UInt16 = 0
    /// Flight in ms, at most 300; 0 if the insole computes more.
    public var flight: UInt16 = 0
    /// Asymmetry of contact in percent.
    public var contactAsymmetry: Int8 = 0
    /// Asymmetry of force in percent.
    public var forceAsymmetry: Int8 = 0
    /// Asymmetry of pronation in percent.
    public var pronationAsymmetry: Int8 = 0
    /// Strike of the left foot: 0 heel, 1 middle, 2 forefoot.
    public var strikeLeft: UInt8 = 0
    /// Strike of the right foot: 0 heel, 1 middle, 2 forefoot.
    public var strikeRight: UInt8 = 0
    /// Mean pronation in degrees.
    public var pronation: Int8 = 0
    /// Vertical ratio, which the hub stores in percent.
    public var verticalRatio: UInt8 = 0

    /// A record at rest; `time` in seconds since 1970.
    public init(number: UInt32, time: UInt32) {
      self.number = number
      self.time = time
    }

    /// - Throws: `empty`, `truncated` below 26 bytes.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let number = reader.u32(), let time = reader.u32(), let cadence = reader.u16(), let pace = reader.u16(),
        let speed = reader.u16(),
        let balance = reader.i8(), let contact = reader.u16(), let flight = reader.u16(), let ofContact = reader.i8(),
        let ofForce = reader.i8(),
        let ofPronation = reader.i8(), let left = reader.u8(), let right = reader.u8(), let pronation = reader.i8(),
        let ratio = reader.u8()
      else { throw .truncated }
      (self.number, self.time, self.cadence, self.pace, self.speed, self.balance) = (
        number, time, cadence, pace, speed, balance
      )
      (self.contact, self.flight, contactAsymmetry, forceAsymmetry, pronationAsymmetry) = (
        contact, flight, ofContact, ofForce, ofPronation
      )
      (strikeLeft, strikeRight, self.pronation, verticalRatio) = (left, right, pronation, ratio)
    }

    public func encode() -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: number)
      bytes.append(littleEndian: time)
      bytes.append(littleEndian: cadence)
      bytes.append(littleEndian: pace)
      bytes.append(littleEndian: speed)
      bytes.append(UInt8(bitPattern: balance))
      bytes.append(littleEndian: contact)
      bytes.append(littleEndian: flight)
      bytes += [contactAsymmetry, forceAsymmetry, pronationAsymmetry].map { UInt8(bitPattern: $0) }
      return bytes + [strikeLeft, strikeRight, UInt8(bitPattern: pronation), verticalRatio]
    }
  }

  /// Footer: the last 20 bytes of a session that was stopped.
  ///
  ///     0   u32 end, s since 1970 on the insole's clock
  ///     4   u32 always 0
  ///     8   u32 records in the session
  ///     12  u32 checksum: always 0
  ///     16  u16 battery mV, u8 percent, u8 charge state
  public struct ActivityFooter: Sendable, Hashable {
    /// Length in bytes.
    public static let size = 20

    /// End of the session, seconds since 1970 on the insole's clock.
    public var end: UInt32
    /// Records in the session: always 0, see `packetCount`.
    public var recordCount: UInt32 = 0
    /// Records in the session, as the insole counts them.
    public var packetCount: UInt32
    /// Checksum of the session: always 0.
    public var checksum: UInt32 = 0
    /// Battery voltage in mV.
    public var batteryMillivolts: UInt16 = 0
    /// Battery level in percent.
    public var batteryPercent: UInt8 = 80
    /// Charge state, 0 not charging, 1 charging, 2 full.
    public var batteryState: UInt8 = 0

    /// A footer; `end` in seconds since 1970.
    public init(end: UInt32, packetCount: UInt32) {
      self.end = end
      self.packetCount = packetCount
    }

    /// - Throws: `empty`, `truncated` below 20 bytes.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let end = reader.u32(), let records = reader.u32(), let packets = reader.u32(), let checksum = reader.u32(),
        let millivolts = reader.u16(),
        let percent = reader.u8(), let state = reader.u8()
      else { throw .truncated }
      (self.end, recordCount, packetCount, self.checksum) = (end, records, packets, checksum)
      (batteryMillivolts, batteryPercent, batteryState) = (millivolts, percent, state)
    }

    public func encode() -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: end)
      bytes.append(littleEndian: recordCount)
      bytes.append(littleEndian: packetCount)
      bytes.append(littleEndian: checksum)
      bytes.append(littleEndian: batteryMillivolts)
      return bytes + [batteryPercent, batteryState]
    }
  }
}
