// Which wearables may pair with the hub, and how that is confirmed. A rule without state, and the requests that wait
// for a person.

package import Bluetooth
import EventLoop
import Reasons
import RingStore
package import Wearable

/// Times when an enrolled wearable may pair again.
public enum PairingRule: String, Sendable, Hashable, CaseIterable {
  /// Pairing only during enrolment. If the wearable later loses the hub's key, by whatever cause, a person is needed.
  case enrolment
  /// Pairing whenever it asks, if its family pairs at all.
  case always
}

/// The rule itself.
package struct PairingPolicy {
  package enum Decision: Equatable {
    case confirm
    /// A person compares, enters or reads digits.
    case ask
    case refuse
  }

  package let rule: PairingRule
  /// The need of its driver; nil for an address that is neither enrolled nor about to be.
  package let need: PairingNeed?
  /// The first visit, or the enrolment, is under way.
  package let isEnrolling: Bool

  package init(rule: PairingRule, need: PairingNeed?, isEnrolling: Bool) {
    self.rule = rule
    self.need = need
    self.isEnrolling = isEnrolling
  }

  package var allowsPairing: Bool {
    switch need {
    case nil, .never: false
    case .welcome, .whereRefused, .required: isEnrolling || rule == .always
    }
  }

  package func decide(_ kind: PairingRequest.Kind) -> Decision {
    guard allowsPairing else { return .refuse }
    return if case .justWorks = kind { .confirm } else { .ask }
  }
}
