// Whether anything may be removed on a wearable, as the configuration and its operator say.

/// What the configuration says about removing.
public enum ErasePolicy: String, Sendable, Hashable, CaseIterable {
  /// Nothing is ever removed.
  case never
  /// What was verified and is durable.
  case verified
}

/// When anything is removed on a wearable of a kind, where that is not switched off.
public enum RemovalWay: Sendable, Hashable {
  /// It keeps nothing, or nothing that could be removed.
  case none
  /// What a person orders, and nothing else.
  case byOrder
  /// What is verified and durable.
  case afterReceipt
}

/// What an operator says about removing on one wearable, before the configuration.
public enum EraseChoice: String, Sendable, Hashable, CaseIterable {
  /// Only in a visit that an operator asked for.
  case ask
  /// What was verified and is durable.
  case yes
  /// Nothing is ever removed.
  case no
}
