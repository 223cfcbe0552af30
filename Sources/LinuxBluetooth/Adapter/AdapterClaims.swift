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
  /// The static random address of a radio, by its place, for an adapter without a public address; always the same. nil:
  /// such an adapter is given none.
  public var staticAddress: (@LoopActor (_ place: Int) -> UInt64?)?

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
    return distinct(present).filter { !others.contains($0.claim) }
  }

  func claim(_ adapter: AdapterIdentity, for place: Int) { addresses[place] = adapter.claim }
  func release(_ place: Int) { addresses[place] = nil }

  /// Asks for another radio where adapters are left that no radio without one will take.
  func review(_ present: [AdapterIdentity]) {
    let all = distinct(present)
    let there = Set(all.map(\.claim))
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
  /// The name by which it is claimed. One that is given a static address has it from the radio that claims it, so that
  /// its number tells it from others, in bits that no address has.
  fileprivate var claim: UInt64 { staticAddress == nil ? address : 1 << 48 | UInt64(index) }
}
