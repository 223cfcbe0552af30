// Timing of live values: they are published as soon as those of one moment have all arrived, not at a fixed second.

import EventLoop

/// The daemon sends values once a second, many in one moment.
@LoopActor
final class LiveTurn {
  /// Time within which those of one moment arrive.
  private static let moment: Duration = .milliseconds(20)
  /// Shortest time between two publications, whatever the daemon sends.
  private static let pause: Duration = .milliseconds(900)

  private let loop: any Loop
  private let say: @LoopActor () -> Void
  private var timer: LoopTimer?
  private var last: Instant?

  init(_ loop: any Loop, _ say: @escaping @LoopActor () -> Void) { (self.loop, self.say) = (loop, say) }

  /// Called for each value.
  func came() {
    if timer != nil { return }
    let rest = last.map { $0 + Self.pause - loop.now } ?? .zero
    timer = loop.schedule(after: max(Self.moment, rest)) { [weak self] in
      guard let self else { return }
      (timer, last) = (nil, loop.now)
      say()
    }
  }
}
