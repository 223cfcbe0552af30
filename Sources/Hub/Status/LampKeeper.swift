// The lamps as the hub keeps them: what they were told, and when time alone makes it another.

import EventLoop
import Lights

/// Tells the lamps what they may know, where there are any.
@LoopActor
final class LampKeeper {
  private let context: HubContext
  private let lights: LightDriver?
  /// What was told last.
  private var shown: LightState?
  private var timer: LoopTimer?
  /// Who is heard no more is away, and an old reading says nothing of now: nobody tells, time does. With the 10 s for
  /// which a lamp holds a code, and the 4 s of the longest cycle, a lamp is at most 19 s behind.
  private static let period: Duration = .seconds(5)

  init(_ context: HubContext, _ lights: LightDriver?) {
    self.context = context
    self.lights = lights
  }

  /// The lamps change only if the state did.
  func show(_ state: LightState) {
    shown = state
    lights?.show(state)
  }

  /// Looks again and again whether time alone has changed the state; where it has, everybody is told.
  func start(_ state: @escaping @LoopActor () -> LightState?) {
    timer = context.loop.schedule(after: Self.period) { [weak self] in
      guard let self else { return }
      if state() != shown { context.changes.raise(.shown) }
      start(state)
    }
  }

  /// A visit did what it was for.
  func dip() { lights?.dip() }

  /// What was pending is durable.
  func wink() { lights?.wink() }

  func stop() {
    if let timer { context.loop.cancel(timer) }
    timer = nil
    lights?.stop()
  }
}
