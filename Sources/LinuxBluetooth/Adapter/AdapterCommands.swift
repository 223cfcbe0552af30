// Commands to the kernel, with refusals translated for a technician.

import EventLoop
import Logging
import Reasons

@LoopActor
final class AdapterCommands {
  private let channel: ManagementChannel
  private let served: ServedAdapter
  private let logger: Logger

  init(channel: ManagementChannel, served: ServedAdapter, logger: Logger) {
    self.channel = channel
    self.served = served
    self.logger = logger
  }

  /// Asks like `ManagementChannel.perform`, with refusals reported as reason codes.
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

  /// Sends a command that returns the adapter's settings.
  func set(_ command: ManagementCommand, _ index: UInt16) async throws(HearthError) {
    guard let new = ManagementReply.settings(try await ask(command, index, timeout: ManagementChannel.queuedTimeout))
    else {
      throw HearthError.malformedReply(to: command.name)
    }
    served.note(new)
  }

  /// Sends an optional command: kernels and controllers that do not support it work as well.
  func offer(
    _ command: ManagementCommand, _ index: UInt16, timeout: Duration = ManagementChannel.ordinaryTimeout
  ) async throws(HearthError) {
    do throws(HearthError) {
      try await ask(command, index, timeout: timeout)
    } catch {
      if error.reason != .managementRefused { throw error }
      logger.info("\(error)")
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
}

extension HearthError {
  static func malformedReply(to name: String) -> HearthError {
    HearthError(.managementRefused, "the reply to \(name) is malformed")
  }
}
