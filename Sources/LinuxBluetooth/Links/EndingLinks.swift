// Links that the kernel was ordered to end and still has.

import Bluetooth
import EventLoop

/// Delays an attempt until the previous link is gone. A channel opened while the kernel still has that link uses it,
/// and ends with it a moment later.
@LoopActor
final class EndingLinks {
  /// A disconnection takes two connection events, and at most the supervision timeout of a fast link (4 s).
  private static let limit: Duration = .seconds(4)
  private static let look: Duration = .milliseconds(50)

  private let loop: any Loop
  private var links: Set<BluetoothAddress> = []

  init(loop: any Loop) { self.loop = loop }

  func began(_ address: BluetoothAddress) { links.insert(address) }
  func ended(_ address: BluetoothAddress) { links.remove(address) }
  /// Called when no adapter serves.
  func forget() { links = [] }

  /// Returns when the link to a wearable is gone, or waiting for that has no use.
  func wait(for address: BluetoothAddress, until deadline: Instant) async {
    let end = min(deadline, loop.now + Self.limit)
    while links.contains(address), loop.now < end {
      if (try? await loop.sleep(for: Self.look)) == nil { return }
    }
    links.remove(address)
  }
}
