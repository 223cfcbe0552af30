// The address that an adapter is to have: that of another hub's, taken over after a restore, as bonded wearables know
// their hub by it; and a static random one where it has none.

import EventLoop
import Reasons

/// Whether the adapter has the address that bonds were made with.
@LoopActor
final class AddressTaking {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  private let served: ServedAdapter
  /// The address was asked for: once for each start of the hub. An adapter that only says that it took it would be
  /// begun anew for ever.
  private var isTried = false
  /// The adapter that has its static address from this process.
  private var named: AdapterIdentity?
  /// The adapter has another address.
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
      // Another program gave it one.
      try await commands.set(.setPowered(false), adapter.index)
    }
    try await commands.set(.setStaticAddress(address), adapter.index)
    named = adapter
  }

  /// Asks the kernel for the address of `LinuxRadioOptions.address`, if the adapter has another.
  ///
  /// Since Linux 3.18 (doc/mgmt-protocol.rst, Set Public Address): only while powered off, Not Supported where the
  /// driver cannot (`hci_dev.set_bdaddr`; the UARTs of a Raspberry Pi can). A kernel that does takes the index away and
  /// gives it back with the new address, so what follows here fails, and is begun anew.
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
