// The pace of writes to one service of a wearable that requires a pause between them, for all writers.

import Bluetooth
import EventLoop
import Wearable

/// A lock for one writer at a time, which opens when the pause after the last write is over. Lives as long as a link:
/// the pause after the last write of an earlier link counts from the link's start.
@LoopActor
final class PaceGate {
  private let handles: ClosedRange<UInt16>
  private let pause: Duration
  /// Time from which on the next write is allowed.
  private(set) var opensAt: Instant
  private var isTaken = false
  private var waiting: [LinkWaiter] = []

  /// - Parameter began: start of the link.
  init(_ handles: ClosedRange<UInt16>, pause: Duration, began: Instant) {
    self.handles = handles
    self.pause = pause
    opensAt = began + pause
  }

  func covers(_ characteristic: GATTCharacteristic) -> Bool { handles.contains(characteristic.valueHandle) }

  /// False while another writer has it: then `waiter` is resumed when it is free.
  func take(_ waiter: LinkWaiter) -> Bool {
    if isTaken {
      waiting.append(waiter)
      return false
    }
    isTaken = true
    return true
  }

  /// Resumes waiters in the order of their requests; a waiter that gave up does no harm.
  func give(at now: Instant) {
    isTaken = false
    opensAt = now + pause
    let all = waiting
    waiting = []
    for waiter in all { waiter.wake(nil) }
  }
}
