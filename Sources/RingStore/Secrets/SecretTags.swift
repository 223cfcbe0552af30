// The fields of records that are sealed.

/// Kinds of a driver's state with secret fields. If a program wrote one in the clear before it was listed here, the
/// next opening of the store seals it.
enum SecretStates {
  /// `user-data`: the consent codes under which a wearable shows a person's data.
  static let kinds: Set<String> = ["user-data"]
}

/// The tags of the fields.
enum SecretTag {
  /// Keys of a bond: in the clear until format 5, then sealed.
  static let bondKey: UInt8 = 3
  static let sealedBond: UInt8 = 4
  static let bondTraits: UInt8 = 5
  /// The secret of a wearable's record.
  static let secret: UInt8 = 12
  static let sealedSecret: UInt8 = 13
  /// Fields of a state.
  static let state: UInt8 = 2
  static let sealedState: UInt8 = 3
}
