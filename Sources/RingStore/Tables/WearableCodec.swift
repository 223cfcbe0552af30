// Encoding of a registry record.

internal import EventLoop
internal import StateCodec

/// Tags: 1 address (u64), 2 address type (u8), 3 name, 4 driver, 5 kind (UTF-8). 6 enrolled (i64, microseconds), 7
/// retired (i64), 8 battery (u8), 9 GATT cache, 10 fact. 11 note of format 3 (length of name: u8, name, value;
/// repeated). 12 secret (16 bytes) in the clear, until format 5; 13 the same sealed, bound to the record's key. Unknown
/// tags are preserved.
enum WearableCodec {
  private enum Tag: UInt8 {
    case address = 1
    case addressKind, name, driver, kind, enrolledAt, retiredAt, battery, gattCache, fact, note, secret, sealedSecret
  }

  static func encode(_ record: WearableRecord) -> [UInt8] {
    var fields = FieldWriter()
    fields.put(Tag.address.rawValue, record.addressValue)
    fields.put(Tag.addressKind.rawValue, record.addressKind)
    fields.put(Tag.name.rawValue, record.name)
    fields.put(Tag.driver.rawValue, record.driver)
    fields.put(Tag.kind.rawValue, record.kind)
    fields.put(Tag.enrolledAt.rawValue, record.enrolledAt.microseconds)
    if let retiredAt = record.retiredAt { fields.put(Tag.retiredAt.rawValue, retiredAt.microseconds) }
    if let battery = record.battery { fields.put(Tag.battery.rawValue, UInt8(clamping: battery)) }
    if let cache = record.gattCache { fields.put(Tag.gattCache.rawValue, cache) }
    for fact in record.facts.entries {
      let name = Array(fact.name.utf8)
      fields.put(Tag.fact.rawValue, [UInt8(clamping: name.count)] + name + Array(fact.value.utf8))
    }
    for (name, value) in record.notes.sorted(by: { $0.key < $1.key }) {
      fields.put(Tag.note.rawValue, [UInt8(clamping: name.utf8.count)] + Array(name.utf8) + Array(value.utf8))
    }
    if let seal = record.sealedSecret {
      fields.put(Tag.sealedSecret.rawValue, seal)
    } else if let secret = record.secret {
      // Unchanged in a store that could not be converted: new secrets never reach this line.
      fields.put(Tag.secret.rawValue, secret.bytes)
    }
    return fields.finish(unknown: record.unknownFields)
  }

  /// The place to which the secret's seal is bound.
  static func place(_ id: WearableID) -> SealPlace {
    SealPlace(table: "registry", key: [UInt8](bigEndian: id.number), tag: SecretTag.sealedSecret)
  }

  /// nil if the bytes are not an undamaged record of this layout. A sealed secret stays sealed.
  static func decode(_ id: WearableID, _ bytes: UnsafeRawBufferPointer) -> WearableRecord? {
    guard var fields = FieldReader(bytes) else { return nil }
    var address: UInt64?
    var addressKind: UInt8?
    var name: String?
    var enrolledAt: Int64?
    var retiredAt: Int64?
    var driver: String?
    var kind: String?
    var facts = WearableFacts()
    var notes: [String: String] = [:]
    var battery: UInt8?
    var cache: [UInt8]?
    var secret: [UInt8]?
    var seal: [UInt8]?
    var unknown: [UInt8] = []
    while let number = fields.next() {
      switch Tag(rawValue: number) {
      case .address: fields.read(&address)
      case .addressKind: fields.read(&addressKind)
      case .name: fields.read(&name, atMost: WearableRecord.nameLimit)
      case .driver: fields.read(&driver, atMost: WearableRecord.labelLimit)
      case .kind: fields.read(&kind, atMost: WearableRecord.labelLimit)
      case .enrolledAt: fields.read(&enrolledAt)
      case .retiredAt: fields.read(&retiredAt)
      case .battery: fields.read(&battery)
      case .gattCache: fields.read(&cache, atMost: WearableRecord.gattCacheLimit)
      case .fact:
        var fact = StoredReader(fields.content)
        guard let size = fact.u8(), let key = fact.text(Int(size)) else { return nil }
        facts[key] = fact.rest()
      case .note:
        var note = StoredReader(fields.content)
        guard let size = note.u8(), let key = note.text(Int(size)), notes.count < WearableRecord.noteLimit else {
          return nil
        }
        notes[key] = note.rest()
      case .secret:
        fields.read(&secret, atMost: WearableSecret.size)
        if secret?.count != WearableSecret.size { return nil }
      case .sealedSecret: fields.readSeal(&seal, content: WearableSecret.size)
      case nil: fields.keep(in: &unknown)
      }
    }
    guard fields.isWhole, let address, let addressKind, let name, let enrolledAt, secret == nil || seal == nil
    else { return nil }
    var record = WearableRecord(
      id: id, addressValue: address, addressKind: addressKind, name: name, driver: driver ?? "", kind: kind ?? "",
      enrolledAt: WallTime(microseconds: enrolledAt), facts: facts, battery: battery.map { Int($0) }, gattCache: cache)
    record.retiredAt = retiredAt.map { WallTime(microseconds: $0) }
    record.notes = notes
    record.secret = secret.flatMap { WearableSecret($0) }
    record.sealedSecret = seal
    record.unknownFields = unknown
    record = record.bounded()
    return record
  }
}
