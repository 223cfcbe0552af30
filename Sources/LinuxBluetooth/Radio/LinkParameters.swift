// Connection parameters of open links: requested, observed, reported.

public import Bluetooth
import EventLoop

extension LinuxRadio {
  /// Called when parameters of a link change.
  public var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)? {
    get { tuner.onParameters }
    set { tuner.onParameters = newValue }
  }

  /// Requests other parameters for a link.
  ///
  /// - Throws: why the request failed.
  public func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  {
    if state != .ready { throw .adapterGone }
    return try await tuner.update(address, to: parameters)
  }

  /// Parameters in effect; nil: unknown.
  public func parameters(of address: BluetoothAddress) -> EffectiveParameters? { tuner.parameters(of: address) }
}
