// A registry record as bytes: fields behind tags, so that later versions may add some and older ones keep them.

internal import EventLoop

/// | bytes | field |
/// |---|---|
/// | 1 | layout: 1 |
/// | … | fields: tag (1), length (varint), content |
/// | 4 | CRC-32C of everything before |
///
/// Tags: 1 address (u64), 2 address type (u8), 3 name, 4 driver, 5 kind (UTF-8), 6 enrolled (i64, microseconds), 7 retired (i64),
/// 8 battery (u8), 9 GATT cache, 10 fact (length of name: u8, name, value; repeated). Unknown tags are kept.
enum WearableCodec {
  static let layout: UInt8 = 1
  /// Far above what the limits of the fields add up to (about 22 KB), room for what later versions add.
  static let sizeLimit = 65_536

  private enum Tag: UInt8 {
    case address = 1, addressKind, name, driver, kind, enrolledAt, retiredAt, battery, gattCache, fact
  }

  static func encode(_ record: WearableRecord) -> [UInt8] {
    var bytes: [UInt8] = [layout]
    func field(_ tag: Tag, _ content: [UInt8]) {
      bytes.append(tag.rawValue)
      bytes.append(varint: UInt64(content.count))
      bytes.append(contentsOf: content)
    }
    func integer<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    field(.address, integer(record.addressValue))
    field(.addressKind, [record.addressKind])
    field(.name, Array(record.name.utf8))
    field(.driver, Array(record.driver.utf8))
    field(.kind, Array(record.kind.utf8))
    field(.enrolledAt, integer(record.enrolledAt.microseconds))
    if let retiredAt = record.retiredAt { field(.retiredAt, integer(retiredAt.microseconds)) }
    if let battery = record.battery { field(.battery, [UInt8(clamping: battery)]) }
    if let cache = record.gattCache { field(.gattCache, cache) }
    for fact in record.facts.entries {
      let name = Array(fact.name.utf8)
      field(.fact, [UInt8(clamping: name.count)] + name + Array(fact.value.utf8))
    }
    bytes.append(contentsOf: record.unknownFields)
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    bytes.append(littleEndian: crc.value)
    return bytes
  }

  /// nil if the bytes are not an undamaged record of this layout.
  static func decode(_ id: WearableID, _ bytes: UnsafeRawBufferPointer) -> WearableRecord? {
    guard bytes.count > 5, bytes.count <= sizeLimit else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    var crc = CRC32C()
    crc.update(content)
    guard bytes.loadUnaligned(fromByteOffset: content.count, as: UInt32.self) == crc.value.littleEndian else { return nil }
    var reader = StoredReader(content)
    guard reader.u8() == layout else { return nil }

    var address: UInt64?, addressKind: UInt8?, name: String?, enrolledAt: Int64?, retiredAt: Int64?
    var driver = "", kind = "", facts = WearableFacts(), battery: Int?, cache: [UInt8]?, unknown: [UInt8] = []
    while !reader.isAtEnd {
      guard let number = reader.u8(), let length = reader.varint(), let length = Int(exactly: length), let field = reader.take(length) else {
        return nil
      }
      var value = StoredReader(field)
      switch Tag(rawValue: number) {
      case .address: address = value.integer(UInt64.self)
      case .addressKind: addressKind = value.u8()
      case .name: name = value.text(length)
      case .driver: driver = value.text(length) ?? ""
      case .kind: kind = value.text(length) ?? ""
      case .enrolledAt: enrolledAt = value.integer(Int64.self)
      case .retiredAt: retiredAt = value.integer(Int64.self)
      case .battery: battery = value.u8().map { Int($0) }
      case .gattCache: cache = Array(field)
      case .fact:
        guard let size = value.u8(), let key = value.text(Int(size)) else { return nil }
        facts[key] = value.text(length - 1 - Int(size))
      case nil:
        unknown.append(number)
        unknown.append(varint: UInt64(length))
        unknown.append(contentsOf: field)
      }
    }
    guard let address, let addressKind, let name, let enrolledAt else { return nil }
    var record = WearableRecord(
      id: id, addressValue: address, addressKind: addressKind, name: name, driver: driver, kind: kind,
      enrolledAt: WallTime(microseconds: enrolledAt), facts: facts, battery: battery, gattCache: cache)
    record.retiredAt = retiredAt.map { WallTime(microseconds: $0) }
    record.unknownFields = unknown
    return record
  }
}
