// Pairing and keys as the hub uses them.

public import Bluetooth
import EventLoop
import Glibc

extension LinuxRadio {
  /// Called for a pairing that needs a person; nil: pairing is refused.
  public var onPairingRequest: (@LoopActor (PairingRequest) -> Void)? {
    get { broker.onRequest }
    set {
      let changes = (newValue == nil) != (broker.onRequest == nil)
      broker.onRequest = newValue
      if changes { adapter.bonding.refresh() }
    }
  }
  /// Called for new keys; decides whether they are kept.
  public var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)? {
    get { broker.onKeys }
    set { broker.onKeys = newValue }
  }
  /// Called for a failed pairing.
  public var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)? {
    get { broker.onFailed }
    set { broker.onFailed = newValue }
  }

  /// Replaces all keys of the kernel.
  public func setKeys(_ keys: [BondKeys]) { broker.setKeys(keys) }

  /// Encrypts a link, with pairing if there is no key.
  ///
  /// - Throws: why it failed.
  public func secure(_ bearer: any Bearer) async throws(LinkError) {
    if state != .ready { throw .adapterGone }
    guard let open = links.openBearer(bearer.address), open === bearer else { throw .system(errno: ENOTCONN) }
    try await broker.secure(open)
  }

  /// Answers the pairing request of a wearable.
  public func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) { broker.answer(address, answer) }
  /// Deletes the keys of a wearable.
  public func forgetKeys(of address: BluetoothAddress) async { await broker.forget(address) }
}
