// From the state of the hub to levels on pins, in time. Every edge comes from the loop: lamps that move prove that the
// daemon lives.

public import EventLoop

/// Shows a state on the lamps of a board.
///
/// A pattern completes its cycle before another takes its place; a code stays for at least 10 s; locating overrides
/// both and ends by itself. An axis without a lamp of its own is shown by the board's first lamp: a board with one lamp
/// shows whichever axis has the lowest precedence number, and HUB before LINK before STORE when they are equal.
@LoopActor
public final class LightDriver {
  /// Time to walk from the terminal to the rack.
  public nonisolated static let locateTime: Duration = .seconds(30)

  private let loop: any Loop
  private let pins: any LightPins
  private let language: LightLanguage
  private let players: [LampPlayer]
  private var state: LightState?
  private var locateEnd: LoopTimer?
  private var isStopped = false
  /// Whether the lamps are dimmed for the night; nil where no night is configured.
  public private(set) var night: NightState?

  /// All lamps are dark until the first `show`.
  public init(loop: any Loop, pins: any LightPins, language: LightLanguage) {
    self.loop = loop
    self.pins = pins
    self.language = language
    let own = Lamp.allCases.filter { pins.lamps.contains($0) }
    let orphans = Lamp.allCases.filter { !pins.lamps.contains($0) }
    players = own.map { lamp in
      let axes = lamp == own.first ? ([lamp] + orphans).sorted { $0.rawValue < $1.rawValue } : [lamp]
      return LampPlayer(lamp, axes: axes, language: language, loop: loop) { pins.set(lamp, $0) }
    }
  }

  /// What the lamps say at this moment, one for each lamp of the board, HUB first. A code that is being held still
  /// counts.
  public var meanings: [LightMeaning] { players.map(\.shown) }

  /// The same, with codes whose reason is over by `state` told apart.
  public func meanings(by state: LightState) -> [LightMeaning] {
    let reasons = Set(arbitrate(state, language).compactMap(\.reason))
    return meanings.map { shown in
      var meaning = shown
      meaning.isOver = shown.reason.map { !reasons.contains($0) } ?? false
      return meaning
    }
  }

  /// The level of each lamp at this moment.
  public var levels: [Lamp: Bool] {
    Dictionary(uniqueKeysWithValues: players.map { ($0.lamp, $0.level) })
  }

  /// Call it with every change of state, or as often as is convenient: an equal state costs nothing.
  public func show(_ state: LightState) {
    if isStopped || state == self.state { return }
    let wasLocating = self.state?.locate ?? false
    self.state = state
    if state.locate != wasLocating { locateChanged(state.locate) }
    update()
  }

  /// A visit finished: LINK dips.
  public func dip() { blink(.link) }

  /// A commit is durable: STORE winks.
  public func wink() { blink(.store) }

  /// It is night, or no longer; nil where no night is configured. A board without a dimmer shows everything as by day:
  /// a lamp that must move to prove that the hub lives cannot be switched off, and faster switching than the eye sees
  /// is no work for a loop that also listens to wearables.
  public func setNight(_ isNight: Bool?) {
    if isStopped { return }
    let next: NightState? = isNight.map { $0 ? pins.canDim ? .dimmed : .cannotDim : .day }
    if next == night { return }
    if pins.canDim, (next == .dimmed) != (night == .dimmed) { pins.dim(next == .dimmed) }
    night = next
  }

  /// Darkens all lamps and gives the pins back. Nothing moves after it.
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
      // `min` keeps the first of equals, and the axes are in the order that settles ties.
      if let meaning = candidates.min(by: { $0.precedence < $1.precedence }) { player.want(meaning) }
    }
  }

  /// Half a second is left to the last cycle of the chase, which always completes.
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
    if isStopped { return }
    for player in players where player.axes.contains(axis) && player.shown.lamp == axis { player.blink() }
  }
}
