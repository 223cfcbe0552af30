// The test wearable as a sensor of beats. Kinds: a strap with intervals, or with rates alone; an optical one that sends
// its intervals on request; an oximeter; a cuff; a thermometer.
//
//     pulse (notify)    S contact rate [interval u16 in 1/1024 s]…   | P [ms u16, error u16, status u8]… | O spo2 rate
//                       | C systolic diastolic rate | T [m°C u16]
//                       | W [5 g u16]     contact: 0 not supported, 1 lost, 2 made

import Bluetooth
import EventLoop
import Health
import Vitals
import Wearable

@testable import Hub

/// What a sensor is, and what its sessions were told.
@LoopActor
final class RecorderSensor {
  nonisolated let live: [Series]
  nonisolated let ordered: [Series]
  nonisolated let onDemand: [Series]
  /// Streams of the orders that its sessions saw, one after the other.
  var orders: [Set<Series>] = []
  /// The check fails with that.
  var checkFails: VisitTrouble?

  nonisolated init(live: [Series] = [.heartRate, .rrInterval], ordered: [Series] = [], onDemand: [Series] = []) {
    (self.live, self.ordered, self.onDemand) = (live, ordered, onDemand)
  }
}

struct SensorRecorderDriver: WearableDriver, CapableDriver, StreamingDriver {
  let base: RecorderDriver
  let sensor: RecorderSensor

  var id: String { base.id }
  var liveSources: [LiveSource] { base.liveSources }
  var capabilities: Capabilities {
    let recorded: [Capability] = sensor.ordered.isEmpty ? [] : [.recorded(.heartRate)]
    return Capabilities(recorded + sensor.live.map { .live($0) })
  }
  var pairing: PairingNeed { base.pairing }
  var furtherCapabilities: WearableCapabilities { WearableCapabilities(.onDemand, sensor.onDemand) }
  func streams(of wearable: KnownWearable) -> [Series]? { sensor.ordered }
  func recognise(_ scanResult: ScanResult) -> Recognition? { base.recognise(scanResult) }
  func makeDecoder() -> any LiveDecoder { Decoder() }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    sensor.ordered.isEmpty && sensor.onDemand.isEmpty ? nil : Session(RecorderSession(link, base), sensor)
  }

  private final class Decoder: LiveDecoder {
    func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
      guard source.characteristic == recorderPulse, value.count >= 2 else { throw .truncated }
      func word(_ place: Int) -> Int64 { Int64(value[place]) | Int64(value[place + 1]) << 8 }
      switch value[0] {
      case UInt8(ascii: "S"):
        guard value.count >= 3 else { throw .truncated }
        if value[1] != 0 { sink.noteContact(value[1] == 2) }
        if value[1] == 1 { return }
        sink.append(Sample(.heartRate, Int64(value[2])))
        for place in stride(from: 3, to: value.count - 1, by: 2) { sink.append(Sample(.rrInterval, word(place))) }
      case UInt8(ascii: "P"):
        for place in stride(from: 1, to: value.count - 4, by: 5) {
          let values: [Int64] = [word(place), word(place + 2), Int64(value[place + 4])]
          values.withUnsafeBufferPointer { sink.append(.ppi, values: $0) }
        }
      case UInt8(ascii: "O"):
        guard value.count == 3 else { throw .truncated }
        sink.append(Sample(.spo2, Int64(value[1])))
        sink.append(Sample(.pulseRate, Int64(value[2]) * 10))
      case UInt8(ascii: "C"):
        guard value.count == 4 else { throw .truncated }
        sink.append(Sample(.systolicPressure, Int64(value[1]) * 100))
        sink.append(Sample(.diastolicPressure, Int64(value[2]) * 100))
        sink.append(Sample(.pulseRate, Int64(value[3]) * 10))
      case UInt8(ascii: "W"):
        guard value.count == 3 else { throw .truncated }
        sink.append(Sample(.weight, word(1) * 5))
      case UInt8(ascii: "T"):
        guard value.count == 3 else { throw .truncated }
        sink.append(Sample(.bodyTemperature, word(1)))
      default: throw .truncated
      }
    }
    func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
  }

  @LoopActor
  private final class Session: WearableSession, LiveSession {
    private let base: RecorderSession
    private let sensor: RecorderSensor

    init(_ base: RecorderSession, _ sensor: RecorderSensor) { (self.base, self.sensor) = (base, sensor) }

    var domains: [any FetchDomain] { base.domains }
    func check() async throws(VisitTrouble) -> CheckReport {
      if let trouble = sensor.checkFails { throw trouble }
      return try await base.check()
    }
    func finish() async throws(VisitTrouble) { try await base.finish() }
    func wentLive() async throws(VisitTrouble) { sensor.orders.append(base.link.orders.streams) }
    func ordersChanged() async throws(VisitTrouble) { sensor.orders.append(base.link.orders.streams) }
  }
}

/// A heart that beats, and the strap on it: packets once a second, each with the intervals since the last.
@LoopActor
final class BeatingStrap {
  let loop: any Loop
  /// 1/1024 s
  private(set) var sent: [(arrival: Instant, intervals: [Int64])] = []
  var contact: UInt8 = 2
  /// Sends rates alone.
  var hidesIntervals = false
  private var nextBeat: Double
  private var phase = 0

  /// From sending to receiving, as `RecorderBearer` has it.
  static let flight: Duration = .milliseconds(5)

  init(_ loop: any Loop) {
    self.loop = loop
    nextBeat = loop.now.seconds
  }

  /// 1/1024 s; breathing of four seconds, and something that never repeats.
  private func interval() -> Int64 {
    phase += 1
    let wave = [0, 22, 38, 22, 0, -22, -38, -22][phase % 8]
    return 870 + Int64(wave) + Int64(phase * phase * 7 % 31)
  }

  func packet() -> [UInt8] {
    var intervals: [Int64] = []
    while nextBeat <= loop.now.seconds {
      let next = interval()
      intervals.append(next)
      nextBeat += Double(next) / 1024
    }
    if contact == 1 { intervals = [] }
    if !intervals.isEmpty { sent.append((loop.now + Self.flight, intervals)) }
    let bytes = hidesIntervals ? [] : intervals.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    return [UInt8(ascii: "S"), contact, 70] + bytes
  }

  func wear(_ twin: RecorderTwin) {
    twin.beats = .seconds(1)
    twin.next = { [weak self] in self?.packet() }
  }
}
