// Known misbehaviour of a family, as data.

/// A driver that works around something its wearables do wrong. The conformance kit alone reads it: each quirk names
/// its source, and a published profile that is illegal is among them (`idle-illegal`).
public protocol QuirkyDriver: WearableDriver {
  /// Known misbehaviour and what is done about it.
  var quirks: [Quirk] { get }
}

/// Something a family does that it should not, as data.
public struct Quirk: Sendable, Hashable {
  /// `idle-refused`: stable, for logs and tests.
  public let id: String
  /// Models and firmware it is known of, for people.
  public let affects: String
  public let effect: String
  /// Where this is known from.
  public let source: String

  public init(_ id: String, affects: String, effect: String, source: String) {
    self.id = id
    self.affects = affects
    self.effect = effect
    self.source = source
  }
}

extension WearableDriver {
  /// What has quirks; nil: none is known.
  public var quirky: (any QuirkyDriver)? { self as? any QuirkyDriver }
}
