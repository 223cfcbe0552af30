// Selection of the adapter, and the check of radio switches.

import Bluetooth
import EventLoop
import Reasons

@LoopActor
final class AdapterSelection {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  private let served: ServedAdapter
  /// Indexes of the adapters that were present and readable at the last check.
  private var seen: Set<UInt16> = []
  private var lookedAt: Instant

  init(_ means: AdapterMeans, commands: AdapterCommands, served: ServedAdapter) {
    self.means = means
    self.commands = commands
    self.served = served
    lookedAt = means.loop.now
  }

  /// Selects, by rule, one of the adapters that the kernel has configured and no other radio of this hub has.
  func choose() async throws(HearthError) -> AdapterIdentity {
    let present = try await present()
    let (choice, claims, place) = (means.options.adapter, means.claims, means.place)
    claims?.release(place)
    let candidates = choice.candidates(of: claims?.free(of: present, for: place) ?? present)
    if let chosen = preferred(of: candidates) ?? candidates.first {
      claims?.claim(chosen, for: place)
      claims?.review(choice.candidates(of: present))
      return chosen
    }
    if let identity = served.identity {
      throw HearthError(.adapterRemoved, "\(identity.name) (\(identity.bluetoothAddress), \(identity.bus)) was removed")
    }
    if present.isEmpty { throw HearthError(.adapterMissing, "the kernel knows no Bluetooth LE adapter") }
    if claims != nil, !choice.candidates(of: present).isEmpty {
      throw HearthError(.adapterMissing, "every adapter has a radio; this one waits for another adapter")
    }
    let others = present.map { "\($0.bluetoothAddress) (\($0.bus))" }.joined(separator: ", ")
    throw HearthError(
      .adapterNotChosen, "the configured adapter, \(choice.words), is not among those present: \(others)")
  }

  /// Preference among several: the adapter with the address that bonds were made with, then the radio's previous one,
  /// if present.
  private func preferred(of candidates: [AdapterIdentity]) -> AdapterIdentity? {
    if means.claims == nil { return nil }
    let own = served.identity?.bluetoothAddress.value
    let wanted = [means.options.address, means.options.preferred, own].compactMap(\.self)
    return wanted.lazy.compactMap { address in candidates.first { $0.bluetoothAddress.value == address } }.first
  }

  /// Handles another adapter that came or went during service. It may suit another radio, or have shared its address
  /// with one that stays.
  func lookAtOthers() async {
    guard let claims = means.claims, let present = try? await present() else { return }
    claims.review(means.options.adapter.candidates(of: present))
  }

  /// Time of the next `lookForMissed`.
  var nextLook: Instant {
    means.claims?.onSpare == nil ? Instant(nanoseconds: .max) : lookedAt + means.timing.spareLook
  }

  /// Checks for an adapter that was added without an event, or was unreadable when added.
  func lookForMissed() async {
    if means.loop.now < nextLook { return }
    lookedAt = means.loop.now
    guard let listed = try? await list(), Set(listed.map(\.index)) != seen else { return }
    await lookAtOthers()
  }

  private func list() async throws(HearthError) -> [(index: UInt16, bus: AdapterBus)] {
    guard let listed = ManagementReply.indexes(try await commands.ask(.readExtendedIndexList)) else {
      throw HearthError.malformedReply(to: "Read Extended Index List")
    }
    return listed
  }

  private func present() async throws(HearthError) -> [AdapterIdentity] {
    let listed = try await list()
    lookedAt = means.loop.now
    seen = []
    var present: [AdapterIdentity] = []
    for (index, bus) in listed {
      // An unreadable adapter is about to be removed.
      guard let reply = try? await means.channel.perform(.readInfo, index: index), let info = AdapterInfo(reply) else {
        continue
      }
      seen.insert(index)
      if !info.supported.contains(.lowEnergy) { continue }
      present.append(
        AdapterIdentity(
          index: index, address: info.address, bus: bus,
          staticAddress: info.address == 0 ? means.claims?.staticAddress?(means.place) : nil))
    }
    return present
  }

  /// Lifts a radio switch if that is enabled and possible.
  func liftBlock(of adapter: AdapterIdentity) async throws(HearthError) {
    let kernel = means.kernel
    guard let block = kernel.block(of: adapter.name) else { return }
    if block == .soft, means.options.unblocksAdapter, kernel.unblock(adapter.name) {
      _ = await means.alarm.wait(until: means.loop.now + means.timing.unblocking)
      if kernel.block(of: adapter.name) == nil { return }
    }
    throw HearthError.blocked(adapter, block)
  }
}

extension HearthError {
  static func blocked(_ adapter: AdapterIdentity, _ block: RadioBlock) -> HearthError {
    HearthError(
      .adapterBlocked, "\(adapter.name) is switched off by a \(block == .hard ? "hard" : "soft") rfkill block")
  }
}

extension AdapterChoice {
  /// Text for log and status.
  var words: String {
    switch self {
    case .automatic: "auto"
    case .address(let address): "\(address)"
    case .bus(let bus): "\(bus)"
    case .any(let choices): choices.map(\.words).joined(separator: ", ")
    case .not(let address): "not \(address)"
    }
  }
}
