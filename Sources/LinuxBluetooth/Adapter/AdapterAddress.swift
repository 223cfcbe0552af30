// Address to give an adapter. After a restore it is that of the earlier hub, because bonded wearables know their hub by
// it. An adapter without an address gets a static random one.

import EventLoop
import Reasons

/// Takes over the address that bonds were made with.
@LoopActor
final class AddressTaking {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  private let served: ServedAdapter
  /// Whether the address was requested already: once per start of the hub. An adapter that only claims to have changed
  /// it would otherwise be initialised again for ever.
  private var isTried = false
  /// The adapter that got its static address from this process.
  private var named: AdapterIdentity?
  /// Set if the adapter has another address than wanted.
  private(set) var trouble: HearthError?

  init(_ means: AdapterMeans, commands: AdapterCommands, served: ServedAdapter) {
    self.means = means
    self.commands = commands
    self.served = served
  }

  /// Gives a controller without a public address its static random one. Without an address the kernel does not power it
  /// (EADDRNOTAVAIL in net/bluetooth/hci_sync.c, hci_dev_open_sync; Set Powered fails with status 3).
  func giveStatic(_ adapter: AdapterIdentity) async throws(HearthError) {
    guard let address = adapter.staticAddress else { return }
    if served.settings.contains(.powered) {
      if named == adapter { return }
      // Another program set its address and powered it.
      try await commands.set(.setPowered(false), adapter.index)
    }
    try await commands.set(.setStaticAddress(address), adapter.index)
    named = adapter
  }

  /// Requests the address of `LinuxRadioOptions.address` from the kernel, if the adapter has another.
  ///
  /// Since Linux 3.18 (doc/mgmt-protocol.rst, Set Public Address): only while powered off. The kernel returns Not
  /// Supported if the driver cannot (`hci_dev.set_bdaddr`; the UARTs of a Raspberry Pi can). Otherwise it removes the
  /// index and adds it again with the new address. The current initialisation then fails and is repeated.
  func take(_ adapter: AdapterIdentity, _ info: AdapterInfo) async throws(HearthError) {
    trouble = nil
    guard let wanted = means.options.address, wanted != info.address, adapter.staticAddress == nil,
      means.claims?.isHeld(wanted, besides: means.place) != true
    else { return }
    if !isTried {
      isTried = true
      if served.settings.contains(.powered) { try await commands.set(.setPowered(false), adapter.index) }
      do throws(HearthError) {
        _ = try await commands.ask(.setPublicAddress(wanted), adapter.index)
        means.logger.notice("\(adapter.name) is given another address")
      } catch {
        if error.reason != .managementRefused { throw error }
        means.logger.warning("\(error)")
      }
      if let now = AdapterInfo(try await commands.ask(.readInfo, adapter.index)), now.address == wanted { return }
    }
    trouble = HearthError(
      .radioAddressDiffers, "\(adapter.name) has the address \(adapter.bluetoothAddress), bonds were made with another")
  }
}
