// In which unit a night tells how long its stages were: nobody published it.

import StateCodec
import TopStepMessages
import Wearable

/// The unit in which a band tells how long stages of sleep lasted.
enum SleepUnit: UInt8, Sendable, Hashable {
  case seconds = 1
  case minutes = 2

  var seconds: Int64 { self == .minutes ? 60 : 1 }
}

/// Lengths of the stages of one night, s.
///
/// A night often shows its unit: a stage begins where the one before ends. A band has one unit for all of its nights,
/// so a night that leaves it open has that which another one showed. Without one seconds are assumed, but for lengths
/// that no band tells in seconds.
struct SleepLengths: Sendable, Hashable {
  let seconds: [Int64]
  /// A guess: the night is stored as one that is doubted.
  let areMinutes: Bool
  /// What this night shows by itself; nil: both units are possible.
  let shown: SleepUnit?

  /// s of one stage.
  static let longest: Int64 = 86_400
  private static let hour: Int64 = 3600
  /// Minutes of a day: more than that are seconds.
  private static let dayInMinutes: Int64 = 1440
  /// Sleep is scored in half minutes or longer parts, and a stage is several of them: a night all of whose stages are
  /// as short as a minute is told in minutes.
  private static let shortest: Int64 = 60

  /// - Parameter known: what other nights of the band showed.
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
    // Of two stages between which the clock was set neither need be so.
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

/// The unit of lengths of sleep that a band showed last.
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
