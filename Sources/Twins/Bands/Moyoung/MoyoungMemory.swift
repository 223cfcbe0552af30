// Memory of a Moyoung band, by its own days: rates of two days, minutes of today, totals and nights of three, the last
// three trainings. Each entry has the number of its measurement, so that the ground truth knows when the last trace of
// it was deleted.

import Health

/// Places of one band's measurements. Days are counted from 1970 by the band's clock.
struct MoyoungMemory {
  /// Rate of a slot: the value on the wire, 1 to 255, and the number of its measurement.
  struct Rate: Hashable {
    var value: UInt8
    var item: Int
  }

  struct Totals: Hashable {
    var steps: Int64 = 0
    var metres: Int64 = 0
    /// kcal.
    var calories: Int64 = 0
    /// Measurements in these totals.
    var items: [Int] = []
  }

  /// Beginning of a stage, as on the wire: 0 awake, 1 light, 2 deep, 3 REM. The last one is awake and is no
  /// measurement.
  struct Stage: Hashable {
    var shown: Int64
    var stage: UInt8
    var item: Int?
  }

  struct Training: Hashable {
    /// Seconds by the band's clock.
    var start: Int64
    var end: Int64
    /// Seconds without pauses.
    var valid: UInt16
    /// 0 walk, 1 run, 2 bike, 3 rope, 4 badminton, 5 basketball, 6 football, 7 swim, 8 climb, 9 tennis, 10 rugby, 11
    /// golf.
    var type: UInt8
    var steps: UInt32 = 0
    var metres: UInt32 = 0
    var calories: UInt16 = 0
    var item: Int
  }

  /// Rates of one training, one per minute from its start on: stored until they were sent, or another training began.
  struct TrainingRates: Hashable {
    var start: Int64
    var rates: [Rate?]
  }

  private(set) var today: Int64
  /// 288 slots of five minutes, of today and yesterday.
  private var slots: [Int64: [Int: Rate]] = [:]
  /// Heart rates by minute, of today only.
  private var minutes: [Int: Rate] = [:]
  private var totals: [Int64: Totals] = [:]
  /// Nights by the day on which they end.
  private var nights: [Int64: [Stage]] = [:]
  /// Trainings in the places 0, 1 and 2.
  private(set) var trainings: [Training?] = [nil, nil, nil]
  private var nextPlace = 0
  private(set) var trainingRates: TrainingRates?
  /// Number of places of each measurement.
  private var places: [Int: Int] = [:]

  init(today: Int64) { self.today = today }

  // MARK: Reading

  func rate(daysAgo: Int, slot: Int) -> UInt8 { slots[today - Int64(daysAgo)]?[slot]?.value ?? 0 }
  func rateItem(daysAgo: Int, slot: Int) -> Int? { slots[today - Int64(daysAgo)]?[slot]?.item }
  func minuteRate(_ minute: Int) -> UInt8 { minutes[minute]?.value ?? 0 }
  func minuteItem(_ minute: Int) -> Int? { minutes[minute]?.item }
  func totals(daysAgo: Int) -> Totals { totals[today - Int64(daysAgo)] ?? Totals() }
  func night(endingOn day: Int64) -> [Stage] { nights[day] ?? [] }
  func holds(_ item: Int) -> Bool { places[item] != nil }

  // MARK: Recording; each function returns the measurements that have no place left

  mutating func record(_ rate: Rate, slot: Int, on day: Int64) -> [Int] {
    guard (today - 1...today).contains(day) else { return [rate.item] }
    var gone: [Int] = []
    hold(rate.item)
    if let old = slots[day, default: [:]].updateValue(rate, forKey: slot) { drop(old.item, &gone) }
    return gone
  }

  /// Minutes of today only.
  mutating func record(_ rate: Rate, minute: Int, on day: Int64) -> [Int] {
    guard day == today else { return [] }
    var gone: [Int] = []
    hold(rate.item)
    if let old = minutes.updateValue(rate, forKey: minute) { drop(old.item, &gone) }
    return gone
  }

  /// - Parameter part: addition to the totals of a day.
  mutating func walk(_ part: Totals, on day: Int64) {
    var sum = totals[day] ?? Totals()
    sum.steps += part.steps
    sum.metres += part.metres
    sum.calories += part.calories
    sum.items += part.items
    totals[day] = sum
    for item in part.items { hold(item) }
  }

  /// Adds a stage to a night. A night belongs to the day on which it ends, which counts from 20:00 of the evening
  /// before. If a night begins before the end of the stored one, the clock was set back, and the night replaces it.
  mutating func record(stage item: BandItem, hasREM: Bool) -> [Int] {
    let day = (item.shown + 4 * 3600).floored(by: 86_400)
    var gone: [Int] = []
    var stages = nights[day] ?? []
    if let last = stages.last, item.shown < last.shown {
      for stage in stages { if let old = stage.item { drop(old, &gone) } }
      stages = []
    }
    // Replaces the end of the preceding stage.
    if stages.last?.shown == item.shown { stages.removeLast() }
    stages.append(Stage(shown: item.shown, stage: Self.wireStage(item.value, hasREM: hasREM), item: item.number))
    stages.append(Stage(shown: item.shown + item.length.components.seconds, stage: 0, item: nil))
    nights[day] = stages
    hold(item.number)
    return gone
  }

  /// Conversion from 1 awake, 2 REM, 3 light, 4 deep.
  private static func wireStage(_ stage: Int64, hasREM: Bool) -> UInt8 {
    switch stage {
    case 2: hasREM ? 3 : 1
    case 3: 1
    case 4: 2
    default: 0
    }
  }

  mutating func record(_ training: Training) -> [Int] {
    var gone: [Int] = []
    if let old = trainings[nextPlace] { drop(old.item, &gone) }
    trainings[nextPlace] = training
    nextPlace = (nextPlace + 1) % trainings.count
    hold(training.item)
    return gone
  }

  /// Stores the rates of a finished training instead of those of the one before.
  mutating func record(_ rates: TrainingRates) -> [Int] {
    for rate in rates.rates { if let rate { hold(rate.item) } }
    let gone = forgetTrainingRates()
    trainingRates = rates
    return gone
  }

  mutating func forgetTrainingRates() -> [Int] {
    var gone: [Int] = []
    for rate in trainingRates?.rates ?? [] { if let rate { drop(rate.item, &gone) } }
    trainingRates = nil
    return gone
  }

  /// The clock shows another day. Days of the future are deleted, and days that are too old.
  mutating func turn(to day: Int64) -> [Int] {
    if day == today { return [] }
    today = day
    var gone: [Int] = []
    for rate in minutes.values { drop(rate.item, &gone) }
    minutes = [:]
    for old in slots.keys.sorted() where !(day - 1...day).contains(old) {
      for rate in (slots.removeValue(forKey: old) ?? [:]).values { drop(rate.item, &gone) }
    }
    for old in totals.keys.sorted() where !(day - 2...day).contains(old) {
      for item in totals.removeValue(forKey: old)?.items ?? [] { drop(item, &gone) }
    }
    for old in nights.keys.sorted() where !(day - 2...day + 1).contains(old) {
      for stage in nights.removeValue(forKey: old) ?? [] { if let item = stage.item { drop(item, &gone) } }
    }
    return gone.sorted()
  }

  /// Deletes everything.
  mutating func clear(today day: Int64) -> [Int] {
    let gone = places.keys.sorted()
    self = MoyoungMemory(today: day)
    return gone
  }

  private mutating func hold(_ item: Int) { places[item, default: 0] += 1 }

  private mutating func drop(_ item: Int, _ gone: inout [Int]) {
    guard let count = places[item] else { return }
    if count > 1 {
      places[item] = count - 1
    } else {
      places[item] = nil
      gone.append(item)
    }
  }
}
