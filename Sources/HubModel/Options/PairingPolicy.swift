// Who may pair with the hub, and who says so. A rule without state, and the requests that wait for a person.

package import Bluetooth
import EventLoop
import Reasons
import RingStore
package import Wearable

/// When a wearable that was enrolled may pair again.
public enum PairingRule: String, Sendable, Hashable, CaseIterable {
  /// Only inside its enrolment: whoever has the hub's key taken away from a wearable later needs a person.
  case enrolment
  /// Whenever it asks, if its family pairs at all.
  case always
}

/// The rule itself.
package struct PairingPolicy {
  package enum Decision: Equatable {
    case confirm
    /// A person compares, types or reads digits.
    case ask
    case refuse
  }

  package let rule: PairingRule
  /// Of its driver; nil for an address that is not enrolled, nor about to be.
  package let need: PairingNeed?
  /// Its first visit, or its enrolment, is under way.
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
