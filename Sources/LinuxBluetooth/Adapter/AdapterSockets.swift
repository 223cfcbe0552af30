// The adapter's two management sockets, and the reason if they cannot be opened.

import Bluetooth
import CBluetooth
import EventLoop
import Glibc
import Reasons

@LoopActor
final class AdapterSockets {
  private let means: AdapterMeans
  private var advertisements: (any ManagementPort)?

  init(_ means: AdapterMeans) { self.means = means }

  func open() throws(HearthError) {
    let channel = means.channel
    if channel.port != nil { return }
    do throws(SystemError) {
      let failed: @LoopActor (SystemError) -> Void = { [weak self, alarm = means.alarm] _ in
        self?.close()
        alarm.raise(.channel)
      }
      advertisements = try means.kernel.openManagement(
        .advertisements, receive: { [weak scanner = means.scanner] in scanner?.receive($0) }, failed: failed)
      channel.port = try means.kernel.openManagement(
        .commandsAndEvents, receive: { [weak channel] in channel?.receive($0) }, failed: failed)
    } catch {
      close()
      switch error.errno {
      case EAFNOSUPPORT, EPROTONOSUPPORT:
        throw HearthError(
          .kernelWithoutBluetooth,
          "\(error.call) of AF_BLUETOOTH gave errno \(error.errno); the hub goes on without a radio")
      case EPERM, EACCES:
        throw HearthError(
          .capabilityMissing, "\(error.call) of the management channel was refused; give hearthd CAP_NET_ADMIN")
      default: throw HearthError(.managementRefused, "the management channel cannot be opened, \(error)")
      }
    }
  }

  func close() {
    means.channel.port?.close()
    means.channel.port = nil
    advertisements?.close()
    advertisements = nil
    means.channel.failAll()
  }
}
