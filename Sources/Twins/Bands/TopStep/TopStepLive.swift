// Measurement on demand: one kind at a time, a value a second, until its limit, a stop, or removal from the wrist.

internal import EventLoop
public import Health

/// Running live measurement.
struct TopStepLive {
  let kind: TopStepKind
  /// Seconds; 0: until it is stopped.
  let length: Int64
  var second: Int64 = 0
  var timer: LoopTimer?
}

extension VirtualTopStepBand {
  /// 1 type, 2 action (0 stop, 1 start), 3 seconds.
  func controlLive(_ frame: TopStepWireFrame, _ message: TopStepMessage) {
    guard let kind = TopStepKind(rawValue: UInt8(clamping: message.number(1))), kind.isLive,
      (0...1).contains(message.number(2)), (0...3600).contains(message.number(3))
    else {
      blame(.wroteNonsense, frame)
      return reply(to: frame, result: false)
    }
    guard message.number(2) == 1 else {
      // A stop without a measurement is no fault.
      endLive()
      return reply(to: frame, result: true)
    }
    guard hasSensor(kind) else { return reply(to: frame, result: false) }
    if let live, live.kind != kind {
      blame(.askedTwiceAtOnce, frame)
      return reply(to: frame, result: false)
    }
    if live != nil { return reply(to: frame, result: true) }
    reply(to: frame, result: true)
    live = TopStepLive(kind: kind, length: message.number(3))
    scheduleLive()
  }

  func endLive() {
    if let timer = live?.timer { world.loop.cancel(timer) }
    live = nil
  }

  /// Ends the measurement by the band: its time is over, or it is not worn.
  public func stopLive() {
    guard live != nil else { return }
    endLive()
    announce(TopStepCommand.sync, TopStepSyncKey.liveStopped)
  }

  private func scheduleLive() {
    live?.timer = world.loop.schedule(after: .seconds(1)) { [weak self] in self?.passLiveSecond() }
  }

  private func passLiveSecond() {
    guard var running = live else { return }
    running.second += 1
    live = running
    if let limit = next.stopsLiveAfter, .seconds(running.second) > limit { return stopLive() }
    if running.length > 0, running.second > running.length { return stopLive() }
    let isEmpty = running.second <= Int64(next.emptyLiveValues)
    if let series = running.kind.series,
      let values = recorder.life.values(
        of: series, at: recorder.clock.seconds(at: world.loop.now), stretch: recorder.clock.stretch, isManual: true)
    {
      let scale = running.kind.scale
      let payload = TopStepWriter.make {
        $0.number(2, isEmpty ? 0 : values[0] / scale)
        $0.number(3, isEmpty || values.count < 2 ? 0 : values[1] / scale)
      }
      announce(TopStepCommand.sync, TopStepSyncKey.liveValue, payload) { [weak self] arrived in
        guard let self, arrived, !isEmpty else { return }
        ledger.live.append(
          BandLiveValue(series: series, values: values, deliveredAt: world.loop.now, time: world.loop.wall))
      }
    }
    scheduleLive()
  }
}

extension TopStepKind {
  var isLive: Bool { [.heartRate, .oxygen, .pressure, .stress].contains(self) }

  /// Measured series; nil for counted and derived kinds.
  public var series: Series? {
    switch self {
    case .heartRate: .heartRate
    case .oxygen: .spo2
    case .pressure: .systolicPressure
    case .stress: .stress
    case .sleep, .activity, .sport: nil
    }
  }

  /// Stored units in one of the band's.
  var scale: Int64 { self == .pressure ? 100 : 1 }
}
