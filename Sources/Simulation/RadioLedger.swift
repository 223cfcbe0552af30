// What the virtual radio did, for the checkers.

public import Bluetooth
import EventLoop

/// The history of one radio, in numbers and in order.
public struct RadioLedger: Sendable {
  /// Every address to which a link was ever made, in order of the first link.
  public internal(set) var connectedEver: [BluetoothAddress] = []
  /// Every address a connect was asked for, in order of the first attempt.
  public internal(set) var attemptedEver: [BluetoothAddress] = []
  /// When each of them was last asked for.
  var lastAttempt: [BluetoothAddress: Instant] = [:]
  public internal(set) var attempts = 0
  /// The most that waited at one moment.
  public internal(set) var mostAttempts = 0
  public internal(set) var linksMade = 0
  /// The most links at one moment, lingering ones included.
  public internal(set) var mostLinks = 0
  /// How attempts failed, by error, in order of first occurrence.
  public internal(set) var failures: [(error: LinkError, count: Int)] = []
  /// The longest time without scanning while the adapter was up.
  public internal(set) var longestScanPause: Duration = .zero
  public internal(set) var scanPauses = 0
  public internal(set) var advertisements: UInt64 = 0
  /// Changes of parameters: asked for by the hub, by wearables, and of both those that were refused.
  public internal(set) var updatesAsked = 0
  public internal(set) var updatesAskedByWearables = 0
  public internal(set) var updatesRefused = 0
  public internal(set) var pairings = 0
  public internal(set) var pairingsFailed = 0
  public internal(set) var keysMissing = 0
  public internal(set) var hangs = 0
  public internal(set) var recoveries = 0

  mutating func note(failure error: LinkError) {
    if let index = failures.firstIndex(where: { $0.error == error }) {
      failures[index].count += 1
    } else {
      failures.append((error, 1))
    }
  }
}
