// The hub's own channel over a descriptor that somebody else connected.

package import Bluetooth
package import EventLoop

/// For benchmarks, which push PDUs over an AF_UNIX SEQPACKET pair through exactly what a wearable's PDUs go through.
/// Takes the descriptor over, which must be non-blocking. When the other end is gone the link counts as closed by the
/// peer.
@LoopActor
package func attributeChannel(over descriptor: Int32, to address: BluetoothAddress, loop: EpollLoop) -> any Bearer {
  let request = ChannelRequest(
    local: address, peer: address, deadline: loop.now, explain: { _, _ in .peerClosed }, ended: { _, _ in })
  return L2CAPBearer(loop: loop, descriptor: descriptor, counters: RadioCounters(), request: request)
}
