// Wearables for which the kernel stores connection parameters, and the command that loads them.

import Bluetooth
import EventLoop

/// Entries that this process made the kernel create. The caller must load one at a time.
@LoopActor
final class KernelEntries {
  /// Pause between two loads: the kernel must have finished one before the next (a race that only its newest versions
  /// close).
  static let pause: Duration = .milliseconds(50)

  private let loop: any Loop
  private let channel: ManagementChannel
  private var known: Set<BluetoothAddress> = []
  private var loadedAt: Instant?
  /// Index of the adapter in service; nil without one.
  private(set) var index: UInt16?

  init(loop: any Loop, channel: ManagementChannel) {
    self.loop = loop
    self.channel = channel
  }

  /// Sets the adapter in service. For another adapter the kernel has no entries.
  func serve(_ index: UInt16?) {
    self.index = index
    known = []
  }

  func forget() { known = [] }

  /// Notes an entry that the kernel created by itself.
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
    // When the kernel creates an entry, it drops the entries of all other wearables that are not being connected.
    if !known.contains(address) { known = [address] }
  }
}
