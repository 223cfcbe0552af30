// Assignment of adapters to radios, for a hub with several adapters.

public import EventLoop

/// Shared by the radios of one hub, so that an adapter serves only one of them.
@LoopActor
public final class AdapterClaims {
  private var addresses: [Int: UInt64] = [:]
  private var radios = 0
  /// Public addresses that several adapters have. Two radios may not share such adapters.
  private(set) var doubled: Set<UInt64> = []
  /// Called if there are more adapters than radios, so that the hub can add a radio.
  public var onSpare: (@LoopActor () -> Void)?
  /// Static random address for an adapter without a public address, always the same for the number of its radio. nil:
  /// there is no such address.
  public var staticAddress: (@LoopActor (_ place: Int) -> UInt64?)?

  /// Creates claims without an adapter.
  public init() {}

  /// - Returns: the number of a further radio.
  func enter() -> Int {
    radios += 1
    return radios - 1
  }

  /// Adapters, of those present, that the radio may have. Of several with one address only the first counts: the kernel
  /// finds an adapter by its address, and connects over the one added last.
  func free(of present: [AdapterIdentity], for place: Int) -> [AdapterIdentity] {
    let others = Set(addresses.filter { $0.key != place }.values)
    return distinct(present).filter { !others.contains($0.claim) }
  }

  func claim(_ adapter: AdapterIdentity, for place: Int) { addresses[place] = adapter.claim }
  func release(_ place: Int) { addresses[place] = nil }

  /// Requests another radio if adapters are left over that no radio without an adapter will take.
  func review(_ present: [AdapterIdentity]) {
    let all = distinct(present)
    let there = Set(all.map(\.claim))
    let idle = radios - addresses.values.count { there.contains($0) }
    let spare = there.subtracting(addresses.values).count
    if spare > idle { onSpare?() }
  }

  /// Whether another radio has the adapter of this address.
  func isHeld(_ address: UInt64, besides place: Int) -> Bool {
    addresses.contains { $0.key != place && $0.value == address }
  }

  private func distinct(_ present: [AdapterIdentity]) -> [AdapterIdentity] {
    var seen: Set<UInt64> = []
    doubled = []
    // The kernel cannot find an adapter without an address by name: it connects over the one added last.
    let hasNamed = present.contains { $0.bluetoothAddress.value != 0 }
    return present.filter { adapter in
      if adapter.bluetoothAddress.value == 0, hasNamed { return false }
      if seen.insert(adapter.claim).inserted { return true }
      doubled.insert(adapter.address)
      return false
    }
  }
}

extension AdapterIdentity {
  /// Key of the claim. An adapter with a static address gets it from the claiming radio. Its index therefore
  /// distinguishes it, in bits that no address uses.
  fileprivate var claim: UInt64 { staticAddress == nil ? address : 1 << 48 | UInt64(index) }
}
