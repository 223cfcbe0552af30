// Writes to the Control service, and the insole's answers.

public import Bluetooth

extension Botz {
  /// Start `..84`, one byte. Every write, even a refused or ignored one, first stops both streams and suspends the
  /// sensors. The hub never writes it as a probe, and never during a recording.
  public enum StartCode: UInt8, Sendable, Hashable, CaseIterable {
    /// Begins a new session in a new file.
    case session = 1
    /// Continues after a pause.
    case resume = 2
    case footStream = 3
    case orientationStream = 4
    case bothStreams = 5
  }

  /// Stop `..85`, one byte. Every write resets the distance to zero and empties the queue of notifications. Streams are
  /// always stopped with 5, whichever run, and sessions with 1.
  public enum StopCode: UInt8, Sendable, Hashable, CaseIterable {
    case session = 1
    case pause = 2
    case footStream = 3
    case orientationStream = 4
    case bothStreams = 5
  }

  /// Write to the Control service that has an effect.
  public enum ControlWrite: Sendable, Hashable {
    case setTime(SetTime)
    case start(StartCode)
    case stop(StopCode)
    case calibrateMotion
    /// Command that is never sent. Acknowledged but deletes no file, because the name gets a wrong suffix. A running
    /// session is closed.
    case deleteFile(UInt8)
    /// Command that is never sent. Forwarded to the left foot and ignored there.
    case deleteLeftFile(UInt8)
    case connectionProfile(LinkProfile)
    case calibrateWeight(kilograms: Float?)
    case position(PositionUpdate)
    case resetBonds
    case userInfo(UserInfo)
    /// Erases every activity file; works once per boot.
    case eraseFlash

    /// Characteristic that is written.
    public var characteristic: BluetoothUUID {
      switch self {
      case .setTime: Control.setTime
      case .start: Control.start
      case .stop: Control.stop
      case .calibrateMotion: Control.calibrateMotion
      case .deleteFile: Control.deleteFile
      case .deleteLeftFile: Control.deleteLeftFile
      case .connectionProfile: Control.connectionProfile
      case .calibrateWeight: Control.calibrateWeight
      case .position: Control.position
      case .resetBonds: Control.resetBonds
      case .userInfo: Control.userInfo
      case .eraseFlash: Control.eraseFlash
      }
    }

    public func encode() -> [UInt8] {
      switch self {
      case .setTime(let time): return time.encode()
      case .start(let code): return [code.rawValue]
      case .stop(let code): return [code.rawValue]
      case .calibrateMotion, .resetBonds, .eraseFlash: return [1]
      case .deleteFile(let id), .deleteLeftFile(let id): return [id]
      case .connectionProfile(let profile): return [BotzDriver.profileCode(profile)]
      case .calibrateWeight(let kilograms):
        guard let kilograms else { return [1] }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: kilograms.bitPattern)
        return bytes
      case .position(let position): return position.encode()
      case .userInfo(let info): return info.encode()
      }
    }

    /// Reaction of the insole to a value.
    public enum Verdict: Sendable, Hashable {
      case accepted(ControlWrite)
      /// Acknowledged without effect (a write to Start or Stop still has its side effects).
      case ignored
      case refused(ATTErrorCode)
    }

    /// Reaction of the firmware to a value for a characteristic of this service; nil for any other characteristic.
    ///
    /// The firmware does not check the length of a time. With another length than four it takes arbitrary bytes, which
    /// is modelled as `ignored`.
    public static func judge(_ characteristic: BluetoothUUID, _ value: [UInt8]) -> Verdict? {
      /// The single byte, or a refusal for any other length.
      func single(_ body: (UInt8) -> ControlWrite?) -> Verdict {
        guard value.count == 1, let byte = value.first else { return .refused(.invalidValueLength) }
        return body(byte).map { .accepted($0) } ?? .ignored
      }
      switch characteristic {
      case Control.setTime: return SetTime(value).map { .accepted(.setTime($0)) } ?? .ignored
      case Control.start: return single { StartCode(rawValue: $0).map { .start($0) } }
      case Control.stop: return single { StopCode(rawValue: $0).map { .stop($0) } }
      case Control.calibrateMotion: return single { $0 == 1 ? .calibrateMotion : nil }
      case Control.deleteFile: return single { .deleteFile($0) }
      case Control.deleteLeftFile: return single { .deleteLeftFile($0) }
      case Control.resetBonds: return single { $0 == 1 ? .resetBonds : nil }
      case Control.eraseFlash: return single { $0 == 1 ? .eraseFlash : nil }
      case Control.connectionProfile:
        let verdict = single { code in
          LinkProfile.allCases.first { BotzDriver.profileCode($0) == code }.map { .connectionProfile($0) }
        }
        return verdict == .ignored ? .refused(.valueNotAllowed) : verdict
      case Control.calibrateWeight:
        guard value.count == 4 else { return single { $0 == 1 ? .calibrateWeight(kilograms: nil) : nil } }
        let kilograms = Float(bitPattern: value.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        return (20...300).contains(kilograms)
          ? .accepted(.calibrateWeight(kilograms: kilograms)) : .refused(.valueNotAllowed)
      case Control.position:
        return PositionUpdate(value).map { .accepted(.position($0)) } ?? .refused(.invalidValueLength)
      case Control.userInfo:
        return UserInfo(value).map { .accepted(.userInfo($0)) } ?? .refused(.invalidValueLength)
      default: return nil
      }
    }
  }

  /// Control `..8e`, 20 bytes; used only while a session runs.
  ///
  ///     0   u8   0x10 (not checked)
  ///     1   u32  s since 1970
  ///     5   i32  latitude, longitude × 10^7
  ///     13  u16  speed, cm/s
  ///     15  u16  distance since the last one, m
  ///     17  u8   accuracy, m
  ///     18  i16  climb, m
  public struct PositionUpdate: Sendable, Hashable {
    /// Length in bytes.
    public static let size = 20
    /// Op code; the insole does not check it.
    public var opcode: UInt8 = 0x10
    /// Time in seconds since 1970.
    public var seconds: UInt32
    /// Latitude in degrees × 10^7.
    public var latitude: Int32
    /// Longitude in degrees × 10^7.
    public var longitude: Int32
    /// Speed in cm/s.
    public var speed: UInt16
    /// Distance since the last position in m.
    public var distance: UInt16
    /// Accuracy of the position in m.
    public var accuracy: UInt8
    /// Change of elevation in m.
    public var climb: Int16

    /// A position in the units of the wire.
    public init(
      seconds: UInt32, latitude: Int32, longitude: Int32, speed: UInt16, distance: UInt16, accuracy: UInt8, climb: Int16
    ) {
      (self.seconds, self.latitude, self.longitude, self.speed) = (seconds, latitude, longitude, speed)
      (self.distance, self.accuracy, self.climb) = (distance, accuracy, climb)
    }

    /// nil unless there are 20 bytes.
    public init?(_ value: [UInt8]) {
      guard value.count == Self.size else { return nil }
      let parts: PositionUpdate? = value.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        guard let opcode = reader.u8(), let seconds = reader.u32(), let latitude = reader.i32(),
          let longitude = reader.i32(), let speed = reader.u16(),
          let distance = reader.u16(), let accuracy = reader.u8(), let climb = reader.i16()
        else { return nil }
        var update = PositionUpdate(
          seconds: seconds, latitude: latitude, longitude: longitude, speed: speed, distance: distance,
          accuracy: accuracy, climb: climb)
        update.opcode = opcode
        return update
      }
      guard let parts else { return nil }
      self = parts
    }

    public func encode() -> [UInt8] {
      var bytes: [UInt8] = [opcode]
      bytes.append(littleEndian: seconds)
      bytes.append(littleEndian: latitude)
      bytes.append(littleEndian: longitude)
      bytes.append(littleEndian: speed)
      bytes.append(littleEndian: distance)
      bytes.append(accuracy)
      bytes.append(littleEndian: climb)
      return bytes
    }
  }

  /// Control `..90`, 6 bytes: `u8` age, `u8` gender (0 female, 1 male), `u16` height in mm, `u16` weight in 0.01 kg.
  /// The insole only logs it: the header of a file always has the same values.
  public struct UserInfo: Sendable, Hashable {
    /// Length in bytes.
    public static let size = 6
    /// Age in years.
    public var age: UInt8
    /// 0 female, 1 male.
    public var gender: UInt8
    /// Millimetres.
    public var height: UInt16
    /// Hundredths of a kilogram.
    public var weight: UInt16

    /// `height` in mm, `weight` in 0.01 kg.
    public init(age: UInt8, gender: UInt8, height: UInt16, weight: UInt16) {
      (self.age, self.gender, self.height, self.weight) = (age, gender, height, weight)
    }

    /// nil unless there are 6 bytes.
    public init?(_ value: [UInt8]) {
      guard value.count == Self.size else { return nil }
      self.init(
        age: value[0], gender: value[1], height: UInt16(value[2]) | UInt16(value[3]) << 8,
        weight: UInt16(value[4]) | UInt16(value[5]) << 8)
    }

    public func encode() -> [UInt8] {
      var bytes = [age, gender]
      bytes.append(littleEndian: height)
      bytes.append(littleEndian: weight)
      return bytes
    }
  }
}
