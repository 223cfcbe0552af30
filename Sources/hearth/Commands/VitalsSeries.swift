// Several measurements of vital signs in one session: the running one, and the next request to the hub.

import HubProtocol

/// Follows the events of the session. Pure.
struct VitalsSeries {
  enum NextRequest {
    case none
    case start
    case end
  }

  /// Seconds for a further reading of a cuff, a scale or a thermometer: the longest possible measurement.
  static let byHand = 180

  private let count: Int
  /// Number of measurements with results.
  private(set) var done = 0
  /// True from the begin of a measurement until the session is ready for another one, or has lost its sensor.
  private(set) var isUnderWay = false
  private var hasResults = false
  private var isReady = false
  private var isEnded = false
  private var hasLeft = false
  /// The order of the session begins the first measurement.
  private var wasBegun = false

  init(_ count: Int) { self.count = count }

  /// Begins no further measurement.
  mutating func end() { isEnded = true }

  /// Notes that the session was ended.
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
        // A measurement without results ends all of them.
        if isUnderWay, !hasResults { isEnded = true }
        isUnderWay = false
      case .terminating?, .terminated?: hasLeft = true
      default: break
      }
    default: break
    }
  }

  var next: NextRequest {
    guard wasBegun, !isUnderWay, !hasLeft else { return .none }
    if isEnded || done >= count { return .end }
    return isReady ? .start : .none
  }
}
