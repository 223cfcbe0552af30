// libFuzzer harness: frames, messages and kept days of TopStep's new platform. Compiled together with
// Sources/Drivers/TopStepNext by ./run.

import Bluetooth
import Health
import TopStepMessages
import Wearable

/// The first byte chooses what the rest is.
public func fuzzTopStepNext(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let rest = Array(bytes.dropFirst())
  switch choice % 6 {
  case 0: pieces(rest, size: pieceSize(choice, rest.count))
  case 1: frame(rest)
  case 2: day(rest, DayKind.allCases[Int(choice / 6) % DayKind.allCases.count])
  case 3: kept(rest)
  case 4: configuration(rest, ConfigurationKind.allCases[Int(choice / 6) % ConfigurationKind.allCases.count])
  default: told(rest, size: pieceSize(choice, rest.count))
  }
  return 0
}

/// As the choice says, but no more than 64 pieces. In a long input single bytes show the same as in a short one, and
/// take most of the time.
private func pieceSize(_ choice: UInt8, _ count: Int) -> Int { max(1 + Int(choice / 6), count >> 6) }

private func frame(_ bytes: [UInt8]) {
  guard let frame = try? TopStepFrame(bytes) else { return }
  precondition(Array(bytes.prefix(frame.bytes.count)) == frame.bytes, "does not write what it read")
  precondition(!FitCloudAnswer.isOne(bytes), "of both platforms")
}

/// In whatever pieces they come, the frames are the same.
private func pieces(_ bytes: [UInt8], size: Int) {
  var (whole, cut) = (FrameAssembler(), FrameAssembler())
  let once = frames(whole.take(bytes))
  var came: [TopStepFrame] = []
  for begin in stride(from: 0, to: bytes.count, by: size) {
    came += frames(cut.take(bytes[begin..<min(begin + size, bytes.count)]))
  }
  precondition(once == came, "other frames in pieces of \(size)")
}

private func frames(_ events: [FrameAssembler.Event]) -> [TopStepFrame] {
  events.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
}

private func day(_ message: [UInt8], _ kind: DayKind) {
  _ = try? kind.span(of: message)
  var item = DayItem(kind)
  item.messages = [message]
  read(item)
  (item.from, item.until, item.settled) = (825_638_400, 825_700_000, 825_690_000)
  read(item)
}

private func kept(_ bytes: [UInt8]) {
  guard let item = bytes.withUnsafeBytes({ try? DayItem($0) }) else { return }
  let again = item.bytes.withUnsafeBytes { try? DayItem($0) }
  precondition(again == item, "does not read what it wrote")
  read(item)
}

private func read(_ item: DayItem) {
  let sink = DayFuzzSink(item)
  var reader = DayReader(item, into: sink)
  try? reader.read()
  precondition(reader.count == sink.count)
}

/// Holds a day to what it promises.
private final class DayFuzzSink: ItemSink {
  private let item: DayItem
  private(set) var count = 0

  init(_ item: DayItem) { self.item = item }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    precondition(item.kind.series.contains(series) && values.count == series.layout.valueCount && bytes.isEmpty)
    precondition(item.has(TopStep.seconds(deviceTime)), "of another item")
    precondition(values.allSatisfy { $0 >= 0 })
    if series.layout == .scalar { precondition((1...255).contains(values[0])) }
    if series.layout == .interval { precondition(values[0] > 0 && values[0] <= SleepLengths.longest * 1_000_000) }
    count += 1
  }
  func noteAnomaly(_ what: StaticString) {}
}

/// What is ordered is met by what is read back, and taking it back leaves what was there.
private func configuration(_ bytes: [UInt8], _ kind: ConfigurationKind) {
  guard let before = try? Configuration(kind, bytes) else { return }
  var order = MonitoringOrder()
  order.isOn = true
  order.window = MonitoringWindow(begin: 480, end: 1320)
  order.interval = 600
  if kind == .heartRate {
    order.limits = [.restAbove: 110, .restBelow: 45, .exerciseAbove: 170]
    order.maximumHeartRate = 186
  }
  let changed = before.with(order)
  guard let written = try? changed.wire(), let read = try? Configuration(kind, written) else {
    preconditionFailure("cannot be written")
  }
  precondition(read == changed && order.isMet(by: read.order), "not as it was ordered")
  let back = read.with(order.parts, of: before)
  precondition(back.order == before.order, "not as it was")
}

private func told(_ bytes: [UInt8], size: Int) {
  let (decoder, sink) = (TopStepDecoder(), ToldFuzzSink())
  let source = TopStepNextDriver().liveSources[0]
  for begin in stride(from: 0, to: bytes.count, by: size) {
    Array(bytes[begin..<min(begin + size, bytes.count)]).withUnsafeBytes {
      try? decoder.decode(source, $0, into: sink)
    }
  }
}

private final class ToldFuzzSink: SampleSink {
  func append(_ sample: Sample) { precondition(sample.series == .battery && (1...100).contains(sample.value)) }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) { preconditionFailure("none is a vector") }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    preconditionFailure("none is a waveform")
  }
  func noteAnomaly(_ what: StaticString) {}
}
