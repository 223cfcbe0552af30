// What is known of the security of links.

import Bluetooth
import EventLoop

struct PairedLinks {
  /// The random address under which a link was made, by the identity that pairing gave it.
  var randomAddresses: [BluetoothAddress: BluetoothAddress] = [:]
  /// Links that were encrypted: what ends them later says nothing of their keys.
  var encrypted: Set<BluetoothAddress> = []
  /// What was found out about a link that is to end for it.
  var verdicts: [BluetoothAddress: LinkError] = [:]
  /// Links on which a pairing was asked about and has left no key so far.
  var unbonded: Set<BluetoothAddress> = []
  /// Links that just ended.
  var late: Set<BluetoothAddress> = []

  mutating func adapterGone() {
    randomAddresses = [:]
    encrypted = []
    unbonded = []
  }
}

/// What pairing needs of links and of the adapter.
struct PairingSurroundings {
  /// The open link of this address.
  var bearer: @LoopActor (BluetoothAddress) -> (any RadioBearer)? = { _ in nil }
  /// Ends a link by its handle, as far as the controller takes commands of ours.
  var hangUp: @LoopActor (UInt16) -> Void = { _ in }
  /// A pairing that begins now is a bond.
  var isBondable: @LoopActor () -> Bool = { false }
  /// Has the kernel acknowledge that it bonds; false: it does not.
  var becomeBondable: @LoopActor () async -> Bool = { false }
  /// The kernel's lists are to be loaded anew.
  var onKeysChanged: @LoopActor () -> Void = {}
}
