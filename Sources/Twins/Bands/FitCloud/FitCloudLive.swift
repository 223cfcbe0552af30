// Live measurement of a FitCloud band by order of the host: values until a limit or a stop.

import EventLoop
import Health
import Simulation

/// Order of the host.
public struct FitCloudLive: Sendable {
  /// 1 heart rate, 2 SpO2, 4 pressure, 8 respiration, 32 temperature, 64 stress.
  public let mask: UInt16
  /// Time between two values.
  public let interval: Duration
  let began: Instant
  /// nil: until it is stopped.
  let ends: Instant?
  var timer: LoopTimer?
}

extension VirtualFitCloud {
  /// Items u16, seconds between two values u8, minutes u8; no item stops.
  func controlLive(_ value: [UInt8]) {
    guard value.count == 4 else { return ledger.faults.append(.malformed) }
    stopLive()
    let mask = FitCloudWire.u16(value, 0)
    guard mask != 0 else { return }
    let now = world.loop.now
    live = FitCloudLive(
      mask: mask, interval: .seconds(max(1, Int(value[2]))), began: now,
      ends: value[3] == 0 ? nil : now + .seconds(Int(value[3]) * 60))
    scheduleLive()
  }

  /// Stops silently, as if the wearer took the band off or pressed a button.
  public func stopLive() {
    if let timer = live?.timer { world.loop.cancel(timer) }
    live = nil
  }

  private func scheduleLive() {
    guard let interval = live?.interval else { return }
    live?.timer = world.loop.schedule(after: interval) { [weak self] in self?.passLive() }
  }

  private func passLive() {
    guard let live, isEntered else { return }
    let now = world.loop.now
    if let ends = live.ends, now > ends { return stopLive() }
    let isWarm = now - live.began >= make.liveWarmUp
    let shown = recorder.clock.seconds(at: now)
    // Different from the automatic value of the same second.
    let stretch = 1_000_000 + recorder.clock.stretch
    func values(_ bit: UInt16, _ series: Series) -> [Int64]? {
      guard isWarm, live.mask & bit != 0, make.series.contains(series) else { return nil }
      return recorder.life.values(of: series, at: shown, stretch: stretch, isManual: true)
    }
    let all: [(series: Series, values: [Int64])] = [
      (1, .heartRate), (2, .spo2), (4, .systolicPressure), (8, .respirationRate), (32, .skinTemperature), (64, .stress),
    ].compactMap { bit, series in values(bit, series).map { (series, $0) } }
    say(5, make.isOldGeneration ? 0x15 : 0x24, bytes(all, live.mask)) { [weak self] arrived in
      guard arrived, let self else { return }
      for (series, values) in all {
        ledger.live.append(
          BandLiveValue(series: series, values: values, deliveredAt: world.loop.now, time: recorder.time(of: now)))
      }
    }
    scheduleLive()
  }

  /// Rate, SpO2, diastolic, systolic, respiration. Older bands send the items before them. Newer ones may append the
  /// state of the temperature, body and wrist temperature in tenths (u16 each), and stress.
  private func bytes(_ all: [(series: Series, values: [Int64])], _ mask: UInt16) -> [UInt8] {
    func value(_ series: Series) -> [Int64] { all.first { $0.series == series }?.values ?? [0, 0] }
    let pressure = value(.systolicPressure)
    var bytes = make.isOldGeneration ? FitCloudWire.big(mask) : []
    bytes += [
      UInt8(clamping: value(.heartRate)[0]), UInt8(clamping: value(.spo2)[0]), UInt8(clamping: pressure[1] / 100),
      UInt8(clamping: pressure[0] / 100), UInt8(clamping: value(.respirationRate)[0]),
    ]
    guard make.appendsLiveValues else { return bytes }
    let wrist = UInt16(clamping: value(.skinTemperature)[0] / 100)
    return bytes + [0] + FitCloudWire.big(wrist == 0 ? 0 : wrist + 25) + FitCloudWire.big(wrist)
      + [UInt8(clamping: value(.stress)[0])]
  }
}
