// Consequences of a visit's end, as data: one row for each outcome.

package import Bluetooth
public import Custody
import EventLoop
package import Reasons
package import Wearable

/// Consequences of an outcome.
public struct VisitConsequence: Sendable, Hashable {
  /// Rules for when the next try is allowed.
  public enum Retry: Sendable, Hashable {
    /// Time when the wearable is due again.
    case whenDue
    /// Time when its turn comes: there is more to fetch, and the link was good.
    case inTurn
    /// Time after a pause that grows with every failure (back-off).
    case backOff
    /// Time after a fixed wait, or after the time that the wearable named.
    case after(Duration)
  }
  /// Rule for when the next attempt is allowed.
  public let retry: Retry
  /// Makes the next pause longer.
  public let countsAgainstWearable: Bool
  /// Shown with the wearable, and logged, until a visit ends well.
  public let isTrouble: Bool
  /// The link is ended, as the state of its other end is unknown; else live values go on over it.
  public let endsLink: Bool
  /// The LED LINK dips: the visit reached its purpose.
  public let dips: Bool

  package init(_ retry: Retry, counts: Bool = false, trouble: Bool = true, endsLink: Bool = false, dips: Bool = false) {
    self.retry = retry
    countsAgainstWearable = counts
    isTrouble = trouble
    self.endsLink = endsLink
    self.dips = dips
  }
}

extension VisitOutcome {
  /// Consequence of this result.
  public var consequence: VisitConsequence {
    switch self {
    case .done: VisitConsequence(.whenDue, trouble: false, dips: true)
    case .interrupted: VisitConsequence(.backOff, counts: true, endsLink: true)
    case .sliceOver: VisitConsequence(.inTurn, trouble: false)
    // A wearable that writes its own flash, or is linked with a phone, is usually done within a minute.
    case .busy: VisitConsequence(.after(.seconds(60)), trouble: false)
    // The wearable will refuse again; its owner may solve the cause.
    case .refused: VisitConsequence(.after(.seconds(600)), counts: true)
    case .broken: VisitConsequence(.backOff, counts: true, endsLink: true)
    case .silent: VisitConsequence(.backOff, counts: true, endsLink: true)
    // Room comes with an export or a new quota, not by another try.
    case .noRoom: VisitConsequence(.after(.seconds(600)))
    case .needsAttention: VisitConsequence(.after(.seconds(600)))
    case .abandoned: VisitConsequence(.inTurn, trouble: false)
    }
  }
}

/// End of a visit, with the particulars.
package struct VisitEnd {
  package var outcome: VisitOutcome
  package var trouble: HearthError?
  /// An order that was not carried out, reported beside that trouble.
  package private(set) var beside: HearthError?
  /// Time after which the wearable asked for another visit.
  package var retryAfter: Duration?
  /// Error with which the link ended, if it did.
  package var link: GATTError?

  package static let done = VisitEnd(outcome: .done)

  /// - Parameter name: the wearable's, for texts.
  package init(_ trouble: VisitTrouble, name: String) {
    switch trouble {
    case .link(.cancelled), .link(.closed(.aborted)):
      self.init(outcome: .abandoned)
    case .link(let error):
      let isBreach = if case .protocolViolation = error { true } else { false }
      self.init(
        outcome: isBreach ? .broken : .interrupted, trouble: HearthError(error.reason, "\(name) \(error.clause)"))
      link = error
    case .refused(let code, let what):
      self.init(outcome: .refused, trouble: HearthError(.visitRefused, "\(name) refused \(what): \(code)"))
    case .busy(let what, let wait):
      self.init(outcome: .busy, trouble: HearthError(.visitBusy, "\(name) is busy: \(what)"), retryAfter: wait)
    case .framing(let what):
      self.init(outcome: .broken, trouble: HearthError(.visitBroken, "\(name) broke its protocol: \(what)"))
    case .silent(let what):
      self.init(outcome: .silent, trouble: HearthError(.visitSilent, "\(name) did not answer: \(what)"))
    case .overran:
      self.init(outcome: .sliceOver)
    case .unsupported(let what):
      self.init(outcome: .refused, trouble: HearthError(.visitUnsupported, "\(name): \(what)"))
    case .noRoom(let why):
      self.init(outcome: .noRoom, trouble: HearthError(.storeRefusing, why))
    case .needsAttention(let reason, let what):
      self.init(outcome: .needsAttention, trouble: HearthError(reason, "\(name) \(what)"))
    }
  }

  package init(outcome: VisitOutcome, trouble: HearthError? = nil, retryAfter: Duration? = nil) {
    self.outcome = outcome
    self.trouble = trouble
    self.retryAfter = retryAfter
  }
}

extension VisitEnd {
  /// Takes an order that was not carried out, if another trouble came first.
  package mutating func take(beside order: VisitTrouble?, name: String) {
    guard let trouble, let other = order.flatMap({ VisitEnd($0, name: name).trouble }), other != trouble else { return }
    beside = other
  }

  /// The trouble, with the one to report beside it.
  package var told: HearthError? { trouble.map { $0.telling(beside) } }

  package func says(_ reason: Reason) -> Bool { trouble?.reason == reason || beside?.reason == reason }
}

extension HearthError {
  /// Adds another trouble, once.
  package func telling(_ other: HearthError?) -> HearthError {
    guard let other, other != self else { return self }
    let words = "; \(other.reason.code): \(other.detail)"
    return detail.hasSuffix(words) ? self : HearthError(reason, detail + words)
  }
}

extension Reason {
  /// Whether the reason is an order that the wearable does not follow.
  package var isOfOrders: Bool { [.recordingNotArmed, .settingNotTaken, .monitoringNotTaken].contains(self) }
}

extension VisitTrouble {
  /// Whether the state of the link's other end is unknown.
  package var endsLink: Bool { VisitEnd(self, name: "").outcome.consequence.endsLink }
}

extension GATTError {
  /// Event as text after a wearable's name.
  package var clause: String { link?.clause ?? "was dropped: \(self)" }
}

extension VisitEnd {
  /// The failure for the rules of back-off; nil: no failure.
  package var failure: TryFailure? {
    switch outcome {
    case .done, .sliceOver, .abandoned: nil
    case .interrupted: .link(link?.link ?? .linkLost)
    case .busy: .busy(retryAfter: retryAfter)
    case .refused: .refused
    case .broken: .broken
    case .silent: .silent
    case .noRoom: .noRoom
    // The next link shows whether work continues without the key, or pairs again.
    case .needsAttention: trouble?.reason == .keyMissing ? .link(.keyMissing) : .needsAttention
    }
  }
}
