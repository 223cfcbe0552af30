// Record of the virtual radio's actions, for the checkers.

public import Bluetooth
import EventLoop

/// History of one radio, in numbers and in order.
public struct RadioLedger: Sendable {
  /// Every address with a link, in order of the first link.
  public internal(set) var connectedEver: [BluetoothAddress] = []
  /// Every address with a connect request, in order of the first attempt.
  public internal(set) var attemptedEver: [BluetoothAddress] = []
  /// Time of the last request for each of them.
  var lastAttempt: [BluetoothAddress: Instant] = [:]
  /// Attempts to connect.
  public internal(set) var attempts = 0
  /// The most attempts that waited at one moment.
  public internal(set) var mostAttempts = 0
  /// Links that were made.
  public internal(set) var linksMade = 0
  /// The most links at one moment, lingering ones included.
  public internal(set) var mostLinks = 0
  /// Failures of attempts, by error, in order of first occurrence.
  public internal(set) var failures: [(error: LinkError, count: Int)] = []
  /// The longest time without scanning while the adapter was up.
  public internal(set) var longestScanPause: Duration = .zero
  /// Pauses of the scan for attempts.
  public internal(set) var scanPauses = 0
  /// Advertisements received.
  public internal(set) var advertisements: UInt64 = 0
  /// Changes of parameters: requested by the hub, by wearables, and the refused ones of both.
  public internal(set) var updatesAsked = 0
  /// Parameter updates that wearables requested.
  public internal(set) var updatesAskedByWearables = 0
  /// Parameter updates that were refused.
  public internal(set) var updatesRefused = 0
  /// Pairings that succeeded.
  public internal(set) var pairings = 0
  /// Pairings that failed.
  public internal(set) var pairingsFailed = 0
  /// Encryptions that failed because the wearable had lost its key.
  public internal(set) var keysMissing = 0
  /// Times that the controller hung.
  public internal(set) var hangs = 0
  /// Recoveries of the radio.
  public internal(set) var recoveries = 0

  mutating func note(failure error: LinkError) {
    if let index = failures.firstIndex(where: { $0.error == error }) {
      failures[index].count += 1
    } else {
      failures.append((error, 1))
    }
  }
}
