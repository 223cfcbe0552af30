// Player of a single LED: plays the cycles of a pattern and changes to the next pattern only at the end of a cycle.

internal import EventLoop

/// Plays the pattern of one physical LED.
///
/// An LED that keeps its level has no timer, so an idle hub only wakes up for its heartbeat. A frame never ends early.
/// If the loop is late, everything after it is late: an LED may flash more slowly than its table, never faster.
@LoopActor
final class LEDPlayer {
  /// Time to look up at the hub and count twice: code 4 takes 4 s.
  static let codeHold: Duration = .seconds(10)

  let lamp: Lamp
  /// The axes that this LED shows, in order.
  let axes: [Lamp]
  /// Meaning shown now; it follows the wanted one at the end of the cycle.
  private(set) var shown: LightMeaning
  private(set) var level = false

  private var wanted: LightMeaning
  private let loop: any Loop
  private let output: @LoopActor (Bool) -> Void
  private var frames = [Frame(on: false, milliseconds: nil)]
  /// Start of the first cycle of the shown pattern.
  private var shownSince: Instant
  /// Time when a steady LED last changed its level; nil if it never did.
  private var stillSince: Instant?
  private var timer: LoopTimer?

  /// Starts dark.
  init(_ lamp: Lamp, axes: [Lamp], language: LightLanguage, loop: any Loop, output: @escaping @LoopActor (Bool) -> Void)
  {
    self.lamp = lamp
    self.axes = axes
    self.loop = loop
    self.output = output
    shown = LightMeaning(
      lamp: lamp, precedence: 9, pattern: .off, meaning: "not driven yet", reason: nil, language: language)
    wanted = shown
    shownSince = loop.now
    output(false)
  }

  private var isStill: Bool { frames.count == 1 }
  private var isSatisfied: Bool { wanted.pattern == shown.pattern && wanted.lamp == shown.lamp }

  /// Sets the wanted meaning. Locating starts at once: it cannot be mistaken for the rest of the pattern that it
  /// interrupts.
  func want(_ meaning: LightMeaning) {
    wanted = meaning
    if isSatisfied {
      shown = meaning
    } else if meaning.pattern == .locate {
      begin(meaning)
    } else if isStill, timer == nil {
      settle()
    }
  }

  /// Inverts a steady LED for 80 ms. Skipped while the LED is busy, or if the last one was less than a heartbeat ago.
  func blink() {
    guard isStill, timer == nil, isSatisfied, restEnds <= loop.now else { return }
    set(!level)
    after(Pattern.blinkMilliseconds) {
      self.set(!self.level)
      self.settle()
    }
  }

  /// Ends dark and never changes again.
  func stop() {
    cancel()
    frames = [Frame(on: false, milliseconds: nil)]
    set(false)
  }

  /// Earliest next change: a steady LED keeps its level for at least a heartbeat. So a flapping link or a store that
  /// commits without pause cannot make it flash at the rate of an alarm.
  private var restEnds: Instant {
    stillSince.map { $0 + .milliseconds(shown.language.heartbeatMilliseconds) } ?? loop.now
  }

  /// Changes a steady LED to the wanted meaning, if it has rested.
  private func settle() {
    if isSatisfied {
      shown = wanted
    } else if restEnds <= loop.now {
      begin(wanted)
    } else {
      timer = loop.schedule(at: restEnds) {
        self.timer = nil
        self.settle()
      }
    }
  }

  private func begin(_ meaning: LightMeaning) {
    cancel()
    shown = meaning
    shownSince = loop.now
    frames = meaning.pattern.frames(meaning.language, axes: axes)
    if case .code = meaning.pattern, level {
      // An LED that was on would hide the first flash: dark first, as between two counts.
      set(false)
      after(Pattern.codeGapMilliseconds) {
        self.shownSince = self.loop.now
        self.play(0)
      }
    } else {
      play(0)
    }
  }

  private func play(_ index: Int) {
    guard index < frames.count else { return endCycle() }
    set(frames[index].on)
    if let milliseconds = frames[index].milliseconds { after(milliseconds) { self.play(index + 1) } }
  }

  private func endCycle() {
    var held = false
    if case .code = shown.pattern { held = wanted.pattern != .locate && loop.now - shownSince < Self.codeHold }
    if isSatisfied || held { play(0) } else { begin(wanted) }
  }

  private func set(_ on: Bool) {
    if on == level { return }
    level = on
    if isStill { stillSince = loop.now }
    output(on)
  }

  private func after(_ milliseconds: Int, _ body: @escaping @LoopActor () -> Void) {
    timer = loop.schedule(after: .milliseconds(milliseconds)) {
      self.timer = nil
      body()
    }
  }

  private func cancel() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }
}
