// What the control socket says of a day in one line: what was counted, the heart, the night, the trainings.

import EventLoop
public import Health
import RingStore

extension DaysDocument {
  /// A local day of one wearer. What is null was not measured, or is not there yet.
  public struct Line: Codable, Sendable, Hashable {
    /// `2026-11-21`, in the zone.
    public var date: String
    /// By name; nil: nobody known.
    public var wearer: String?
    public var steps: Int?
    public var distanceM: Double?
    /// Of activity, of trainings, of rest.
    public var caloriesKcal: Double?
    public var trainingCaloriesKcal: Double?
    public var basalCaloriesKcal: Double?
    /// Somebody else wore it for a part of the day, of which distance and calories were told as a whole.
    public var shared: Bool
    /// Seconds in each class of activity, in the order of their numbers.
    public var activity: [State]
    public var lowestHeartRate: Int?
    public var meanHeartRate: Double?
    public var highestHeartRate: Int?
    public var restingHeartRate: Int?
    /// Of the nights that ended on this day.
    public var nights: [Night]
    public var recharge: Recharge?
    public var trainings: [Training]
  }

  public struct Night: Codable, Sendable, Hashable {
    public var from: String
    public var to: String
    /// Seconds; what is in none of the four is in the last.
    public var awakeS: Int
    public var remS: Int
    public var lightS: Int
    public var deepS: Int
    public var unknownS: Int
    /// What was aimed at; nil: not told.
    public var goalS: Int?
    /// What the sleeper said of it, from 1 (poor) to 5 (well).
    public var rating: Int?

    /// Asleep, seconds.
    public var asleepS: Int { remS &+ lightS &+ deepS }
  }

  /// Null: not told.
  public struct Recharge: Codable, Sendable, Hashable {
    /// From 1 to 6, and how far within that step, 0 to 100.
    public var recovery: Int?
    public var level: Int?
    /// The autonomic nervous system: from 1 to 5, and against the usual, about -10 to 10.
    public var ans: Int?
    public var ansStatus: Double?
    /// Means of the night, and the wearer's usual ones.
    public var rriMs: Int?
    public var rmssdMs: Int?
    public var breathMs: Int?
    public var usualRriMs: Int?
    public var usualRmssdMs: Int?
    public var usualBreathMs: Int?
  }

  public struct Training: Codable, Sendable, Hashable {
    public var begins: String
    /// 0: the whole training; from 1 on the exercises it was made of.
    public var part: Int
    /// The wearable's own number; nil: not told.
    public var sport: Int?
    /// Active time.
    public var durationS: Int
    public var distanceM: Int?
    public var caloriesKcal: Int?
    public var meanHeartRate: Int?
    public var highestHeartRate: Int?
    /// The wearer began it by hand.
    public var manual: Bool
  }
}

extension DaysDocument.Line {
  public init(_ line: DayLine) {
    func tenth(_ value: Int64?) -> Double? { value.map { Double($0) / 10 } }
    func whole(_ value: Int64?) -> Int? { value.map { Int(clamping: $0) } }
    date = line.date.text
    wearer = line.wearer
    steps = whole(line.steps)
    distanceM = tenth(line.distance)
    caloriesKcal = tenth(line.calories)
    trainingCaloriesKcal = tenth(line.trainingCalories)
    basalCaloriesKcal = tenth(line.basalCalories)
    shared = line.isShared
    activity = line.activity.indices.filter { line.activity[$0] > 0 }.map { DaysDocument.State(state: $0, seconds: Double(line.activity[$0]) / 1e6) }
    lowestHeartRate = whole(line.lowestHeartRate)
    meanHeartRate = line.meanHeartRate
    highestHeartRate = whole(line.highestHeartRate)
    restingHeartRate = whole(line.restingHeartRate)
    nights = line.nights.map { DaysDocument.Night($0) }
    let recharge = line.recharge.map { DaysDocument.Recharge($0, ansStatus: tenth(line.ansStatus)) }
    self.recharge = recharge ?? line.ansStatus.map { DaysDocument.Recharge(nil, ansStatus: tenth($0)) }
    trainings = line.trainings.map { DaysDocument.Training($0) }
  }
}

/// The values of an event by place; what a program of another version left out, and what is 0, was not told.
private struct Told {
  let values: [Int64]

  func number(_ place: Int) -> Int { place < values.count ? Int(clamping: values[place]) : 0 }
  func known(_ place: Int) -> Int? { number(place) == 0 ? nil : number(place) }
}

extension DaysDocument.Night {
  init(_ event: DayLine.Event) {
    let told = Told(values: event.values)
    to = WallTime(microseconds: event.time).rfc3339
    from = WallTime(microseconds: event.time &- Int64(min(max(told.number(0), 0), 2 * 86_400)) * 1_000_000).rfc3339
    (awakeS, remS, lightS, deepS, unknownS) = (told.number(1), told.number(2), told.number(3), told.number(4), told.number(5))
    (goalS, rating) = (told.known(6), told.known(7))
  }
}

extension DaysDocument.Recharge {
  init(_ event: DayLine.Event?, ansStatus: Double?) {
    let told = Told(values: event?.values ?? [])
    recovery = told.known(0)
    level = recovery == nil ? nil : told.number(1)
    ans = told.known(2)
    self.ansStatus = ansStatus
    (rriMs, rmssdMs, breathMs) = (told.known(3), told.known(4), told.known(5))
    (usualRriMs, usualRmssdMs, usualBreathMs) = (told.known(6), told.known(7), told.known(8))
  }
}

extension DaysDocument.Training {
  init(_ event: DayLine.Event) {
    let told = Told(values: event.values)
    begins = WallTime(microseconds: event.time).rfc3339
    part = told.number(0)
    sport = told.known(1)
    durationS = told.number(2)
    (distanceM, caloriesKcal, meanHeartRate, highestHeartRate) = (told.known(3), told.known(4), told.known(5), told.known(6))
    manual = event.isManual
  }
}
