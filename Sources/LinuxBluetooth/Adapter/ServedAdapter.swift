// Which adapter serves, and what the kernel said about it last.

import Bluetooth
import EventLoop

@LoopActor
final class ServedAdapter {
  /// The adapter that serves, or served last.
  private(set) var identity: AdapterIdentity?
  /// As the kernel said last, of `identity`.
  private(set) var settings: AdapterSettings = []
  private(set) var state = RadioState.starting
  var onStateChange: (@LoopActor (RadioState) -> Void)?

  init() {}

  /// The number of the adapter while it serves.
  var readyIndex: UInt16? { state == .ready ? identity?.index : nil }

  func choose(_ chosen: AdapterIdentity) { identity = chosen }
  func note(_ new: AdapterSettings) { settings = new }

  func change(to new: RadioState) {
    if new == state { return }
    state = new
    onStateChange?(new)
  }
}
