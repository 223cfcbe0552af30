// The address of another hub's adapter, taken over after a restore: bonded wearables know their hub by it.

import EventLoop
import Reasons

/// Whether the adapter has the address that bonds were made with.
struct AddressTaking {
  /// It was asked for: once for each start of the hub, since an adapter that only says that it took it would be begun
  /// anew for ever.
  var isTried = false
  /// It has another.
  var trouble: HearthError?
}

extension Adapter {
  /// Asks the kernel for the address of `LinuxRadioOptions.address`, where the adapter has another.
  ///
  /// Since Linux 3.18 (doc/mgmt-protocol.rst, Set Public Address): only while powered off, Not Supported where the
  /// driver cannot (`hci_dev.set_bdaddr`; the UARTs of a Raspberry Pi can). A kernel that does takes the index away and
  /// gives it back with the new address, so what follows here fails, and is begun anew.
  func takeAddress(_ adapter: AdapterIdentity, _ info: AdapterInfo) async throws(HearthError) {
    addressTaking.trouble = nil
    guard let wanted = options.address, wanted != info.address else { return }
    if !addressTaking.isTried {
      addressTaking.isTried = true
      if settings.contains(.powered) { try await set(.setPowered(false), adapter.index) }
      do throws(HearthError) {
        _ = try await ask(.setPublicAddress(wanted), adapter.index)
        logger.notice("\(adapter.name) is given another address")
      } catch {
        if error.reason != .managementRefused { throw error }
        logger.warning("\(error)")
      }
      if let now = AdapterInfo(try await ask(.readInfo, adapter.index)), now.address == wanted { return }
    }
    addressTaking.trouble = HearthError(
      .radioAddressDiffers, "\(adapter.name) has the address \(adapter.bluetoothAddress), bonds were made with another")
  }
}
