// Messages of a band's days, made from its memory.

internal import EventLoop
internal import Health

/// Message of a day, with the numbers of its items.
struct TopStepDay {
  let payload: [UInt8]
  let items: [Int]
}

extension VirtualTopStepBand {
  private static let day: Int64 = 86_400
  private static let slot: Int64 = 300
  private static let halfHour: Int64 = 1800

  /// Returns the days with items newer than `start`, ascending; empty if all are older.
  func makeDays(_ kind: TopStepKind, _ start: Int64, _ end: Int64) -> [TopStepDay] {
    catchUp()
    let days: [TopStepDay]
    switch kind {
    case .sport: days = trainings(start, end)
    case .sleep: days = nights(start, end)
    case .activity: days = activity(start, end)
    case .heartRate, .oxygen, .pressure, .stress:
      days = kind.series.map { measured(kind, $0, start, end) } ?? []
    }
    // Another zone has other days, so an item that shared a place with a newer one may now have one of its own.
    for item in days.flatMap(\.items) { log.hidden[item] = nil }
    return days
  }

  /// Midnight before a moment, in the band's present zone; both in seconds since 2000.
  private func midnight(_ told: Int64) -> Int64 { (told + zone).floored(by: Self.day) * Self.day - zone }

  private func isNewer(_ item: BandItem, _ start: Int64, _ end: Int64) -> Bool {
    let told = told(item)
    return told + item.length.wholeNanoseconds / 1_000_000_000 >= start && told <= end
  }

  /// Beginnings of the days of these items, ascending.
  private func days(_ items: [BandItem], _ first: (BandItem) -> Int64) -> [Int64] { Set(items.map(first)).sorted() }

  // MARK: Heart rate, SpO2, stress, pressure

  private func measured(_ kind: TopStepKind, _ series: Series, _ start: Int64, _ end: Int64) -> [TopStepDay] {
    let automatic = recorder.held(BandBin(series)).filter { told($0) <= end }
    let manual = recorder.held(BandBin(series, isManual: true)).filter { told($0) <= end }
    let resting = recorder.held(BandBin(series, kind: .resting)).filter { told($0) <= end }
    let extremes = [SampleKind.maximum, .minimum].map { recorder.held(BandBin(series, kind: $0)) }
    let newer = (automatic + manual + resting).filter { isNewer($0, start, end) }
    return days(newer) { midnight(told($0)) }.map { day in
      let isWithin = { [self] (item: BandItem) in (day..<day + Self.day).contains(told(item)) }
      let begin = next.days.cutTo == .range ? max(day, start.floored(by: Self.slot) * Self.slot) : day
      let slots = slots(automatic.filter { isWithin($0) && told($0) >= begin }, from: begin, Self.slot)
      let presses = Array(manual.filter { isWithin($0) && told($0) >= begin }.suffix(200))
      let rest = Array(resting.filter(isWithin).suffix(10))
      let marked = extremes.compactMap { newest($0.filter(isWithin)) }
      noteExtremes(marked)
      let count = next.days.isPadded ? Int((day + Self.day - begin) / Self.slot) : (slots.last?.place ?? -1) + 1
      return TopStepDay(
        payload: TopStepWriter.make {
          $0.number(1, begin)
          $0.number(2, day + Self.day - 1)
          for item in presses { $0.message(3, entry(item, kind)) }
          $0.bytes(4, automaticBytes(slots, count, kind, from: begin))
          if kind == .heartRate { for item in rest { $0.message(5, entry(item, kind)) } }
          let field = kind == .heartRate ? 6 : 5
          for item in next.days.tellsHighestFirst ? marked : marked.reversed() { $0.message(field, entry(item, kind)) }
        },
        items: (slots.map(\.item) + presses + (kind == .heartRate ? rest : []) + marked).map(\.number))
    }
  }

  /// Notes extremes. Only the values distinguish maximum and minimum, so one alone is ambiguous. Another zone divides
  /// days elsewhere, and may separate the two. If one is alone in both zones, the earlier time counts.
  private func noteExtremes(_ marked: [BandItem]) {
    for item in marked { log.alone[item.number] = marked.count == 1 ? log.alone[item.number] ?? zoneSince : nil }
  }

  /// 1 time, 2 value, 3 the lower value of a pressure.
  private func entry(_ item: BandItem, _ kind: TopStepKind) -> [UInt8] {
    TopStepWriter.make {
      $0.number(1, told(item))
      $0.number(2, item.value / kind.scale)
      if item.values.count > 1 { $0.number(3, item.values[1] / kind.scale) }
    }
  }

  /// A byte per slot, or two of a pressure; 0 if empty.
  private func automaticBytes(
    _ slots: [(place: Int, item: BandItem)], _ count: Int, _ kind: TopStepKind, from begin: Int64
  ) -> [UInt8] {
    let width = kind == .pressure ? 2 : 1
    var bytes = [UInt8](repeating: 0, count: count * width)
    if next.days.isPadded, next.days.fillsFuture > 0 {
      let first = max(0, Int((shown - begin) / Self.slot) + 1)
      for place in min(first, count) * width..<count * width { bytes[place] = next.days.fillsFuture }
    }
    for (place, item) in slots where place < count {
      for (index, value) in item.values.prefix(width).enumerated() {
        bytes[place * width + index] = UInt8(clamping: value / kind.scale)
      }
    }
    return bytes
  }

  /// An item in each slot, ascending: a newer one hides an older one.
  private func slots(_ items: [BandItem], from begin: Int64, _ length: Int64) -> [(place: Int, item: BandItem)] {
    var slots: [Int: BandItem] = [:]
    for item in items {
      let place = Int((told(item) - begin) / length)
      if let hidden = slots.updateValue(item, forKey: place) { log.hidden[hidden.number] = item.recordedAt }
    }
    return slots.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The last of several items of a day hides the others.
  private func newest(_ items: [BandItem]) -> BandItem? {
    for (item, next) in zip(items, items.dropFirst()) { log.hidden[item.number] = next.recordedAt }
    return items.last
  }

  // MARK: Sleep

  /// A night belongs to the day on which it ends, if it begins at 20:00 or later.
  private func nights(_ start: Int64, _ end: Int64) -> [TopStepDay] {
    let stages = recorder.held(BandBin(.sleepStage)).filter { told($0) <= end }
    let belonging = { [self] (item: BandItem) in midnight(told(item) + 4 * 3600) }
    return days(stages.filter { isNewer($0, start, end) }, belonging).map { day in
      let all = stages.filter { belonging($0) == day }
      for (item, next) in zip(all, all.dropFirst(100)) { log.hidden[item.number] = next.recordedAt }
      let told = Array(all.suffix(100))
      return TopStepDay(
        payload: TopStepWriter.make {
          $0.number(1, day)
          for item in told { $0.message(2, stage(item)) }
        }, items: told.map(\.number))
    }
  }

  /// 1 time, 2 duration, 3 stage: 0 awake, 1 light, 2 deep, 3 REM.
  private func stage(_ item: BandItem) -> [UInt8] {
    let seconds = item.length.wholeNanoseconds / 1_000_000_000
    return TopStepWriter.make {
      $0.number(1, told(item))
      $0.number(2, next.days.sleepInMinutes ? seconds / 60 : seconds)
      $0.number(3, Self.stages.firstIndex(of: item.value) ?? 0)
    }
  }

  /// Stored stage numbers in the order of the band's numbers: awake, light, deep, REM.
  private static let stages: [Int64] = [1, 3, 4, 2]

  // MARK: Activity

  /// Minutes of activity that the band derives from the steps of half an hour.
  public static func activeMinutes(_ steps: Int64) -> Int { Int(min(30, (steps + 99) / 100)) }

  private func activity(_ start: Int64, _ end: Int64) -> [TopStepDay] {
    let steps = recorder.held(BandBin(.steps)).filter { told($0) <= end }
    return days(steps.filter { isNewer($0, start, end) }) { midnight(told($0)) }.map { day in
      @LoopActor func slots(_ series: Series) -> [(place: Int, item: BandItem)] {
        self.slots(
          recorder.held(BandBin(series)).filter { (day..<day + Self.day).contains(told($0)) && told($0) <= end },
          from: day, Self.halfHour)
      }
      let (walked, burnt, gone) = (slots(.steps), slots(.calories), slots(.distance))
      let count = next.days.isPadded ? 48 : (walked.last?.place ?? -1) + 1
      @LoopActor func row(_ slots: [(place: Int, item: BandItem)], _ value: (Int64) -> Int) -> [Int] {
        var row = [Int](repeating: 0, count: count)
        for (place, item) in slots where place < count { row[place] = value(item.value) }
        return row
      }
      return TopStepDay(
        payload: TopStepWriter.make {
          $0.number(1, day)
          $0.number(2, day + Self.day - 1)
          $0.packed(3, row(walked) { Int($0) })
          // Stored in tenths of a kilocalorie and of a metre.
          $0.packed(4, row(burnt) { Int($0) * 100 })
          $0.packed(5, row(gone) { Int($0) / 10 })
          $0.packed(6, row(walked, Self.activeMinutes))
        }, items: (walked + burnt + gone).map(\.item.number))
    }
  }

  // MARK: Trainings

  /// Message of each training. Fields 8 to 10 are the highest, the lowest and the mean rate.
  private func trainings(_ start: Int64, _ end: Int64) -> [TopStepDay] {
    recorder.held(BandBin(.training)).filter { isNewer($0, start, end) && $0.values.count >= 7 }.map { item in
      TopStepDay(
        payload: TopStepWriter.make {
          $0.number(1, told(item))
          $0.number(2, told(item) + item.length.wholeNanoseconds / 1_000_000_000)
          $0.number(3, item.values[1])
          $0.number(4, item.values[2])
          $0.number(6, item.values[3])
          $0.number(7, item.values[4])
          $0.number(8, item.values[6])
          $0.number(10, item.values[5])
        }, items: [item.number])
    }
  }
}
