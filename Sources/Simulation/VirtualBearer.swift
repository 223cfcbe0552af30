// The hub's end of a virtual link.

public import Bluetooth
import EventLoop

/// The hub's end of a virtual link, with the guarantees of `Bearer`.
public final class VirtualBearer: Bearer {
  /// Address of the wearable.
  public let address: BluetoothAddress
  let link: VirtualLink
  private(set) var isClosed = false

  /// Called for each PDU of the wearable.
  public var onReceive: (@LoopActor (RawBytes) -> Void)? { didSet { link.listenerChanged() } }
  /// Called once, when the link has ended.
  public var onClosed: (@LoopActor (LinkError) -> Void)? { didSet { link.listenerChanged() } }
  /// Called when a PDU may be sent again.
  public var onWritable: (@LoopActor () -> Void)?

  init(_ link: VirtualLink) {
    self.link = link
    address = link.peripheral.address
  }

  /// Twins agree on the longest key.
  public var protection: LinkProtection? {
    isClosed ? nil : LinkProtection(isEncrypted: link.isSecured, keySize: link.isSecured ? 16 : nil)
  }

  var isListening: Bool { onReceive != nil && !isClosed }

  /// Queues a PDU; false: the queue is full, or the link closed.
  public func send(_ pdu: [UInt8]) -> Bool { isClosed ? false : link.send(pdu) }

  /// Closes the link; `immediately`: queued PDUs are dropped.
  public func close(immediately: Bool) {
    if isClosed { return }
    isClosed = true
    link.hubClosed(immediately: immediately)
    forgetCallbacks()
  }

  /// Notifies the hub of the channel's end; false if no callback is set yet.
  func finish(_ error: LinkError) -> Bool {
    if isClosed { return true }
    guard let onClosed else { return false }
    isClosed = true
    forgetCallbacks()
    onClosed(error)
    return true
  }

  /// Called when the process of the channel was killed: no callback, and the kernel ends the link.
  func abandon() {
    if isClosed { return }
    isClosed = true
    link.hubClosed(immediately: true)
    forgetCallbacks()
  }

  private func forgetCallbacks() {
    onReceive = nil
    onClosed = nil
    onWritable = nil
  }
}
