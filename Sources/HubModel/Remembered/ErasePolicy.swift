// Whether the hub removes data on a wearable, by the configuration and by an operator's choice.

/// The configured policy.
public enum ErasePolicy: String, Sendable, Hashable, CaseIterable {
  /// The hub never removes data.
  case never
  /// The hub removes data that is verified and durable.
  case verified
}

/// Rules for when data is removed on wearables of a kind, unless that is switched off.
public enum RemovalWay: Sendable, Hashable {
  /// Removal never: the wearable stores no data that could be removed.
  case none
  /// Removal only by a person's order.
  case byOrder
  /// Removal when it is verified and durable.
  case afterReceipt
}

/// An operator's choice for one wearable, which goes before the configuration.
public enum EraseChoice: String, Sendable, Hashable, CaseIterable {
  /// Removal only in a visit that an operator requested.
  case ask
  /// Data that is verified and durable is removed.
  case yes
  /// Data is never removed.
  case no
}
