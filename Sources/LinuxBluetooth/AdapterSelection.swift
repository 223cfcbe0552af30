// Which adapter serves, and whether a radio switch lets it.

import Bluetooth
import EventLoop
import Reasons

extension Adapter {
  /// The adapter that serves by rule, among those the kernel has configured.
  func choose() async throws(HearthError) -> AdapterIdentity {
    guard let listed = ManagementReply.indexes(try await ask(.readExtendedIndexList)) else {
      throw malformed("Read Extended Index List")
    }
    var present: [AdapterIdentity] = []
    for (index, bus) in listed {
      // An adapter that cannot be read is one that is about to go.
      guard let reply = try? await channel.perform(.readInfo, index: index), let info = AdapterInfo(reply),
        info.supported.contains(.lowEnergy)
      else { continue }
      present.append(AdapterIdentity(index: index, address: info.address, bus: bus))
    }
    if let chosen = options.adapter.select(from: present) { return chosen }
    if let identity {
      throw HearthError(.adapterRemoved, "\(identity.name) (\(identity.bluetoothAddress), \(identity.bus)) was removed")
    }
    if present.isEmpty { throw HearthError(.adapterMissing, "the kernel knows no Bluetooth LE adapter") }
    let others = present.map { "\($0.bluetoothAddress) (\($0.bus))" }.joined(separator: ", ")
    throw HearthError(
      .adapterNotChosen, "the configured adapter, \(options.adapter.words), is not among those present: \(others)")
  }

  /// Lifts a radio switch where that is wanted and possible.
  func liftBlock(of adapter: AdapterIdentity) async throws(HearthError) {
    guard let block = kernel.block(of: adapter.name) else { return }
    if block == .soft, options.unblocksAdapter, kernel.unblock(adapter.name) {
      _ = await alarm.wait(until: loop.now + timing.unblocking)
      if kernel.block(of: adapter.name) == nil { return }
    }
    throw blocked(adapter, block)
  }

  func blocked(_ adapter: AdapterIdentity, _ block: RadioBlock) -> HearthError {
    HearthError(
      .adapterBlocked, "\(adapter.name) is switched off by a \(block == .hard ? "hard" : "soft") rfkill block")
  }
}

extension AdapterChoice {
  /// For people.
  var words: String {
    switch self {
    case .automatic: "auto"
    case .address(let address): "\(address)"
    case .bus(let bus): "\(bus)"
    }
  }
}
