// Choice of the adapter that makes no links: an adapter receives no advertisements while it makes one.

import Bluetooth
import EventLoop

/// Rule for the adapter of a pool that only listens.
public enum ListeningRule: Sendable, Equatable {
  /// From three adapters on, attempts leave one adapter without any, as long as the others have room. Links are spread
  /// over all adapters all the same, as each in turn is the one without attempts.
  case automatic
  /// All adapters may make links at the same time.
  case never
  /// The adapter with this address, public or static random, makes no links but to wearables that are bonded to it.
  /// While no other adapter serves, all wearables may be linked over this one.
  case adapter(UInt64)
}

@LoopActor
extension ListeningRule {
  /// Adapters from which on one listens. Of two, one alone would make all links, and each attempt that fails takes 3 s.
  static let leastAdapters = 3

  /// The named adapter.
  func listener(among members: [PoolMember]) -> PoolMember? {
    guard case .adapter(let address) = self,
      let named = members.first(where: { $0.isReady && $0.address?.value == address }),
      members.contains(where: { $0 !== named && $0.isReady })
    else { return nil }
    return named
  }

  /// Whether adapters take turns in listening.
  func isShared(among members: [PoolMember]) -> Bool {
    self == .automatic && members.count(where: \.isReady) >= Self.leastAdapters
  }

  /// The last adapter without attempts, if adapters take turns in listening.
  func spared(among members: [PoolMember]) -> PoolMember? {
    let idle = members.filter { $0.isReady && $0.attempts == 0 }
    return idle.count == 1 && isShared(among: members) ? idle[0] : nil
  }
}

extension AdapterOffer {
  /// The best adapter besides the one that is to go on listening, if another has room and hears the wearable as well.
  static func best(of offers: [AdapterOffer], sparing place: Int?) -> AdapterOffer? {
    let spared = offers.first { $0.place == place }
    let other = best(of: offers.filter { $0.place != place })
    guard let other, other.loudness != nil || spared?.loudness == nil else { return best(of: offers) }
    return other
  }
}
