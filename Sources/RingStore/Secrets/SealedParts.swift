// Which fields of which records are sealed, and how one is found in a record that lies on the disk.

internal import StateCodec

/// Kinds of a driver's state whose fields are a secret. One that was ever written in clear before it was named here is
/// sealed when the store is opened next.
enum SecretStates {
  /// `user-data`: the consent codes under which a wearable shows a person's data.
  static let kinds: Set<String> = ["user-data"]
}

/// The tags of the fields.
enum SecretTag {
  /// Keys of a bond: in clear until format 5, sealed.
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

/// A seal as it lies in a record, with where it belongs.
struct SealedPart {
  let place: SealPlace
  let seal: [UInt8]

  /// Of tables whose records may have one; nil where this one has none, or is damaged.
  static func find(in table: String, _ entry: Cursor.Entry) -> SealedPart? {
    switch table {
    case "bonds":
      guard let row = BondRow.decode(entry), let seal = row.seal else { return nil }
      return SealedPart(place: row.place, seal: seal)
    case "registry":
      guard let record = WearableCodec.decode(WearableID(bigEndian: entry.key), entry.value),
        let seal = record.sealedSecret
      else { return nil }
      return SealedPart(place: WearableCodec.place(record.id), seal: seal)
    case "driver-state":
      guard let state = StateRecord<DriverStates>.decode(entry), let seal = state.seal else { return nil }
      return SealedPart(place: state.place, seal: seal)
    default: return nil
    }
  }
}

extension WearableID {
  /// Of a key; 0 for one of another length.
  init(bigEndian key: UnsafeRawBufferPointer) {
    self.init(number: key.count == 4 ? UInt32(bigEndian: key.loadUnaligned(as: UInt32.self)) : 0)
  }
}
