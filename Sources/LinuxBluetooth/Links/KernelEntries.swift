// Which wearables the kernel keeps connection parameters for, and how it is given them.

import Bluetooth
import EventLoop

/// As far as we made the kernel make them. Loads go one at a time: whoever calls sees to that.
@LoopActor
final class KernelEntries {
  /// The kernel must be done with one load of parameters before it is given the next (a race that only its newest
  /// versions close).
  static let pause: Duration = .milliseconds(50)

  private let loop: any Loop
  private let channel: ManagementChannel
  private var known: Set<BluetoothAddress> = []
  private var loadedAt: Instant?
  /// The adapter that serves; nil while none does.
  private(set) var index: UInt16?

  init(loop: any Loop, channel: ManagementChannel) {
    self.loop = loop
    self.channel = channel
  }

  /// Of another adapter the kernel has none.
  func serve(_ index: UInt16?) {
    self.index = index
    known = []
  }

  func forget() { known = [] }

  /// The kernel made one by itself.
  func note(_ address: BluetoothAddress) { known.insert(address) }

  func contains(_ address: BluetoothAddress) -> Bool { known.contains(address) }

  func load(_ wanted: ConnectionParameters, _ address: BluetoothAddress, limit: Duration)
    async throws(ManagementError)
  {
    if wanted.defect != nil { throw .refused(.invalidParameters) }
    if let loadedAt, loop.now < loadedAt + Self.pause { try? await loop.sleep(until: loadedAt + Self.pause) }
    guard let index, limit > .zero else { throw .channelClosed }
    defer { loadedAt = loop.now }
    try await channel.perform(.loadConnectionParameters(address, wanted), index: index, timeout: limit)
    // The kernel drops the entries of all others that it is not just connecting when it makes a new one.
    if !known.contains(address) { known = [address] }
  }
}
