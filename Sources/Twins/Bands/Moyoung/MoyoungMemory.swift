// What a Moyoung band has room for, by its own days: rates of two days, minutes of today, totals and nights of three,
// the last three trainings. Everything holds the number of the measurement that it came from, so that the ground truth
// can say when the last trace of it went.

import Health

/// Where the measurements of one band are. Days are counted from 1970 as the band's clock shows them.
struct MoyoungMemory {
  /// A rate of its slot: the value of the wire, 1 to 255, and which measurement it is.
  struct Rate: Hashable {
    var value: UInt8
    var item: Int
  }

  struct Totals: Hashable {
    var steps: Int64 = 0
    var metres: Int64 = 0
    /// kcal.
    var calories: Int64 = 0
    /// Measurements that they are made of.
    var items: [Int] = []
  }

  /// From here on this stage of the wire: 0 awake, 1 light, 2 deep, 3 REM. The last one is awake and is no measurement.
  struct Stage: Hashable {
    var shown: Int64
    var stage: UInt8
    var item: Int?
  }

  struct Training: Hashable {
    /// Shown seconds.
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

  /// The rates of one training, a minute each from its start on: kept until they were told, or another training began.
  struct TrainingRates: Hashable {
    var start: Int64
    var rates: [Rate?]
  }

  private(set) var today: Int64
  /// 288 slots of five minutes, of today and yesterday.
  private var slots: [Int64: [Int: Rate]] = [:]
  /// Of today alone.
  private var minutes: [Int: Rate] = [:]
  private var totals: [Int64: Totals] = [:]
  /// By the day on which they end.
  private var nights: [Int64: [Stage]] = [:]
  /// In the places 0, 1 and 2.
  private(set) var trainings: [Training?] = [nil, nil, nil]
  private var nextPlace = 0
  private(set) var trainingRates: TrainingRates?
  /// In how many places a measurement is.
  private var places: [Int: Int] = [:]

  init(today: Int64) { self.today = today }

  // MARK: What is asked for

  func rate(daysAgo: Int, slot: Int) -> UInt8 { slots[today - Int64(daysAgo)]?[slot]?.value ?? 0 }
  func rateItem(daysAgo: Int, slot: Int) -> Int? { slots[today - Int64(daysAgo)]?[slot]?.item }
  func minuteRate(_ minute: Int) -> UInt8 { minutes[minute]?.value ?? 0 }
  func minuteItem(_ minute: Int) -> Int? { minutes[minute]?.item }
  func totals(daysAgo: Int) -> Totals { totals[today - Int64(daysAgo)] ?? Totals() }
  func night(endingOn day: Int64) -> [Stage] { nights[day] ?? [] }
  func holds(_ item: Int) -> Bool { places[item] != nil }

  // MARK: What is recorded; each returns the measurements of which no trace is left

  mutating func record(_ rate: Rate, slot: Int, on day: Int64) -> [Int] {
    guard (today - 1...today).contains(day) else { return [rate.item] }
    var gone: [Int] = []
    hold(rate.item)
    if let old = slots[day, default: [:]].updateValue(rate, forKey: slot) { drop(old.item, &gone) }
    return gone
  }

  /// There is room for today alone.
  mutating func record(_ rate: Rate, minute: Int, on day: Int64) -> [Int] {
    guard day == today else { return [] }
    var gone: [Int] = []
    hold(rate.item)
    if let old = minutes.updateValue(rate, forKey: minute) { drop(old.item, &gone) }
    return gone
  }

  /// - Parameter part: what comes to the totals of a day.
  mutating func walk(_ part: Totals, on day: Int64) {
    var sum = totals[day] ?? Totals()
    sum.steps += part.steps
    sum.metres += part.metres
    sum.calories += part.calories
    sum.items += part.items
    totals[day] = sum
    for item in part.items { hold(item) }
  }

  /// One stage more of a night: a night ends on the day before whose 20:00 it began. One that begins before the end of
  /// what is there takes its place: the clock was set back.
  mutating func record(stage item: BandItem, hasREM: Bool) -> [Int] {
    let day = (item.shown + 4 * 3600).floored(by: 86_400)
    var gone: [Int] = []
    var stages = nights[day] ?? []
    if let last = stages.last, item.shown < last.shown {
      for stage in stages { if let old = stage.item { drop(old, &gone) } }
      stages = []
    }
    // In the place of the end of the stage before.
    if stages.last?.shown == item.shown { stages.removeLast() }
    stages.append(Stage(shown: item.shown, stage: Self.wireStage(item.value, hasREM: hasREM), item: item.number))
    stages.append(Stage(shown: item.shown + item.length.components.seconds, stage: 0, item: nil))
    nights[day] = stages
    hold(item.number)
    return gone
  }

  /// From 1 awake, 2 REM, 3 light, 4 deep.
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

  /// The rates of a training that ended, in the place of those of the one before.
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

  /// The clock shows another day. Days of the future go, as days do that are too old.
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

  /// Everything is gone.
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
