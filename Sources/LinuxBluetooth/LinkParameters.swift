// Connection parameters of open links: asked for, observed, told.

public import Bluetooth
import EventLoop

extension LinuxRadio {
  /// Every link starts as it should: the kernel reuses whatever the last link of this wearable ended with. Failing
  /// costs speed, not the link.
  func loadParameters(_ parameters: ConnectionParameters, _ address: BluetoothAddress, _ deadline: Instant)
    async
  {
    do throws(ManagementError) { try await tuner.load(parameters, address, until: deadline) } catch {
      logger.info("connection parameters of \(address) could not be loaded: \(error)")
    }
  }

  public var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)? {
    get { tuner.onParameters }
    set { tuner.onParameters = newValue }
  }

  public func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  {
    if state != .ready { throw .adapterGone }
    return try await tuner.update(address, to: parameters)
  }

  public func parameters(of address: BluetoothAddress) -> EffectiveParameters? { tuner.parameters(of: address) }
}
