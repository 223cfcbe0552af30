// Properties of reason codes, their texts, and the error that carries a code.

extension Reason {
  /// The part of the hub that a code belongs to, such as `link`.
  public var area: String { text.area }

  /// Whether the hub goes on by itself. Raised for a wearable, such a code changes no exit status and no LED.
  public var isLeftToHub: Bool { text.next.hasPrefix("no action") }

  /// The printed form, such as `H2102`: four digits, easy to read out over the phone.
  public var code: String { "H\(rawValue)" }

  /// The reason of a printed code such as `H2102` or `h2102`; nil for an unknown code.
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
/// If the case has particulars (`HearthError.detail`), they replace the sentence. No text names a host, a person or a
/// wearable. Every `next` can be done with the hub's own commands and the tools of the machine.
public struct ReasonText: Sendable, Hashable {
  /// The part of the hub: `config`, `wire`, `link`, `bond`, `enrol`, `alert`, `order`, `radio`, `store`, `backup`,
  /// `clock`, `control`, `lights`, `hub`, `uplink`, `sink`.
  public let area: String
  /// Event in one sentence.
  public let sentence: String
  /// The effect on samples: unaffected, delayed until a time, or lost from when to when.
  public let effect: String
  /// The next step for the operator.
  public let next: String
}

/// An error with a stable code and the particulars of this one case.
///
/// `detail` is one clause that names the part and the fault ("store.commit.every is 'soon', not a duration"). Sentence,
/// effect on data and next step come from `Reason.text`.
public struct HearthError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Code with its texts.
  public let reason: Reason
  /// Particulars of this case.
  public let detail: String

  /// An error with one clause of detail.
  public init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }

  /// Code, area and detail: `H2102 link: strap-03 was not heard within 5 s`.
  public var description: String { "\(reason.code) \(reason.text.area): \(detail)" }
}
