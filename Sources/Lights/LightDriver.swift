// Driver of the LEDs: from the state of the hub to levels on pins. Every edge comes from the loop, so a moving LED
// proves that the daemon lives.

public import EventLoop

/// Shows a state on the LEDs of a board.
///
/// A pattern completes its cycle before another replaces it. A code stays for at least 10 s; locating overrides both
/// and ends by itself. An axis without an LED of its own is shown by the board's first LED. A board with one LED shows
/// the axis with the lowest precedence number; if equal, HUB before LINK before STORE.
@LoopActor
public final class LightDriver {
  /// Time to walk from the terminal to the rack, 30 s.
  public nonisolated static let locateTime: Duration = .seconds(30)

  private let loop: any Loop
  private let pins: any LightPins
  private let language: LightLanguage
  private let players: [LEDPlayer]
  private var state: LightState?
  private var locateEnd: LoopTimer?
  private var isStopped = false
  /// Whether the LEDs are dimmed or off for the night; nil if no night is configured.
  public private(set) var night: NightState?

  /// Starts with all LEDs dark until the first `show`.
  public init(loop: any Loop, pins: any LightPins, language: LightLanguage) {
    self.loop = loop
    self.pins = pins
    self.language = language
    let own = Lamp.allCases.filter { pins.lamps.contains($0) }
    let orphans = Lamp.allCases.filter { !pins.lamps.contains($0) }
    players = own.map { lamp in
      let axes = lamp == own.first ? ([lamp] + orphans).sorted { $0.rawValue < $1.rawValue } : [lamp]
      return LEDPlayer(lamp, axes: axes, language: language, loop: loop) { pins.set(lamp, $0) }
    }
  }

  /// Meanings shown at this moment, one for each LED of the board, HUB first. A code still held counts.
  public var meanings: [LightMeaning] { players.map(\.shown) }

  /// The same, with codes marked as over if their reason no longer applies in `state`.
  public func meanings(by state: LightState) -> [LightMeaning] {
    let reasons = Set(arbitrate(state, language).compactMap(\.reason))
    return meanings.map { shown in
      var meaning = shown
      meaning.isOver = shown.reason.map { !reasons.contains($0) } ?? false
      return meaning
    }
  }

  /// Level of each LED at this moment.
  public var levels: [Lamp: Bool] {
    Dictionary(uniqueKeysWithValues: players.map { ($0.lamp, $0.level) })
  }

  /// Shows a state. Call it with every change, or as often as convenient: an equal state has no cost.
  public func show(_ state: LightState) {
    if isStopped || state == self.state { return }
    let wasLocating = self.state?.locate ?? false
    self.state = state
    if state.locate != wasLocating { locateChanged(state.locate) }
    update()
  }

  /// Signals the end of a visit: LINK dips.
  public func dip() { blink(.link) }

  /// Signals a durable commit: STORE winks.
  public func wink() { blink(.store) }

  /// Sets whether it is night. Dimming by fast switching would burden a loop that also serves wearables, so a board
  /// without a dimmer shows everything as by day.
  ///
  /// - Parameters:
  ///   - isNight: the LEDs are dimmed now; nil if no night is configured.
  ///   - isOff: the LEDs are off now, but for trouble, locating, enrolment, start and stop. Then no LED proves that the
  ///     hub lives, so a person must have asked for that.
  public func setNight(_ isNight: Bool?, isOff: Bool = false) {
    if isStopped { return }
    let dimming: NightState? = isNight.map { $0 ? pins.canDim ? .dimmed : .cannotDim : .day }
    let next = isOff ? .off : dimming
    if next == night { return }
    let dims = (before: night == .dimmed || night == .off, now: next == .dimmed || next == .off)
    if pins.canDim, dims.before != dims.now { pins.dim(dims.now) }
    night = next
    update()
  }

  /// Darkens all LEDs and releases the pins, which do not change afterwards.
  public func stop() {
    if isStopped { return }
    isStopped = true
    if let locateEnd { loop.cancel(locateEnd) }
    locateEnd = nil
    for player in players { player.stop() }
    pins.close()
  }

  private func update() {
    guard var state else { return }
    state.locate = locateEnd != nil
    let meanings = arbitrate(state, language)
    for player in players {
      let candidates = player.axes.map { meanings[$0.rawValue] }
      // `min` keeps the first of equals, and the axes are in the order of precedence.
      if let meaning = candidates.min(by: { $0.precedence < $1.precedence }) {
        player.want(night == .off ? meaning.atNight : meaning)
      }
    }
  }

  /// Starts or stops locating: it stops half a second before `locateTime`, which the last cycle of the chase needs to
  /// complete.
  private func locateChanged(_ on: Bool) {
    if let locateEnd { loop.cancel(locateEnd) }
    locateEnd = nil
    if !on { return }
    locateEnd = loop.schedule(after: Self.locateTime - .milliseconds(500)) {
      self.locateEnd = nil
      self.update()
    }
  }

  private func blink(_ axis: Lamp) {
    if isStopped || night == .off { return }
    for player in players where player.axes.contains(axis) && player.shown.lamp == axis { player.blink() }
  }
}
