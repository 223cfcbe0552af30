// The channels of attempts that were given up while their wearables were answering.

import Bluetooth
import EventLoop
import Glibc

/// Holds a channel that is being opened for a moment longer, and closes it when it is open.
///
/// close(2) sends LE Create Connection Cancel. If the controller has made the link in that moment, the kernel (seen
/// with 7.2) forgets the link and leaves it to the controller: nobody can end it any more, it is in no list, and the
/// wearable advertises no more until the adapter is reset. A channel that is open is closed without such a race.
@LoopActor
final class GivenUpChannels {
  /// The next advertisement of a wearable that was heard answers: most advertise once a second or more often. The
  /// kernel's command queue may stand still for so long.
  static let patience: Duration = .seconds(1)

  private struct Channel {
    let descriptor: Int32
    let watch: Watch
    let timer: LoopTimer
  }

  private let loop: EpollLoop
  private var channels: [BluetoothAddress: Channel] = [:]

  init(loop: EpollLoop) { self.loop = loop }

  /// Takes a descriptor over.
  func hold(_ descriptor: Int32, to peer: BluetoothAddress) {
    close(peer)
    let timer = loop.schedule(after: Self.patience) { [weak self] in self?.close(peer) }
    let watch = loop.watch(descriptor, for: .writable) { [weak self] _ in self?.close(peer) }
    channels[peer] = Channel(descriptor: descriptor, watch: watch, timer: timer)
  }

  /// Closes that of a wearable, where there is one: two channels to one are one too many.
  func close(_ peer: BluetoothAddress) {
    guard let channel = channels.removeValue(forKey: peer) else { return }
    loop.cancel(channel.timer)
    channel.watch.end()
    Glibc.close(channel.descriptor)
  }
}
