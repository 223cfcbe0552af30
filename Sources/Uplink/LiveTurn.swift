// When live values are said: once those of a moment are all here, and not at a second of this program's own.

import EventLoop

/// The daemon sends values once a second, many in one moment.
@LoopActor
final class LiveTurn {
  /// Those of one moment are here within it.
  private static let moment: Duration = .milliseconds(20)
  /// A daemon that sends oftener is not followed.
  private static let pause: Duration = .milliseconds(900)

  private let loop: any Loop
  private let say: @LoopActor () -> Void
  private var timer: LoopTimer?
  private var last: Instant?

  init(_ loop: any Loop, _ say: @escaping @LoopActor () -> Void) { (self.loop, self.say) = (loop, say) }

  /// A value came.
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
