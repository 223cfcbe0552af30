// ATT channel over a descriptor that the caller connected.

package import Bluetooth
package import EventLoop

/// Pushes, for benchmarks, PDUs through an AF_UNIX SEQPACKET pair along the same path as a wearable's PDUs. Takes over
/// the descriptor, which must be non-blocking. When the other end closes, the link counts as closed by the peer.
@LoopActor
package func attributeChannel(over descriptor: Int32, to address: BluetoothAddress, loop: EpollLoop) -> any Bearer {
  let request = ChannelRequest(
    local: address, peer: address, deadline: loop.now, explain: { _, _ in .peerClosed }, ended: { _, _ in })
  return L2CAPBearer(loop: loop, descriptor: descriptor, counters: RadioCounters(), request: request)
}
