// Known misbehaviour of a family, as data.

/// Driver that works around misbehaviour of its wearables. Only the conformance kit reads it. Each quirk names its
/// source, and an illegal published profile must be among them (`idle-illegal`).
public protocol QuirkyDriver: WearableDriver {
  /// Known misbehaviour, and how the driver handles it.
  var quirks: [Quirk] { get }
}

/// Misbehaviour of a family, as data.
public struct Quirk: Sendable, Hashable {
  /// Stable id for logs and tests: `idle-refused`.
  public let id: String
  /// Models and firmware with this misbehaviour, for display.
  public let affects: String
  /// Effect for the hub.
  public let effect: String
  /// Source of this knowledge.
  public let source: String

  /// A misbehaviour with its source.
  public init(_ id: String, affects: String, effect: String, source: String) {
    self.id = id
    self.affects = affects
    self.effect = effect
    self.source = source
  }
}

extension WearableDriver {
  /// The facet for quirks; nil: no quirk is known.
  public var quirky: (any QuirkyDriver)? { self as? any QuirkyDriver }
}
