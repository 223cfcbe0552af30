// Physical data on a wearable: their owner, and the values from before this hub wrote any. Those values return with the
// next wearer.

import CivilTime
import Health
import PolarMessages
import StateCodec
import Wearable

/// State stored about the physical data of one wearable.
struct PolarBodyNote: RememberedState, Hashable {
  static let name = "polar-body"

  /// Number of the wearer that the data on it belong to; 0 after it was taken off; nil before this hub has written any.
  var wearer: UInt32?
  /// Number of the wearer of the last, incomplete write: all or some of those data may be on it.
  var writing: UInt32?
  /// Values before this hub wrote any.
  var before: [PhysicalPart: PhysicalValue] = [:]

  init() {}

  func write(to fields: inout FieldWriter) {
    if let wearer { fields.put(1, wearer) }
    if let writing { fields.put(3, writing) }
    for part in PhysicalPart.allCases {
      guard let value = before[part] else { continue }
      fields.put(2) { nested in
        nested.put(1, part.rawValue)
        switch value {
        case .number(let number): nested.put(2, number)
        case .measure(let bits): nested.put(3, bits)
        case .date(let year, let month, let day):
          nested.put(4, year)
          nested.put(5, month)
          nested.put(6, day)
        }
      }
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() {
      if tag == 1 { fields.read(&wearer) }
      if tag == 3 { fields.read(&writing) }
      if tag != 2 { continue }
      var nested = fields.nested
      guard let (part, value) = Self.value(&nested) else { return nil }
      before[part] = value
    }
  }

  private static func value(_ fields: inout FieldReader) -> (PhysicalPart, PhysicalValue)? {
    var (part, bits): (UInt32?, UInt32?) = (nil, nil)
    var (number, year, month, day): (UInt64?, UInt64?, UInt64?, UInt64?) = (nil, nil, nil, nil)
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&part)
      case 2: fields.read(&number)
      case 3: fields.read(&bits)
      case 4: fields.read(&year)
      case 5: fields.read(&month)
      case 6: fields.read(&day)
      default: break
      }
    }
    guard fields.isWhole, let part = part.flatMap({ PhysicalPart(rawValue: $0) }) else { return nil }
    if let number { return (part, .number(number)) }
    if let bits { return (part, .measure(bits: bits)) }
    guard let year, let month, let day else { return nil }
    return (part, .date(year, month, day))
  }
}

extension PolarBodyNote {
  /// Whether it may have data of another wearer.
  func hasAnothers(than number: UInt32) -> Bool { [wearer, writing].contains { $0 != nil && $0 != number } }

  /// Whether it has data of any wearer, or some of them.
  var hasSomebodys: Bool { wearer != 0 || (writing ?? 0) != 0 }

  /// The value for a fact that was not entered, on a wearable with another wearer's data: its value from before, or
  /// else a default. Facts without a default are nil, and the wearable decides them again.
  ///
  /// - Parameters:
  ///   - facts: of the present wearer; empty if there is no wearer.
  ///   - today: the hub's day.
  func own(_ part: PhysicalPart, _ facts: BodyFacts, today: LocalDate) -> PhysicalValue? {
    if let value = before[part] { return value }
    switch part {
    case .birthDate: return .date(UInt64(clamping: today.year - BodyFacts.middling.age), 1, 1)
    case .sex: return .number(UInt64(BodyFacts.middling.sex.rawValue))
    case .height: return .measure(BodyFacts.middling.height)
    case .weight: return .measure(BodyFacts.middling.weight)
    case .maximumHeartRate:
      let year = facts.born?.year ?? today.year - BodyFacts.middling.age
      return .number(UInt64(PhysicalData.highestHeartRate(atAge: today.year - year)))
    case .restingHeartRate: return .number(60)
    case .trainingBackground: return .number(UInt64(BodyFacts.TrainingBackground.occasional.rawValue))
    case .typicalDay: return .number(UInt64(BodyFacts.TypicalDay.sitting.rawValue))
    case .vo2Max, .sleepGoal: return nil
    }
  }

  /// Values for all facts that were not entered, after another wearer or when it is taken off.
  func others(_ told: [PhysicalPart: PhysicalValue], _ facts: BodyFacts, today: LocalDate)
    -> [PhysicalPart: PhysicalValue?]
  {
    var others: [PhysicalPart: PhysicalValue?] = [:]
    for part in PhysicalPart.allCases where told[part] == nil {
      others.updateValue(own(part, facts, today: today), forKey: part)
    }
    return others
  }
}
