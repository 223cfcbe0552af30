// What the kernel's refusals mean to a technician.

import EventLoop
import Reasons

extension Adapter {
  /// As `ManagementChannel.perform`, with refusals told as reasons.
  @discardableResult
  func ask(
    _ command: ManagementCommand, _ index: UInt16 = ManagementFrame.noController,
    timeout: Duration = ManagementChannel.ordinaryTimeout
  )
    async throws(HearthError) -> [UInt8]
  {
    do throws(ManagementError) {
      return try await channel.perform(command, index: index, timeout: timeout)
    } catch {
      throw HearthError(reason(for: error), detail(command, index, error))
    }
  }

  private func reason(for error: ManagementError) -> Reason {
    switch error {
    case .refused(.permissionDenied): .capabilityMissing
    case .refused(.invalidIndex): .adapterRemoved
    case .refused(.blocked): .adapterBlocked
    case .refused(.notPowered): .adapterPoweredOff
    case _ where error.meansSilentController: .controllerSilent
    default: .managementRefused
    }
  }

  private func detail(_ command: ManagementCommand, _ index: UInt16, _ error: ManagementError) -> String {
    let adapter = index == ManagementFrame.noController ? "the kernel" : "hci\(index)"
    return switch error {
    case .refused(.permissionDenied): "\(adapter) refused \(command.name): hearthd lacks CAP_NET_ADMIN"
    case _ where error.meansSilentController: "\(adapter) did not answer \(command.name) (\(error))"
    default: "\(adapter) refused \(command.name): \(error)"
    }
  }

  func malformed(_ name: String) -> HearthError { HearthError(.managementRefused, "the reply to \(name) is malformed") }
}
