// The LEDs as the hub sees them: the state that they show, and changes by the passing of time.

import EventLoop
import Lights

/// Passes the state to the LEDs, if there are any.
@LoopActor
final class LEDKeeper {
  private let context: HubContext
  private let lights: LightDriver?
  /// The last state that was passed.
  private var shown: LightState?
  private var timer: LoopTimer?
  /// Interval of looking for changes by time alone, such as an absence or an old reading. An LED holds a code for 10 s,
  /// and the longest cycle takes 4 s. So an LED is at most 19 s behind.
  private static let period: Duration = .seconds(5)

  init(_ context: HubContext, _ lights: LightDriver?) {
    self.context = context
    self.lights = lights
  }

  /// The LEDs change only if the state did.
  func show(_ state: LightState) {
    shown = state
    lights?.show(state)
  }

  /// Starts checking whether time alone has changed the state; a change is reported to all listeners.
  func start(_ state: @escaping @LoopActor () -> LightState?) {
    timer = context.loop.schedule(after: Self.period) { [weak self] in
      guard let self else { return }
      if state() != shown { context.changes.raise(.shown) }
      start(state)
    }
  }

  /// Shows that a visit reached its purpose.
  func dip() { lights?.dip() }

  /// Shows that pending samples are durable.
  func wink() { lights?.wink() }

  func stop() {
    if let timer { context.loop.cancel(timer) }
    timer = nil
    lights?.stop()
  }
}
