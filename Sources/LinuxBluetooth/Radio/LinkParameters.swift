// Connection parameters of open links: requested, observed, reported.

public import Bluetooth
import EventLoop

extension LinuxRadio {
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
