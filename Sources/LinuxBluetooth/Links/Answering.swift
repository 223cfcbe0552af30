// Is it the wearables that do not answer, or the controller?

import Bluetooth

/// Who was linked, and who of them no longer answers though it is heard.
struct Answering {
  /// Did not answer since the last link was made.
  private var unanswering: Set<BluetoothAddress> = []
  private var everLinked: Set<BluetoothAddress> = []

  /// So many wearables that were linked before, are heard and do not answer, with no link made between: the controller
  /// is suspected instead.
  private static let suspicious = 3
  private static let memoryLimit = 1024  // more than are enrolled

  mutating func linked(_ address: BluetoothAddress) {
    unanswering.removeAll()
    if everLinked.count < Self.memoryLimit { everLinked.insert(address) }
  }

  /// - Returns: whether the controller is suspected. Who never answered may be many, and each restart of the scan costs
  ///   all others.
  mutating func timedOut(_ address: BluetoothAddress) -> Bool {
    guard everLinked.remove(address) != nil else { return false }
    unanswering.insert(address)
    if unanswering.count < Self.suspicious { return false }
    unanswering.removeAll()
    return true
  }
}
