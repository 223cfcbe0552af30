// History of a FitCloud band as records (day, start, interval, values), and the transfer of one kind.

import EventLoop
import Health
import Simulation

/// Transfer of one kind of history to the host, which then sends a verdict.
struct FitCloudTransfer {
  let type: UInt8
  let items: [Int]
  /// Index in the ledger.
  let delivery: Int
  let began: Instant
  /// Whether its end was acknowledged.
  var isEnded = false
  /// Whether its end is still unacknowledged. The host may have received it.
  var isUnderWay: Bool { !isEnded }
}

extension VirtualFitCloud {
  // MARK: Transfer

  func beginTransfer(_ value: [UInt8]) {
    guard value.count == 1, let type = value.first else { return ledger.faults.append(.malformed) }
    if let transfer, transfer.isUnderWay {
      // A host may request again after a long silence.
      let isRepeated = transfer.type == type && world.loop.now - transfer.began >= .seconds(10)
      if !isRepeated { ledger.faults.append(.askedDuringSync) }
      endTransfer(false)
      endLine()
    }
    transfer = nil
    guard let (items, records) = history(type) else {
      if make.ignoresUnknownTypes { return }
      say(5, 0x07)
      return say(5, 0x08, [0, 0, 0, 0])
    }
    let stream = records.flatMap { $0 }
    let isOpaque = items.contains { !make.mustBeStored($0) || $0.kind != .normal }
    let delivery = ledger.begin(items.map(\.number), at: world.loop.now, content: isOpaque ? stream : [])
    transfer = FitCloudTransfer(type: type, items: items.map(\.number), delivery: delivery, began: world.loop.now)
    say(5, 0x07)
    for frame in frames(records) { say(5, 0x30, frame) }
    say(5, 0x08, FitCloudWire.big(UInt32(stream.count))) { [weak self] arrived in
      guard let self, transfer?.delivery == delivery else { return }
      endTransfer(arrived)
    }
  }

  /// Records, divided into frames: at any byte, or between two of them if they are short enough.
  private func frames(_ records: [[UInt8]]) -> [[UInt8]] {
    let size = min(max(1, make.frameBytes), FitCloudWire.longestValue)
    func cut(_ bytes: [UInt8]) -> [[UInt8]] {
      stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
    }
    if make.cutsRecords { return cut(records.flatMap { $0 }) }
    var frames: [[UInt8]] = []
    for record in records {
      if let last = frames.last, last.count + record.count <= size {
        frames[frames.count - 1] += record
      } else {
        frames += cut(record)
      }
    }
    return frames
  }

  func endTransfer(_ arrived: Bool) {
    guard let transfer, transfer.isUnderWay else {
      if !arrived { self.transfer = nil }
      return
    }
    if arrived {
      ledger.noteDelivered(transfer.delivery, at: world.loop.now)
      self.transfer?.isEnded = true
    } else {
      ledger.noteLost(transfer.delivery)
      self.transfer = nil
    }
  }

  /// Handles the verdict. `[0]`: the host has the transfer, and it is deleted. Any other value keeps it.
  func takeVerdict(_ value: [UInt8]) {
    guard value.count == 1 else { return ledger.faults.append(.malformed) }
    guard let transfer, transfer.isEnded else {
      // A kind that the band lacks has no records to delete.
      if self.transfer != nil { ledger.faults.append(.confirmedUnsent) }
      return
    }
    let now = world.loop.now
    ledger.noteVerdict(value == [0], of: transfer.delivery, at: now)
    if value == [0] {
      onConfirmed?(transfer.items.map(recorder.item))
      recorder.forget(Set(transfer.items), at: now)
    }
    self.transfer = nil
  }

  /// Reports the type, and its bytes as u32.
  func tellSize(_ value: [UInt8]) {
    guard value.count == 1, let type = value.first else { return }
    let count = history(type)?.records.reduce(0) { $0 + $1.count } ?? 0
    say(5, 0x06, [type] + FitCloudWire.big(UInt32(count)))
  }

  // MARK: Kinds

  private func kind(_ type: UInt8) -> BandBin? {
    let isOld = make.isOldGeneration
    switch type {
    case 1: return BandBin(.steps)
    case 2: return make.hasSleep ? BandBin(.sleepStage) : nil
    case 16: return isOld ? nil : BandBin(.training)
    case 254: return isOld ? nil : BandBin(.heartRate, kind: .resting)
    default: break
    }
    let isManual = type >= 0x80
    if isManual, !make.keepsManual { return nil }
    let series: Series? =
      switch type & 0x7F {
      case 3: .heartRate
      case 4: .spo2
      case isOld ? 0x0A : 5: .systolicPressure
      case isOld ? 0x0B : 6: .respirationRate
      case 17: .skinTemperature
      case 18: .stress
      default: nil
      }
    guard let series, make.series.contains(series) else { return nil }
    return BandBin(series, isManual: isManual)
  }

  /// nil: the band lacks this kind.
  func history(_ type: UInt8) -> (items: [BandItem], records: [[UInt8]])? {
    if type == 255 { return ([], [todaysTotals()]) }
    guard let bin = kind(type) else { return nil }
    catchUp()
    let items = recorder.held(bin)
    let slots = items.flatMap { self.slots($0) }
    let size = slots.first?.value.count ?? 1
    let grid = bin.isManual || bin.kind == .resting || bin.series == .training ? 1 : gridMinutes(bin.series)
    var records = self.records(slots, grid: grid, size: size, isSteps: bin.series == .steps)
    if make.tellsOfTomorrow, !items.isEmpty, bin.series != .training {
      let tomorrow = (recorder.clock.seconds(at: world.loop.now).floored(by: 86_400) + 1) * 86_400
      let value = slots.last?.value ?? [70]
      records.append(head(tomorrow + 43_200, count: 1, grid: grid) + value)
    }
    return (items, records)
  }

  private func gridMinutes(_ series: Series) -> Int {
    switch series {
    case .steps: recorder.model.stepSlot ?? 30
    case .sleepStage: 5
    default: max(1, recorder.schedules[series]?.interval ?? 10)
    }
  }

  // MARK: Records

  private typealias Slot = (shown: Int64, value: [UInt8])

  private func slots(_ item: BandItem) -> [Slot] {
    switch item.series {
    case .sleepStage:
      // 1 deep, 2 light, 3 awake, 4 REM.
      let code: UInt8 = [1: 3, 2: 4, 3: 2, 4: 1][item.value] ?? 0
      let count = item.length.wholeNanoseconds / 300_000_000_000
      return (0..<count).map { (item.shown + $0 * 300, [code]) }
    case .steps: return [(item.shown, FitCloudWire.big(UInt16(clamping: item.value)))]
    case .systolicPressure: return [(item.shown, item.values.map { UInt8(clamping: $0 / 100) })]
    // Tenths; the layout is not published.
    case .skinTemperature: return [(item.shown, FitCloudWire.big(UInt16(clamping: item.value / 100)))]
    // The same.
    case .training: return [(item.shown, item.values.flatMap { FitCloudWire.big(UInt32(clamping: $0)) })]
    default: return [(item.shown, [UInt8(clamping: item.value)])]
    }
  }

  /// Item count u16, day u16, start minute u16, interval in minutes u16.
  private func head(_ start: Int64, count: Int, grid: Int) -> [UInt8] {
    let minute = UInt16((start - start.floored(by: 86_400) * 86_400) / 60)
    return FitCloudWire.big(UInt16(count)) + FitCloudWire.day(start) + FitCloudWire.big(minute)
      + FitCloudWire.big(UInt16(grid))
  }

  /// Slots in records. A new record begins if time goes back, a slot is off the grid, or two hours are empty.
  private func records(_ slots: [Slot], grid: Int, size: Int, isSteps: Bool) -> [[UInt8]] {
    var records: [[UInt8]] = []
    let step = Int64(grid) * 60
    // A day of minutes is the longest.
    let longest = Int64(1440)
    var run: [Slot] = []
    func close() {
      guard let first = run.first, let last = run.last else { return }
      let count = (last.shown - first.shown) / step + 1
      var values = [[UInt8]](repeating: [UInt8](repeating: 0, count: size), count: Int(count))
      // Some older bands fill empty slots with an impossible number of steps.
      if isSteps, make.hasBrokenSlots {
        for index in values.indices where index % 3 == 1 { values[index] = [0xFF, 0xFE] }
      }
      for slot in run { values[Int((slot.shown - first.shown) / step)] = slot.value }
      records.append(head(first.shown, count: Int(count), grid: grid) + values.flatMap { $0 })
      run = []
    }
    for slot in slots {
      if let first = run.first, let last = run.last {
        let isApart = slot.shown <= last.shown || (slot.shown - first.shown) % step != 0
        let isFar = slot.shown - last.shown > 7200 || (slot.shown - first.shown) / step >= longest
        let isNextDay = slot.shown.floored(by: 86_400) != last.shown.floored(by: 86_400)
        if isApart || isFar || make.breaksAtMidnight && isNextDay { close() }
      }
      run.append(slot)
    }
    close()
    return records
  }

  /// u32 each: steps, metres, small calories, minutes of deep and of light sleep, mean rate.
  func todaysTotals() -> [UInt8] {
    let day = recorder.clock.seconds(at: world.loop.now).floored(by: 86_400)
    let today = recorder.items.reversed().prefix { $0.shown.floored(by: 86_400) >= day - 1 }.filter {
      $0.shown.floored(by: 86_400) == day
    }
    let steps = today.filter { $0.series == .steps }.reduce(0) { $0 + $1.value }
    let rates = today.filter { $0.series == .heartRate && $0.kind == .normal }.map(\.value)
    func minutes(_ stage: Int64) -> Int64 {
      today.filter { $0.series == .sleepStage && $0.value == stage }.reduce(0) {
        $0 + $1.length.wholeNanoseconds / 60_000_000_000
      }
    }
    let mean = rates.isEmpty ? 0 : rates.reduce(0, +) / Int64(rates.count)
    return [steps, steps * 3 / 4, steps * 40, minutes(4), minutes(3), mean].flatMap {
      FitCloudWire.big(UInt32(clamping: $0))
    }
  }
}
