// The adapter's two management sockets, and why there may be none.

import Bluetooth
import CBluetooth
import EventLoop
import Glibc
import Reasons

extension Adapter {
  func openSockets() throws(HearthError) {
    if channel.port != nil { return }
    do throws(SystemError) {
      let failed: @LoopActor (SystemError) -> Void = { [weak self] _ in
        self?.closeSockets()
        self?.alarm.raise(.channel)
      }
      advertisementPort = try kernel.openManagement(
        .advertisements, receive: { [weak self] in self?.scanner.receive($0) }, failed: failed)
      channel.port = try kernel.openManagement(
        .commandsAndEvents, receive: { [weak self] in self?.channel.receive($0) }, failed: failed)
    } catch {
      closeSockets()
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

  func closeSockets() {
    channel.port?.close()
    channel.port = nil
    advertisementPort?.close()
    advertisementPort = nil
    channel.failAll()
  }
}
