// Adapter in service, and the last settings that the kernel reported for it.

import Bluetooth
import EventLoop

@LoopActor
final class ServedAdapter {
  /// The adapter in service, or the last one in service.
  private(set) var identity: AdapterIdentity?
  /// Last settings that the kernel reported for `identity`.
  private(set) var settings: AdapterSettings = []
  private(set) var state = RadioState.starting
  var onStateChange: (@LoopActor (RadioState) -> Void)?

  init() {}

  /// Index of the adapter while it serves.
  var readyIndex: UInt16? { state == .ready ? identity?.index : nil }

  func choose(_ chosen: AdapterIdentity) { identity = chosen }
  func note(_ new: AdapterSettings) { settings = new }

  func change(to new: RadioState) {
    if new == state { return }
    state = new
    onStateChange?(new)
  }
}
