// Patterns of the LEDs, as times.

/// The three axes of the light language, in order of precedence.
public enum Lamp: Int, CaseIterable, Sendable, Hashable {
  /// Green: the hub itself.
  case hub
  /// Blue: the wearables.
  case link
  /// White: the store.
  case store

  /// Label printed beside the LED.
  public var name: String {
    switch self {
    case .hub: "HUB"
    case .link: "LINK"
    case .store: "STORE"
    }
  }

  /// Colour of the LED.
  public var colour: String {
    switch self {
    case .hub: "green"
    case .link: "blue"
    case .store: "white"
    }
  }
}

/// Site of the hub, which decides how its lights may flash.
///
/// On a ward a light must never be mistaken for a medical alarm. IEC 60601-1-8 gives high-priority alarms 1.4 to 2.8
/// flashes a second and medium-priority alarms 0.4 to 0.8. The ward language keeps every repeated flash outside both
/// bands. Only the flashes inside a counted code (2 Hz, at most four of them, then 2 s of dark) are faster. Neither
/// language flashes an LED more than three times a second, the limit for people with photosensitive epilepsy.
public enum LightLanguage: String, Sendable, CaseIterable {
  case gym, ward

  /// Period of a heartbeat: 0.5 Hz in a gym; 0.33 Hz on a ward, below the medium-priority band.
  var heartbeatMilliseconds: Int { self == .gym ? 2000 : 3000 }
}

/// Level of an LED and its duration.
public struct Frame: Sendable, Equatable {
  /// True: the LED is on.
  public var on: Bool
  /// nil: until the next change.
  public var milliseconds: Int?

  /// A level; `milliseconds` nil: without end.
  public init(on: Bool, milliseconds: Int?) {
    self.on = on
    self.milliseconds = milliseconds
  }
}

/// Repeated sequence of levels.
public enum Pattern: Sendable, Equatable {
  /// Idle: this axis has no message.
  case off
  /// A short flash: alive and well.
  case heartbeat
  /// Light on: good, in use. The end of an action shows as a short dip.
  case steady
  /// Light on with a short pause: a person should look at it when convenient.
  case calm
  /// Work in progress, or waiting for a person.
  case slow
  /// `N` flashes, then dark: a fault number to count and to report over the phone. 1 to 9.
  case code(Int)
  /// The three LEDs one after another: identifies this hub.
  case locate
  /// Dark with a short flash at the end of an action. An event, not a state: the arbiter returns `off`, the driver adds
  /// the flash.
  case wink
  /// Constantly on or off: a dead daemon no longer drives the LED. The arbiter never returns it.
  case frozen

  /// Name in texts.
  public var name: String {
    switch self {
    case .off: "off"
    case .heartbeat: "heartbeat"
    case .steady: "steady"
    case .calm: "calm"
    case .slow: "slow"
    case .code(let count): "code \(count)"
    case .locate: "locate"
    case .wink: "wink"
    case .frozen: "frozen"
    }
  }

  /// Frames of one cycle, on an LED that shows `axes`. On a board with three LEDs that is a single axis, on a board
  /// with one it is all axes.
  ///
  /// A steady pattern is a single frame without end. Every other pattern ends dark, so that the next one starts clean.
  /// There is one exception. An LED that shows the hub and another axis must move while all is well, or it would look
  /// like a dead daemon. There `steady` blinks off when a heartbeat would blink on.
  public func frames(_ language: LightLanguage, axes: [Lamp] = [.hub]) -> [Frame] {
    switch self {
    case .off, .wink, .frozen:
      return [Frame(on: false, milliseconds: nil)]
    case .steady:
      if axes.count < 2 || !axes.contains(.hub) { return [Frame(on: true, milliseconds: nil)] }
      return Pattern.heartbeat.frames(language).map { Frame(on: !$0.on, milliseconds: $0.milliseconds) }
    case .heartbeat:
      return Self.flash(100, of: language.heartbeatMilliseconds)
    case .calm:
      return Self.flash(Self.calmOnMilliseconds, of: Self.calmCycleMilliseconds)
    case .slow:
      return language == .gym ? Self.flash(1000, of: 2000) : Self.flash(200, of: 3000)
    case .code(let count):
      guard (1...9).contains(count) else { fatalError("a code is a number from 1 to 9") }
      var frames = Array(
        repeatElement(Self.flash(Self.codeOnMilliseconds, of: Self.codeCycleMilliseconds), count: count).joined())
      frames[frames.count - 1].milliseconds =
        Self.codeCycleMilliseconds - Self.codeOnMilliseconds + Self.codeGapMilliseconds
      return frames
    case .locate:
      return Self.chase(axes)
    }
  }

  /// Short enough to be distinguished from long, long enough to be counted: two flashes a second.
  static let codeOnMilliseconds = 150
  static let codeCycleMilliseconds = 500
  /// Dark between two counts.
  static let codeGapMilliseconds = 2000
  /// Four seconds: 0.25 Hz, slower than every alarm and than a heartbeat, and no longer than the longest count. Three
  /// of them are lit, so that the pause distinguishes it from `steady` and is too long for a dip.
  static let calmOnMilliseconds = 3000
  static let calmCycleMilliseconds = 4000
  /// Length of a dip or a wink: about twice the shortest flash visible beside a lit LED.
  static let blinkMilliseconds = 80

  private static let chaseSlotMilliseconds = 100
  private static let chaseCycleMilliseconds = 1000

  private static func flash(_ on: Int, of cycle: Int) -> [Frame] {
    [Frame(on: true, milliseconds: on), Frame(on: false, milliseconds: cycle - on)]
  }

  /// Each axis has 100 ms in a cycle of one second. So an LED flashes at 1 Hz, between the alarm bands, and the three
  /// together three times a second. The slots are in the middle, so that it is dark before and after the chase,
  /// whatever pattern precedes or follows.
  private static func chase(_ axes: [Lamp]) -> [Frame] {
    let slots = axes.map(\.rawValue)
    guard let first = slots.min(), let last = slots.max() else { return [Frame(on: false, milliseconds: nil)] }
    let lead = (chaseCycleMilliseconds - Lamp.allCases.count * chaseSlotMilliseconds) / 2
    let before = lead + first * chaseSlotMilliseconds
    let on = (last - first + 1) * chaseSlotMilliseconds
    return [
      Frame(on: false, milliseconds: before), Frame(on: true, milliseconds: on),
      Frame(on: false, milliseconds: chaseCycleMilliseconds - before - on),
    ]
  }
}
