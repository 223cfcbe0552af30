// User data that a phone wrote before the hub came, and a ledger of later changes.

import PolarMessages

/// Field at the top level of a file that was overwritten with other bytes.
public struct PolarChange: Sendable, Equatable {
  /// Path of the file.
  public let path: String
  /// Number of the field.
  public let field: UInt32
  /// Bytes with their tags; empty: absent before, or afterwards.
  public let before: [UInt8]
  /// Bytes of the field afterwards.
  public let after: [UInt8]
}

extension VirtualPolar {
  /// Path of the physical data.
  public static let physicalPath = "/U/0/S/PHYSDATA.BPB"
  /// Path of the user's identifier.
  public static let identifierPath = "/U/0/USERID.BPB"

  /// Sets it up as a phone does. All ten facts have times of their own, and some a source. Unknown fields are added, as
  /// newer firmware has them. The user identifier belongs to a user of the vendor's service.
  public func beSetUpByPhone() {
    var data = PbUserPhysData()
    func at(_ day: UInt32) -> PbSystemDateTime {
      var time = PbSystemDateTime()
      (time.date.year, time.date.month, time.date.day) = (2025, 3, day)
      (time.time.hour, time.time.minute, time.time.seconds, time.time.millis) = (7, 5, 9, 250)
      time.trusted = true
      return time
    }
    (data.birthday.value.year, data.birthday.value.month, data.birthday.value.day) = (1980, 5, 17)
    data.birthday.lastModified = at(1)
    (data.gender.value, data.gender.lastModified) = (.female, at(2))
    (data.weight.value, data.weight.lastModified, data.weight.settingSource) = (61.5, at(3), .sourceMeasured)
    (data.height.value, data.height.lastModified) = (171, at(4))
    (data.maximumHeartrate.value, data.maximumHeartrate.lastModified, data.maximumHeartrate.settingSource) = (
      191, at(5), .sourceMeasured
    )
    (data.restingHeartrate.value, data.restingHeartrate.lastModified) = (46, at(6))
    (data.vo2Max.value, data.vo2Max.lastModified, data.vo2Max.settingSource) = (53, at(7), .sourceFitnesstest)
    (data.trainingBackground.value, data.trainingBackground.lastModified) = (.heavy, at(8))
    (data.typicalDay.value, data.typicalDay.lastModified) = (.mostlyMoving, at(9))
    (data.sleepGoal.sleepGoalMinutes, data.sleepGoal.lastModified) = (510, at(10))
    data.lastModified = at(11)
    var user = PbUserIdentifier()
    (user.masterIdentifier, user.userIDLastModified) = (4_711_000_001, at(1))
    // Field 7 before all others, field 18 after them: a number and a message.
    guard let known = try? data.wire(), let identifier = try? user.wire() else { return }
    files.put(Self.physicalPath, [0x38, 0x63] + known + [0x92, 0x01, 0x02, 0x08, 0x2A], isWhole: false)
    files.put(Self.identifierPath, identifier + [0x18, 0x07], isWhole: false)
  }

  /// Top-level fields of a file, by number; nil if it is no message.
  static func fields(of bytes: [UInt8]) -> [UInt32: [UInt8]]? {
    var found: [UInt32: [UInt8]] = [:]
    var place = 0
    func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: 0, to: 63, by: 7) where place < bytes.count {
        let byte = bytes[place]
        place += 1
        value |= UInt64(byte & 0x7F) << UInt64(shift)
        if byte < 0x80 { return value }
      }
      return nil
    }
    while place < bytes.count {
      let begin = place
      guard let tag = varint() else { return nil }
      switch tag & 7 {
      case 0: if varint() == nil { return nil }
      case 1: place += 8
      case 2:
        guard let length = varint(), length <= UInt64(bytes.count - place) else { return nil }
        place += Int(length)
      case 5: place += 4
      default: return nil
      }
      guard place <= bytes.count, let number = UInt32(exactly: tag >> 3) else { return nil }
      found[number, default: []] += bytes[begin..<place]
    }
    return found
  }

  /// Notes the fields that changed when a host overwrote a file.
  func noteChanges(_ path: String, from before: [UInt8], to after: [UInt8]) {
    guard let old = Self.fields(of: before), let new = Self.fields(of: after) else { return }
    for field in Set(old.keys).union(new.keys).sorted() where old[field] != new[field] {
      changes.append(PolarChange(path: path, field: field, before: old[field] ?? [], after: new[field] ?? []))
    }
  }
}
