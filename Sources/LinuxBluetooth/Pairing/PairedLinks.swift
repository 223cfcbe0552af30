// Security state of links.

import Bluetooth
import EventLoop

struct PairedLinks {
  /// Random address under which a link was made, by the identity received in pairing.
  var randomAddresses: [BluetoothAddress: BluetoothAddress] = [:]
  /// Links that were encrypted: a later end of such a link does not concern its keys.
  var encrypted: Set<BluetoothAddress> = []
  /// Error of a link that is about to end because of it.
  var verdicts: [BluetoothAddress: LinkError] = [:]
  /// Links with a pairing question that have left no key so far.
  var unbonded: Set<BluetoothAddress> = []
  /// Links that ended a moment ago.
  var late: Set<BluetoothAddress> = []

  mutating func adapterGone() {
    randomAddresses = [:]
    encrypted = []
    unbonded = []
  }
}

/// Access of pairing to links and to the adapter.
struct PairingSurroundings {
  /// Returns the open link of this address.
  var bearer: @LoopActor (BluetoothAddress) -> (any RadioBearer)? = { _ in nil }
  /// Ends a link by its handle, if the controller accepts our commands.
  var hangUp: @LoopActor (UInt16) -> Void = { _ in }
  /// Whether a pairing that starts now makes a bond.
  var isBondable: @LoopActor () -> Bool = { false }
  /// Waits until the kernel has acknowledged that it bonds; false if it does not.
  var becomeBondable: @LoopActor () async -> Bool = { false }
  /// Called when the kernel's lists must be loaded again.
  var onKeysChanged: @LoopActor () -> Void = {}
}
