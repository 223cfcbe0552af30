// Conditions around a measurement: what its signal, its battery, clock and adapter give to be told, and the errors that
// end it.

import Bluetooth
import EventLoop
import Vitals

extension VitalsRun {
  func streams(at moment: SessionMoment) {
    isStreaming = true
    if !tap.sensor.isSpot { tap.watch.streamBegan(at: moment) }
    // It is back.
    if code == .sensorDisconnected { tell(.notice(.sensorDisconnected, isOn: false)) }
  }

  func note(_ news: [SignalNotice]) { for notice in news { note(notice) } }

  func note(_ notice: SignalNotice) {
    switch notice {
    // A watch that began anew with another kind of sensor finds what the one before had found.
    case .began(let code): if told.insert(code).inserted { tell(.notice(code, isOn: true)) }
    case .ended(let code): if told.remove(code) != nil { tell(.notice(code, isOn: false)) }
    case .fault(let code): events.append(.fault(code))
    }
  }

  /// What around the stream matters.
  func look() {
    let now = moment
    if wearable.batteryCharge(context) != nil, let percent = wearable.live.battery {
      note(tap.watch.battery(percent))
    }
    note(tap.watch.clock(isSynchronised: loop.wallIsTrusted))
    note(tap.watch.adapter(context.radio.state.condition))
    if state == .processing { note(tap.watch.artefacts(instant.artefactShare, at: now)) }
    note(tap.watch.tick(at: now))
  }
}

extension RadioState {
  /// As far as a session needs it. A radio that starts is not told as a fault.
  fileprivate var condition: AdapterCondition {
    switch self {
    case .starting, .ready: .usable
    case .down(let reason): reason == .capabilityMissing ? .notAllowed : .off
    }
  }
}
