// Several measurements of vital signs in one session: which one runs, and what the hub is asked next.

import HubProtocol

/// Follows the news of the session. Pure.
struct VitalsSeries {
  enum Next {
    case none
    case start
    case end
  }

  /// s that a cuff, a scale or a thermometer has for a further reading: the longest measurement there is.
  static let byHand = 180

  private let count: Int
  /// Measurements with results.
  private(set) var done = 0
  /// From its begin until the session is ready for another one, or has lost its sensor.
  private(set) var isUnderWay = false
  private var hasResults = false
  private var isReady = false
  private var isEnded = false
  private var hasLeft = false
  /// The first one is begun by its order.
  private var wasBegun = false

  init(_ count: Int) { self.count = count }

  /// No further measurement is begun.
  mutating func end() { isEnded = true }

  /// The session was told to end.
  mutating func leave() { hasLeft = true }

  mutating func take(_ reply: Methods.MeasureVitals.Reply) {
    switch reply.event {
    case "results":
      done += 1
      hasResults = true
    case "state":
      let state = reply.state?.state
      isReady = state == .ready
      switch state {
      case .starting?: (isUnderWay, wasBegun, hasResults) = (true, true, false)
      case .ready?, .initializing?:
        // One without results ends them all.
        if isUnderWay, !hasResults { isEnded = true }
        isUnderWay = false
      case .terminating?, .terminated?: hasLeft = true
      default: break
      }
    default: break
    }
  }

  var next: Next {
    guard wasBegun, !isUnderWay, !hasLeft else { return .none }
    if isEnded || done >= count { return .end }
    return isReady ? .start : .none
  }
}
