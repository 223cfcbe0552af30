// Interpretation of the button: from levels over time to three harmless actions.

public import EventLoop

/// Action requested with the button. No action loses data.
public enum ButtonAction: Sendable, Hashable {
  /// Short press: open the enrolment window.
  case openEnrolment
  /// Held for three seconds: identify this hub.
  case locate
  /// Held for ten: stop cleanly, so that the power may be cut.
  case stop
}

/// Push button. Pure: the caller passes levels and times, and `deadline` says when to call again.
///
/// A level counts once it has held for `debounce`: contacts bounce for some milliseconds, and a spark nearby is even
/// shorter. A button that is pressed at the start is ignored until it is released: an object leans on it, or it is
/// broken.
public struct ButtonMachine: Sendable {
  /// Time after which a level counts, 30 ms.
  public static let debounce: Duration = .milliseconds(30)
  /// Hold after which the hub is located, 3 s.
  public static let locateHold: Duration = .seconds(3)
  /// Hold after which the hub stops, 10 s.
  public static let stopHold: Duration = .seconds(10)

  /// Level last seen, and since when; not debounced.
  private var seen: (isDown: Bool, since: Instant)
  /// Debounced level.
  private var isDown: Bool
  /// Start of the current press; nil without one.
  private var pressedAt: Instant?
  /// Action of this press so far.
  private var given: ButtonAction?

  /// - Parameter isDown: level at the start.
  public init(isDown: Bool, at now: Instant) {
    seen = (isDown, now)
    self.isDown = isDown
  }

  /// Time when to call `advance` if no edge comes; nil: never.
  public var deadline: Instant? {
    if seen.isDown != isDown { return seen.since + Self.debounce }
    guard let pressedAt else { return nil }
    switch given {
    case nil: return pressedAt + Self.locateHold
    case .locate: return pressedAt + Self.stopHold
    case .openEnrolment, .stop: return nil
    }
  }

  /// Passes the level at `now`, changed or not. Times never go back. Returns the actions of the press so far, in order.
  ///
  /// Holding counts only while the button is seen pressed. If a late reading finds it released, its hold time is
  /// unknown, and a short press must never stop the hub.
  public mutating func advance(isDown level: Bool, at now: Instant) -> [ButtonAction] {
    var actions: [ButtonAction] = []
    believe(now, &actions)
    if level == seen.isDown {
      hold(now, &actions)
    } else {
      seen = (level, now)
    }
    return actions
  }

  /// Accepts a level that has held for `debounce`.
  private mutating func believe(_ now: Instant, _ actions: inout [ButtonAction]) {
    if seen.isDown == isDown || now - seen.since < Self.debounce { return }
    isDown = seen.isDown
    if isDown {
      (pressedAt, given) = (seen.since, nil)
    } else {
      if let pressedAt, given == nil {
        actions.append(seen.since - pressedAt < Self.locateHold ? .openEnrolment : .locate)
      }
      (pressedAt, given) = (nil, nil)
    }
  }

  private mutating func hold(_ now: Instant, _ actions: inout [ButtonAction]) {
    guard isDown, seen.isDown, let pressedAt else { return }
    if given == nil, now - pressedAt >= Self.locateHold {
      given = .locate
      actions.append(.locate)
    }
    if given == .locate, now - pressedAt >= Self.stopHold {
      given = .stop
      actions.append(.stop)
    }
  }
}
