// Writes to one service of a wearable that it wants with a pause between them, whoever makes them.

import Bluetooth
import EventLoop
import Wearable

/// One writer at a time, and none before the pause since the last is over. Lives as long as a link; what was written
/// over the one before is as far away as the
/// link's begin.
@LoopActor
final class PaceGate {
  private let handles: ClosedRange<UInt16>
  private let pause: Duration
  /// The next write goes from then on.
  private(set) var opensAt: Instant
  private var isTaken = false
  private var waiting: [LinkWaiter] = []

  /// - Parameter began: when the link did.
  init(_ handles: ClosedRange<UInt16>, pause: Duration, began: Instant) {
    self.handles = handles
    self.pause = pause
    opensAt = began + pause
  }

  func covers(_ characteristic: GATTCharacteristic) -> Bool { handles.contains(characteristic.valueHandle) }

  /// False while somebody else has it: then `waiter` is woken when it is free.
  func take(_ waiter: LinkWaiter) -> Bool {
    if isTaken {
      waiting.append(waiter)
      return false
    }
    isTaken = true
    return true
  }

  /// In the order in which they came; who waits no more does no harm.
  func give(at now: Instant) {
    isTaken = false
    opensAt = now + pause
    let all = waiting
    waiting = []
    for waiter in all { waiter.wake(nil) }
  }
}
