// Conditions of a measurement: notices from signal, battery, clock and adapter, and the errors that end it.

import Bluetooth
import EventLoop
import Vitals

extension VitalsRun {
  func streams(at moment: SessionMoment) {
    isStreaming = true
    if !tap.sensor.isSpot { tap.watch.streamBegan(at: moment) }
    // The sensor is connected again.
    if code == .sensorDisconnected { tell(.notice(.sensorDisconnected, isOn: false)) }
  }

  func note(_ news: [SignalNotice]) { for notice in news { note(notice) } }

  func note(_ notice: SignalNotice) {
    switch notice {
    // After a change of the sensor's kind, a new watch finds the same conditions again.
    case .began(let code): if told.insert(code).inserted { tell(.notice(code, isOn: true)) }
    case .ended(let code): if told.remove(code) != nil { tell(.notice(code, isOn: false)) }
    case .fault(let code): events.append(.fault(code))
    }
  }

  /// Checks the conditions other than the stream.
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
  /// The adapter's condition as a session needs it. A radio that starts is not reported as a fault.
  fileprivate var condition: AdapterCondition {
    switch self {
    case .starting, .ready: .usable
    case .down(let reason): reason == .capabilityMissing ? .notAllowed : .off
    }
  }
}
