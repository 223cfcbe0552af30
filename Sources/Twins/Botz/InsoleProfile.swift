// Connection parameters of a simulated insole: the profile characteristic, and requests of the firmware itself.

import Bluetooth
import EventLoop
import Simulation

extension VirtualInsole {
  /// Requests fast parameters at the first frame, and normal ones after five seconds without a frame.
  func boost() {
    if !isBoosted {
      isBoosted = true
      request(ConnectionParameters(minimumInterval: 8, maximumInterval: 9, latency: 0, timeout: 42))
    }
    if let smpIdleTimer { world.loop.cancel(smpIdleTimer) }
    smpIdleTimer = world.loop.schedule(after: .seconds(5)) { [weak self] in
      guard let self else { return }
      smpIdleTimer = nil
      isBoosted = false
      request(.preferred)
    }
  }

  var isYoung: Bool { link.map { world.loop.now - $0.openedAt < traits.updateDelay } ?? false }

  /// Requests parameters now, or when the link is old enough; the last request wins.
  func request(_ parameters: ConnectionParameters) {
    if isYoung {
      hasDeferred = true
      deferredParameters = parameters
      return
    }
    noteProfile(
      "asks \(parameters.minimumInterval)...\(parameters.maximumInterval)/\(parameters.latency)/\(parameters.timeout)")
    link?.askForParameters(parameters) { [weak self] accepted in self?.noteProfile(accepted ? "agreed" : "rejected") }
  }

  func sendDeferred() {
    updateTimer = nil
    if !hasDeferred { return request(.preferred) }
    hasDeferred = false
    // The stack checks the parameters only now, and drops illegal ones silently.
    if let deferredParameters, deferredParameters.defect == nil || traits.idleProfile == .asDocumented {
      request(deferredParameters)
    }
  }

  /// Result of a write to the profile characteristic, as an ATT error; nil for success.
  func writeProfile(_ value: [UInt8]) -> UInt8? {
    guard value.count == 1 else { return 0x0D }
    noteProfile("profile \(value[0])")
    if value[0] == 2 { noteIdle() }
    let parameters: ConnectionParameters
    switch value[0] {
    case 0: parameters = .foreground
    case 1: parameters = .background
    case 2: parameters = .documentedIdle
    default: return 0x13
    }
    if !isYoung, parameters.defect != nil, traits.idleProfile == .asBuilt {
      idleRefused = true
      return 0x0E
    }
    if let handle = database.handle(.control(0x8B)) { server.setValue(value, at: handle) }
    request(parameters)
    return nil
  }
}

extension ConnectionParameters {
  /// Parameters that the firmware requests by itself, and publishes in its GAP service.
  static let preferred = ConnectionParameters(minimumInterval: 24, maximumInterval: 40, latency: 0, timeout: 42)
  /// The illegal parameters of the third profile.
  static let documentedIdle = ConnectionParameters(
    minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000)
}
