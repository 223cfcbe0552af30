// Unit of the stage lengths in a night, which is not published.

import StateCodec
import TopStepMessages
import Wearable

/// Unit in which a band reports how long stages of sleep lasted.
enum SleepUnit: UInt8, Sendable, Hashable {
  case seconds = 1
  case minutes = 2

  var seconds: Int64 { self == .minutes ? 60 : 1 }
}

/// Lengths of the stages of one night, s.
///
/// A night often shows its unit, since each stage begins when the one before ends. A band uses one unit for all of its
/// nights. A night that shows no unit therefore gets the unit of another night. Without one, seconds are assumed,
/// unless the lengths are implausible in seconds.
struct SleepLengths: Sendable, Hashable {
  let seconds: [Int64]
  /// The unit is a guess, so the night is stored with low quality.
  let areMinutes: Bool
  /// Unit that this night shows by itself; nil: both units are possible.
  let shown: SleepUnit?

  /// Longest stage, s.
  static let longest: Int64 = 86_400
  private static let hour: Int64 = 3600
  /// Minutes of a day: a greater number must be in seconds.
  private static let dayInMinutes: Int64 = 1440
  /// Shortest plausible stage, s. Sleep is scored in epochs of half a minute or longer, and a stage is several of them.
  /// If all stages of a night are this short, its lengths are in minutes.
  private static let shortest: Int64 = 60

  /// - Parameter known: unit that other nights of the band showed.
  init(_ items: [TopStepSleepItem], known: SleepUnit? = nil) {
    let told = items.map { Int64($0.duration) }
    let times = items.map(\.time)
    shown = Self.shown(times, told)
    let unit = shown ?? known ?? Self.assumed(times, told)
    areMinutes = unit == .minutes
    seconds = told.map { $0 * unit.seconds }
  }

  private static func shown(_ times: [Int64], _ told: [Int64]) -> SleepUnit? {
    guard times.allSatisfy({ TopStep.times.contains($0) }) else { return nil }
    // If the clock was set between two stages, their lengths match in neither unit.
    let steps = zip(zip(times, times.dropFirst()).map { $1 - $0 }, told).filter { $1 > 0 }
    func following(in unit: SleepUnit) -> Int { steps.count { $0 == $1 * unit.seconds } }
    let (minutes, seconds) = (following(in: .minutes), following(in: .seconds))
    if minutes != seconds { return minutes > seconds ? .minutes : .seconds }
    return told.reduce(0, +) > dayInMinutes ? .seconds : nil
  }

  private static func assumed(_ times: [Int64], _ told: [Int64]) -> SleepUnit {
    guard let first = times.first, let last = times.last, times.allSatisfy({ TopStep.times.contains($0) }),
      told.reduce(0, +) < hour
    else { return .seconds }
    return last - first > hour || told.allSatisfy { $0 <= shortest } ? .minutes : .seconds
  }
}

/// Unit of sleep lengths that a band showed last.
struct SleepUnitShown: RememberedState, Equatable {
  static let name = "topstep-sleep"
  let unit: SleepUnit

  init(unit: SleepUnit) { self.unit = unit }

  func write(to fields: inout FieldWriter) { fields.put(1, unit.rawValue) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var number: UInt8?
    while let tag = fields.next() { if tag == 1 { fields.read(&number) } }
    guard let unit = number.flatMap(SleepUnit.init) else { return nil }
    self.unit = unit
  }
}
