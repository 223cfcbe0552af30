// Finds the sealed part of a stored record.

internal import StateCodec

/// A seal as stored in a record, with the place to which it is bound.
struct SealedPart {
  let place: SealPlace
  let seal: [UInt8]

  /// Finds the seal of an entry; nil for tables without seals, and for a record without one or a damaged one.
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
  /// Reads a key; 0 for one of another length.
  init(bigEndian key: UnsafeRawBufferPointer) {
    self.init(number: key.count == 4 ? UInt32(bigEndian: key.loadUnaligned(as: UInt32.self)) : 0)
  }
}
