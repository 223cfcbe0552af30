// libFuzzer harness: what a band of Moyoung sends, from notifications to the looks that are kept of it. Compiled
// together with Sources/Drivers/Moyoung by ./run.

import Bluetooth
import Health
import Wearable

/// The first byte chooses: notifications, each behind a byte for its length; a payload; or a look.
public func fuzzMoyoung(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let rest = RawBytes(rebasing: bytes.dropFirst())
  switch choice % 8 {
  case 0: notifications(rest)
  case 1: payloads(Array(rest))
  case 2: training(rest)
  case 3: check(RatesLook.self, rest)
  case 4: check(SleepLook.self, rest)
  case 5: check(TotalsLook.self, rest)
  case 6: check(TrainingLook.self, rest)
  default: check(TrainingRatesLook.self, rest)
  }
  return 0
}

private func notifications(_ bytes: RawBytes) {
  var reader = ByteReader(bytes)
  var assembler = MoyoungAssembler()
  while let length = reader.u8(), let value = reader.take(min(Int(length), reader.remaining)) {
    switch assembler.take(Array(value)) {
    case .more, .defective: break
    case .whole(let frame):
      precondition(frame.payload.count <= MoyoungFrame.limit(frame.framing) - MoyoungFrame.head)
      precondition((try? MoyoungFrame(frame.bytes)) == frame, "does not read what it wrote")
      payloads(frame.payload)
    }
  }
}

/// Every reader of an answer, at a moment of its own.
private func payloads(_ payload: [UInt8]) {
  let readAt = payload.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
  let day = MoyoungTime.dayNumber(readAt)
  if let user = MoyoungUser(payload: payload) { precondition(user.payload == payload) }
  if let totals = DailyTotals(payload), totals.isPlausible {
    let known = TotalsLook.Known(
      until: readAt - 60, counters: DailyTotals(steps: 100, metres: 80, kilocalories: 4), isOver: false)
    for isOver in [false, true] {
      let look = TotalsLook(
        totals, day: day, readAt: readAt, isOver: isOver, since: nil, isDayCertain: true, known: isOver ? known : nil)
      written(look)
    }
  }
  if let rates = MoyoungRates(payload: payload) {
    written(
      RatesLook(
        rates.rates, day: day - rates.daysAgo, quarter: rates.quarter, readAt: readAt, since: 0, known: payload,
        isOfTraining: { $0 % 7 == 0 }))
  }
  let night = SleepNight(payload)
  if let date = night.dateOfToday(readAt: readAt) {
    let look = SleepLook(night, day: date, readAt: readAt, isSure: true, isOver: false, known: payload)
    if look?.isOdd != true { written(look) }
  }
  if let place = TrainingPlace(payload) { precondition(place.begin >= MoyoungTime.east) }
  for series in [Series.heartRate, .spo2] {
    if let value = MoyoungMeasurement.result(payload, series) { precondition((1...254).contains(value)) }
  }
}

private func training(_ bytes: RawBytes) {
  var reader = ByteReader(bytes)
  var parts = TrainingRatesParts()
  while let length = reader.u8(), let part = reader.take(min(Int(length), reader.remaining)) {
    if parts.take(Array(part)) == .end { break }
    precondition(parts.rates.count <= TrainingRatesParts.limit)
  }
  guard let begin = parts.begins.first else { return }
  written(
    TrainingRatesLook(
      parts.rates, begin: begin, readAt: begin + 600, since: 0, known: Array(bytes), isOfDay: { $0 % 3 == 0 }))
}

/// What the driver itself makes is read again as it was.
private func written<Look: MoyoungLook>(_ look: Look?) {
  guard let look else { return }
  let bytes = look.bytes
  guard let again = try? bytes.withUnsafeBytes({ try Look($0) }) else {
    preconditionFailure("does not read what it wrote")
  }
  precondition(again.bytes == bytes && again.mark == look.mark && again.progress == look.progress)
  bytes.withUnsafeBytes { check(Look.self, $0) }
}

private func check<Look: MoyoungLook>(_ type: Look.Type, _ bytes: RawBytes) {
  guard let look = try? Look(bytes) else { return }
  precondition(look.bytes == Array(bytes), "does not write what it read")
  let sink = LookSink()
  look.append(to: sink)
  precondition(sink.count <= bytes.count, "\(sink.count) values of \(bytes.count) bytes")
  precondition(look.progress.count <= KnownItem.progressLimit)
  precondition(look.item.identity != nil, "\(look.name) is no name, or \(look.mark) no mark")
  precondition(!look.verdict.summary.isEmpty)
}

private final class LookSink: ItemSink {
  private(set) var count = 0

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    precondition(MoyoungDriver.kept.contains(series) && values.count == series.layout.valueCount)
    precondition(deviceTime >= 0 && values.allSatisfy { $0 >= 0 })
    if series == .heartRate { precondition((1...254).contains(values[0])) }
    if series.layout == .interval { precondition(values[0] > 0 && values[0] <= 86_400_000_000) }
    count += 1
  }
  func noteAnomaly(_ what: StaticString) {}
}
