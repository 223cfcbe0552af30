// Which radio of this hub has which adapter, where it has several.

public import EventLoop

/// Shared by the radios of one hub: an adapter serves one of them.
@LoopActor
public final class AdapterClaims {
  private var addresses: [Int: UInt64] = [:]
  private var radios = 0
  /// Adapters that two radios may not share were seen: public addresses that several of them have.
  private(set) var doubled: Set<UInt64> = []
  /// There are more adapters than radios: another radio would have one.
  public var onSpare: (@LoopActor () -> Void)?

  public init() {}

  /// - Returns: the place of one more radio.
  func enter() -> Int {
    radios += 1
    return radios - 1
  }

  /// Those of the adapters present that the radio at a place may have. Of several with one address only the first: the
  /// kernel finds an adapter by its address, and connects over the one that came last.
  func free(of present: [AdapterIdentity], for place: Int) -> [AdapterIdentity] {
    let others = Set(addresses.filter { $0.key != place }.values)
    return distinct(present).filter { !others.contains($0.address) }
  }

  func claim(_ address: UInt64, for place: Int) { addresses[place] = address }
  func release(_ place: Int) { addresses[place] = nil }

  /// Asks for another radio where adapters are left that no radio without one will take.
  func review(_ present: [AdapterIdentity]) {
    let all = distinct(present)
    let there = Set(all.map(\.address))
    let idle = radios - addresses.values.count { there.contains($0) }
    let spare = there.subtracting(addresses.values).count
    if spare > idle { onSpare?() }
  }

  /// Another radio has the adapter of this address.
  func isHeld(_ address: UInt64, besides place: Int) -> Bool {
    addresses.contains { $0.key != place && $0.value == address }
  }

  private func distinct(_ present: [AdapterIdentity]) -> [AdapterIdentity] {
    var seen: Set<UInt64> = []
    doubled = []
    // One without an address is no name for the kernel: it connects over whichever came last.
    let hasNamed = present.contains { $0.address != 0 }
    return present.filter { adapter in
      if adapter.address == 0, hasNamed { return false }
      if seen.insert(adapter.address).inserted { return true }
      doubled.insert(adapter.address)
      return false
    }
  }
}
