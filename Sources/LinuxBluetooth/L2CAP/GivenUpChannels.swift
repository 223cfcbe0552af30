// Channels of aborted attempts that may be about to open.

import Bluetooth
import EventLoop
import Glibc

/// Keeps a channel that is being opened for a moment longer, and closes it when it is open.
///
/// close(2) sends LE Create Connection Cancel. If the controller makes the link in that moment, the kernel (seen with
/// 7.2) forgets the link and leaves it to the controller. It is then in no list, no process can end it, and the
/// wearable stops advertising until the adapter is reset. Closing an open channel has no such race.
@LoopActor
final class GivenUpChannels {
  /// A wearable that was heard responds at its next advertisement: most advertise once a second or more often. The
  /// kernel's command queue may be blocked for this long.
  static let patience: Duration = .seconds(1)

  private struct Channel {
    let descriptor: Int32
    let watch: Watch
    let timer: LoopTimer
  }

  private let loop: EpollLoop
  private var channels: [BluetoothAddress: Channel] = [:]

  init(loop: EpollLoop) { self.loop = loop }

  /// Takes over a descriptor.
  func hold(_ descriptor: Int32, to peer: BluetoothAddress) {
    close(peer)
    let timer = loop.schedule(after: Self.patience) { [weak self] in self?.close(peer) }
    let watch = loop.watch(descriptor, for: .writable) { [weak self] _ in self?.close(peer) }
    channels[peer] = Channel(descriptor: descriptor, watch: watch, timer: timer)
  }

  /// Closes the channel of a wearable, if there is one, so that a wearable never has two.
  func close(_ peer: BluetoothAddress) {
    guard let channel = channels.removeValue(forKey: peer) else { return }
    loop.cancel(channel.timer)
    channel.watch.end()
    Glibc.close(channel.descriptor)
  }
}
