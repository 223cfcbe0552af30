// What a lamp can say: the alphabet of the lights, as times.

/// The three axes of the light language, in the order in which ties are settled.
public enum Lamp: Int, CaseIterable, Sendable, Hashable {
  /// Green: the hub itself.
  case hub
  /// Blue: the wearables.
  case link
  /// White: the store.
  case store

  /// As printed beside the lamp.
  public var name: String {
    switch self {
    case .hub: "HUB"
    case .link: "LINK"
    case .store: "STORE"
    }
  }

  public var colour: String {
    switch self {
    case .hub: "green"
    case .link: "blue"
    case .store: "white"
    }
  }
}

/// Where the hub stands decides how its lights may move.
///
/// On a ward a light must never be taken for a medical alarm. IEC 60601-1-8 gives high-priority alarms 1.4 to 2.8
/// flashes a second and medium-priority alarms 0.4 to 0.8; the ward language keeps every repeated flash outside both
/// bands. Only the flashes inside a counted code (2 Hz, at most four of them, then 2 s of dark) are faster. Neither
/// language flashes a lamp more than three times a second, the limit for people with photosensitive epilepsy.
public enum LightLanguage: String, Sendable, CaseIterable {
  case gym, ward

  /// One heartbeat: 0.5 Hz in a gym; 0.33 Hz on a ward, below the medium-priority band.
  var heartbeatMilliseconds: Int { self == .gym ? 2000 : 3000 }
}

/// One level of a lamp and how long it holds.
public struct Frame: Sendable, Equatable {
  public var on: Bool
  /// nil: until something changes.
  public var milliseconds: Int?

  public init(on: Bool, milliseconds: Int?) {
    self.on = on
    self.milliseconds = milliseconds
  }
}

/// A repeated sequence of levels.
public enum Pattern: Sendable, Equatable {
  /// Nothing to say on this axis.
  case off
  /// A short flash: alive and well.
  case heartbeat
  /// On: good, in use. Something that finishes shows as a short dip.
  case steady
  /// On with a short pause: something was noticed that a person may look at, whenever they pass.
  case calm
  /// Working on it, or waiting for a person.
  case slow
  /// `N` flashes, then dark: which trouble, to be counted and read out over the phone. 1 to 9.
  case code(Int)
  /// The three lamps one after another: this box.
  case locate
  /// Dark with a short flash for each thing that finishes. An event, not a state: the arbiter gives `off`, the driver
  /// adds the flash.
  case wink
  /// On or off without ever changing: nobody drives the lamp. What a dead daemon leaves behind; the arbiter never gives
  /// it.
  case frozen

  /// As people call it.
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

  /// One cycle, on a lamp that stands for `axes`: one of them on a board with three lamps, all of them on a board with
  /// one.
  ///
  /// A still pattern is one frame without an end. Every other pattern ends dark, so that the next one starts clean,
  /// except one: a lamp that stands for the hub and another axis must move while all is well, or it would look like a
  /// dead daemon; there `steady` blinks off where a heartbeat would blink on.
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

  /// Short enough to be told from long, long enough to be counted: two flashes a second.
  static let codeOnMilliseconds = 150
  static let codeCycleMilliseconds = 500
  /// Dark between two counts.
  static let codeGapMilliseconds = 2000
  /// Four seconds: 0.25 Hz, slower than every alarm and than a heartbeat, and no longer than the longest count. Of them
  /// three are lit, so that it is told from `steady` by a pause that nobody takes for a dip.
  static let calmOnMilliseconds = 3000
  static let calmCycleMilliseconds = 4000
  /// A dip or a wink: about twice the shortest flash an eye notices beside a lamp that is on.
  static let blinkMilliseconds = 80

  private static let chaseSlotMilliseconds = 100
  private static let chaseCycleMilliseconds = 1000

  private static func flash(_ on: Int, of cycle: Int) -> [Frame] {
    [Frame(on: true, milliseconds: on), Frame(on: false, milliseconds: cycle - on)]
  }

  /// Each axis has its 100 ms in a cycle of one second: a lamp flashes at 1 Hz, between the alarm bands, and the three
  /// together three times a second. The slots stand in the middle, so that it is dark before and after, however a lamp
  /// comes to the chase or leaves it.
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
