// What a code has beside its row in Codes, and the error that carries one.

extension Reason {
  /// The part of the hub that a code belongs to, such as `link`.
  public var area: String { text.area }

  /// Of a wearable: the hub goes on by itself, and no exit status and no LED shows it.
  public var isLeftToHub: Bool { text.next.hasPrefix("no action") }

  /// `H2102`: four digits, so a person can read it out over the phone.
  public var code: String { "H\(rawValue)" }

  /// The reason for a printed code such as `H2102` or `h2102`; nil if there is none.
  public init?(code: String) {
    guard let first = code.utf8.first, first == 0x48 || first == 0x68, let number = UInt16(code.dropFirst()) else {
      return nil
    }
    self.init(rawValue: number)
  }
}

/// The texts of a code. Printed as
///
///     CODE area: sentence
///           effect
///           next: next
///
/// with the particulars of the case (`HearthError.detail`) in place of the sentence if there are any. No text names
/// a host, a person or a wearable, and every `next` is something that can be done with what the hub has.
public struct ReasonText: Sendable, Hashable {
  /// The part of the hub: `config`, `wire`, `link`, `bond`, `enrol`, `alert`, `order`, `radio`, `store`, `backup`,
  /// `clock`, `control`, `lights`, `hub`, `uplink`, `sink`.
  public let area: String
  /// What happened, in one sentence.
  public let sentence: String
  /// What it means for samples: unaffected, delayed until, or lost from and to.
  public let effect: String
  /// What to do next, one step.
  public let next: String
}

/// An error with a stable code and the particulars of this one case.
///
/// `detail` says what happened to which part in one clause ("store.commit.every is 'soon', not a duration"). The
/// sentence, the effect on data and the next step come from `Reason.text`.
public struct HearthError: Error, Sendable, Hashable, CustomStringConvertible {
  public let reason: Reason
  public let detail: String

  public init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }

  /// `H2102 link: strap-03 was not heard within 5 s`
  public var description: String { "\(reason.code) \(reason.text.area): \(detail)" }
}
