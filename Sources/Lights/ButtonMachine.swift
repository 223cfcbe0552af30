// What the one button means: from levels in time to three harmless things.

public import EventLoop

/// What somebody asked for with the button. Nothing of it loses data.
public enum ButtonAction: Sendable, Hashable {
  /// Pressed and let go: open the enrolment window.
  case openEnrolment
  /// Held for three seconds: show which box this is.
  case locate
  /// Held for ten: stop cleanly, so that the power may be cut.
  case stop
}

/// A push button. Pure: it gets levels and times, and says when it wants to be asked again.
///
/// A level counts once it has held for `debounce`; contacts bounce for some milliseconds, and a spark nearby is shorter
/// still. A button that is down from the start is not listened to until it was up: something leans on it, or it is
/// broken.
public struct ButtonMachine: Sendable {
  public static let debounce: Duration = .milliseconds(30)
  public static let locateHold: Duration = .seconds(3)
  public static let stopHold: Duration = .seconds(10)

  /// As it was last seen, and since when; not yet believed.
  private var seen: (isDown: Bool, since: Instant)
  /// As it is believed to be.
  private var isDown: Bool
  /// When the press that counts began; nil while there is none.
  private var pressedAt: Instant?
  /// What this press has given so far.
  private var given: ButtonAction?

  /// - Parameter isDown: as it is found.
  public init(isDown: Bool, at now: Instant) {
    seen = (isDown, now)
    self.isDown = isDown
  }

  /// When `advance` has something to do, if nothing changes; nil: never.
  public var deadline: Instant? {
    if seen.isDown != isDown { return seen.since + Self.debounce }
    guard let pressedAt else { return nil }
    switch given {
    case nil: return pressedAt + Self.locateHold
    case .locate: return pressedAt + Self.stopHold
    case .openEnrolment, .stop: return nil
    }
  }

  /// The level at `now`, whether it changed or not. Times never go back. Gives what the press has come to mean, in
  /// order.
  ///
  /// Holding counts only while the button is seen down: after a late look at a button that is up, nobody knows how long
  /// it was held, and a short press must never stop the hub.
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

  /// Takes over a level that has held for long enough.
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
