// A day in one line, from the store: counts, heart, night, trainings.

internal import EventLoop
public import Health
public import HubProtocol
internal import RingStore

extension DaysDocument.Line {
  /// Converts a line; values in the units of their series.
  public init(_ line: DayLine) {
    func tenth(_ value: Int64?) -> Double? { value.map { Double($0) / 10 } }
    func whole(_ value: Int64?) -> Int? { value.map { Int(clamping: $0) } }
    let recharge = line.recharge.map { DaysDocument.Recharge($0, ansStatus: tenth(line.ansStatus)) }
    self.init(
      date: line.date.text, wearer: line.wearer, steps: whole(line.steps), distanceM: tenth(line.distance),
      caloriesKcal: tenth(line.calories), trainingCaloriesKcal: tenth(line.trainingCalories),
      basalCaloriesKcal: tenth(line.basalCalories), shared: line.isShared,
      activity: line.activity.indices.filter { line.activity[$0] > 0 }.map {
        DaysDocument.State(state: $0, seconds: Double(line.activity[$0]) / 1e6)
      },
      lowestHeartRate: whole(line.lowestHeartRate), meanHeartRate: line.meanHeartRate,
      highestHeartRate: whole(line.highestHeartRate), restingHeartRate: whole(line.restingHeartRate),
      nights: line.nights.map { DaysDocument.Night($0) },
      recharge: recharge ?? line.ansStatus.map { DaysDocument.Recharge(nil, ansStatus: tenth($0)) },
      trainings: line.trainings.map { DaysDocument.Training($0) })
  }
}

/// The values of an event by place. A value that a program of another version left out, or 0, is missing.
private struct Told {
  let values: [Int64]

  func number(_ place: Int) -> Int { place < values.count ? Int(clamping: values[place]) : 0 }
  func known(_ place: Int) -> Int? { number(place) == 0 ? nil : number(place) }
}

extension DaysDocument.Night {
  init(_ event: DayLine.Event) {
    let told = Told(values: event.values)
    let inBed = Int64(min(max(told.number(0), 0), 2 * 86_400))
    self.init(
      from: WallTime(microseconds: event.time &- inBed * 1_000_000).rfc3339,
      to: WallTime(microseconds: event.time).rfc3339, awakeS: told.number(1), remS: told.number(2),
      lightS: told.number(3),
      deepS: told.number(4), unknownS: told.number(5), goalS: told.known(6), rating: told.known(7))
  }
}

extension DaysDocument.Recharge {
  init(_ event: DayLine.Event?, ansStatus: Double?) {
    let told = Told(values: event?.values ?? [])
    let recovery = told.known(0)
    self.init(
      recovery: recovery, level: recovery == nil ? nil : told.number(1), ans: told.known(2), ansStatus: ansStatus,
      rriMs: told.known(3), rmssdMs: told.known(4), breathMs: told.known(5), usualRriMs: told.known(6),
      usualRmssdMs: told.known(7), usualBreathMs: told.known(8))
  }
}

extension DaysDocument.Training {
  init(_ event: DayLine.Event) {
    let told = Told(values: event.values)
    self.init(
      begins: WallTime(microseconds: event.time).rfc3339, part: told.number(0), sport: told.known(1),
      durationS: told.number(2),
      distanceM: told.known(3), caloriesKcal: told.known(4), meanHeartRate: told.known(5),
      highestHeartRate: told.known(6), manual: event.isManual, byHub: event.isLive)
  }
}
