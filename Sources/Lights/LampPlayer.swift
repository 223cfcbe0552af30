// One lamp in time: plays the cycles of a pattern and changes to the next pattern only where a cycle ends.

internal import EventLoop

/// Plays what one physical lamp says.
///
/// A lamp that holds its level has no timer, so an idle hub wakes up for its heartbeat alone. A frame never ends early:
/// when the loop is late, everything after it is late, and a lamp can flash slower than its table but never faster.
@LoopActor
final class LampPlayer {
  /// Long enough to look up at the box and count twice: code 4 takes 4 s.
  static let codeHold: Duration = .seconds(10)

  let lamp: Lamp
  /// The axes this lamp stands for, in order.
  let axes: [Lamp]
  /// What the lamp says now; lags behind what was asked until the cycle ends.
  private(set) var shown: LightMeaning
  private(set) var level = false

  private var wanted: LightMeaning
  private let loop: any Loop
  private let output: @LoopActor (Bool) -> Void
  private var frames = [Frame(on: false, milliseconds: nil)]
  /// When the first cycle of what is shown began.
  private var shownSince: Instant
  /// When a still lamp last changed its level; nil if it never did.
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

  /// Asks for a meaning. Locating starts at once, since nobody can mistake it for the rest of the pattern it cuts.
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

  /// Inverts a still lamp for 80 ms. Left out while the lamp is busy, and more often than a heartbeat.
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

  /// A still lamp keeps its level for as long as a heartbeat takes, so that a link that flaps or a store that commits
  /// without pause cannot make it flash at the rate of an alarm.
  private var restEnds: Instant {
    stillSince.map { $0 + .milliseconds(shown.language.heartbeatMilliseconds) } ?? loop.now
  }

  /// Moves a still lamp on to what is wanted, when it has rested.
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
      // A lamp that was on would swallow the first flash: dark first, as between two counts.
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
