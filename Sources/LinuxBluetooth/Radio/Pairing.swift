// Pairing and keys as the hub uses them.

public import Bluetooth
import EventLoop
import Glibc

extension LinuxRadio {
  public var onPairingRequest: (@LoopActor (PairingRequest) -> Void)? {
    get { broker.onRequest }
    set {
      let changes = (newValue == nil) != (broker.onRequest == nil)
      broker.onRequest = newValue
      if changes { adapter.bonding.refresh() }
    }
  }
  public var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)? {
    get { broker.onKeys }
    set { broker.onKeys = newValue }
  }
  public var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)? {
    get { broker.onFailed }
    set { broker.onFailed = newValue }
  }

  public func setKeys(_ keys: [BondKeys]) { broker.setKeys(keys) }

  public func secure(_ bearer: any Bearer) async throws(LinkError) {
    if state != .ready { throw .adapterGone }
    guard let open = links.openBearer(bearer.address), open === bearer else { throw .system(errno: ENOTCONN) }
    try await broker.secure(open)
  }

  public func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) { broker.answer(address, answer) }
  public func forgetKeys(of address: BluetoothAddress) async { await broker.forget(address) }
}
