// Staged bytes: parts of an item that is not yet whole. What one link fetched is not fetched again by the next.

internal import EventLoop
internal import StateCodec

/// An item with staged bytes.
struct StagedItem: Sendable, Hashable {
  let wearable: WearableID
  let id: String

  init(wearable: WearableID, id: String) {
    self.wearable = wearable
    self.id = id
  }

  /// The item of a record of `custody`.
  init(custodyKey key: [UInt8]) {
    let (number, id) = key.withUnsafeBytes { bytes in
      var reader = StoredReader(bytes)
      return (reader.bigEndian(UInt32.self) ?? 0, reader.rest() ?? "")
    }
    self.init(wearable: WearableID(number: number), id: id)
  }

  /// The item and offset in a key of `staged`; nil for an invalid key.
  static func parse(_ key: UnsafeRawBufferPointer) -> (item: StagedItem, offset: UInt64)? {
    var reader = StoredReader(key)
    guard let wearable = reader.bigEndian(UInt32.self), let id = reader.text(key.count - 13),
      CustodyRecord.isValid(id: id), reader.u8() == 0,
      let offset = reader.bigEndian(UInt64.self)
    else { return nil }
    return (StagedItem(wearable: WearableID(number: wearable), id: id), offset)
  }

  /// Prefix of the keys of its pages. No byte of an id is 0, so other items have other prefixes.
  var prefix: [UInt8] { CustodyTable.key(wearable, id) + [0] }
  /// Upper bound of the keys of its pages, below those of the next item.
  var end: [UInt8] { CustodyTable.key(wearable, id) + [1] }

  func key(_ offset: Int) -> [UInt8] {
    var key = prefix
    key.append(bigEndian: UInt64(offset))
    return key
  }
}

/// Bytes of an item that a transaction deleted to make room.
struct StagedLoss: Sendable {
  let item: StagedItem
  var bytes: Int
}

/// The table `staged`: pages of an item's bytes, each but the last of `pageSize` bytes, from offset 0 on without
/// holes.
///
/// | offset | bytes | field |
/// |---:|---:|---|
/// | 0 | 1 | layout: 1 |
/// | 1 | 1 | 1: the checksum covers the store's number and the key; 0: written before format 8 |
/// | 2 | 2 | number of bytes, 1 to 4,000 (u16) |
/// | 4 | 4 | CRC-32C of the number and the key, see above, and of bytes 0–3 and 8–end |
/// | 8 | 8 | offset of the first (u64), equal to the key's |
/// | 16 | … | bytes |
enum Staged {
  /// Size with which, with its header, a page fits into one overflow page of LMDB.
  static let pageSize = 4000
  static let headerSize = 16
  /// Limit in bytes of one item.
  static let itemLimit = 8 << 20

  // MARK: pages

  /// - Parameter start: of number and key; nil: the checksum does not cover them.
  static func page(_ bytes: ArraySlice<UInt8>, at offset: Int, _ start: CRC32C?) -> [UInt8] {
    var page: [UInt8] = [1, start == nil ? 0 : 1]
    page.reserveCapacity(headerSize + bytes.count)
    page.append(littleEndian: UInt16(bytes.count))
    var rest: [UInt8] = []
    rest.append(littleEndian: UInt64(offset))
    var crc = start ?? CRC32C()
    page.withUnsafeBytes { crc.update($0) }
    rest.withUnsafeBytes { crc.update($0) }
    bytes.withUnsafeBytes { crc.update($0) }
    page.append(littleEndian: crc.value)
    return page + rest + bytes
  }

  /// The bytes of an undamaged page that begins at `offset`, and has this key.
  static func content(
    _ entry: Cursor.Entry, at offset: UInt64, _ number: StoreNumber
  ) -> UnsafeRawBufferPointer? {
    let page = entry.value
    guard page.count > headerSize, page.count <= headerSize + pageSize, page[0] == 1, page[1] <= 1 else { return nil }
    var crc = page[1] == 1 ? number.start(entry.key) : CRC32C()
    crc.update(UnsafeRawBufferPointer(rebasing: page[..<4]))
    crc.update(UnsafeRawBufferPointer(rebasing: page[8...]))
    guard UInt32(littleEndian: page.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) == crc.value,
      UInt64(littleEndian: page.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) == offset,
      Int(UInt16(littleEndian: page.loadUnaligned(fromByteOffset: 2, as: UInt16.self))) == page.count - headerSize
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: page[headerSize...])
  }

  /// Sound, contiguous bytes from `offset` (the offset of a page) on, of at most `pages` pages.
  static func read(
    _ transaction: Transaction, _ item: StagedItem, from offset: Int, pages: Int, into bytes: inout [UInt8]
  ) throws(DatabaseFailure) -> (isLast: Bool, end: Int) {
    try transaction.withCursor(transaction.tables.staged) { cursor throws(DatabaseFailure) in
      var offset = offset
      var entry = try cursor.seek(item.key(offset))
      for _ in 0..<pages {
        guard let found = entry, let (owner, place) = StagedItem.parse(found.key), owner == item,
          place == UInt64(offset),
          let content = content(found, at: place, transaction.number), offset + content.count <= itemLimit
        else { return (true, offset) }
        bytes.append(contentsOf: content)
        offset += content.count
        if content.count < pageSize { return (true, offset) }
        entry = try cursor.next()
      }
      return (false, offset)
    }
  }

  // MARK: changes

  enum Addition: Sendable {
    case added
    /// The bytes do not continue the staged ones; there are so many staged bytes.
    case elsewhere(Int)
  }

  /// Appends bytes behind the sound ones. Bytes that are already staged are not written twice; damaged pages and those
  /// behind them are replaced.
  static func append(_ transaction: Transaction, _ item: StagedItem, _ bytes: [UInt8], at offset: Int)
    throws(DatabaseFailure) -> Addition
  {
    var last = try lastPage(transaction, item)
    if last.end != offset {
      // Either damage, or a commit that arrived although it was reported as failed, or a mistake.
      let sound = try soundBytes(transaction, item)
      if sound.count > offset, sound.count - offset <= bytes.count,
        sound[offset...].elementsEqual(bytes.prefix(sound.count - offset))
      {
        if sound.count - offset == bytes.count { return .added }
      } else if sound.count != offset {
        return .elsewhere(sound.count)
      }
      try drop(transaction, item, from: offset / pageSize * pageSize)
      last = (offset, Array(sound[(offset / pageSize * pageSize)..<offset]))
    }
    // A partly filled page is written again with the new bytes.
    let whole = last.part + bytes
    let start = offset - last.part.count
    for begin in stride(from: 0, to: whole.count, by: pageSize) {
      let part = whole[begin..<min(begin + pageSize, whole.count)]
      let key = item.key(start + begin)
      let crc = transaction.number == .none ? nil : key.withUnsafeBytes { transaction.number.start($0) }
      try transaction.put(transaction.tables.staged, key, page(part, at: start + begin, crc))
    }
    return .added
  }

  /// Number of staged bytes according to the last page, and the content of that page unless it is full. The number is
  /// -1 if the last page is damaged.
  private static func lastPage(_ transaction: Transaction, _ item: StagedItem) throws(DatabaseFailure) -> (
    end: Int, part: [UInt8]
  ) {
    try transaction.withCursor(transaction.tables.staged) { cursor throws(DatabaseFailure) in
      guard let found = try cursor.before(item.end), let (owner, place) = StagedItem.parse(found.key), owner == item
      else { return (0, []) }
      guard let content = content(found, at: place, transaction.number), place <= UInt64(itemLimit),
        place % UInt64(pageSize) == 0
      else { return (-1, []) }
      return (Int(place) + content.count, content.count < pageSize ? Array(content) : [])
    }
  }

  /// Returns the sound bytes from the beginning on.
  static func soundBytes(_ transaction: Transaction, _ item: StagedItem) throws(DatabaseFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try read(transaction, item, from: 0, pages: itemLimit / pageSize + 1, into: &bytes)
    return bytes
  }

  /// Deletes the pages from an offset on.
  static func drop(_ transaction: Transaction, _ item: StagedItem, from offset: Int = 0) throws(DatabaseFailure) {
    try transaction.withCursor(transaction.tables.staged) { cursor throws(DatabaseFailure) in
      while let found = try cursor.seek(item.key(offset)), found.key.starts(with: item.prefix) { try cursor.delete() }
    }
  }

  // MARK: giving up

  /// Deletes the last pages, at most `pages`, of the item that was handled least recently by a visit. The pages before
  /// them stay sound, and its record states their bytes.
  ///
  /// - Returns: nil if only `spared` has staged bytes.
  static func giveUp(_ transaction: Transaction, pages: Int, sparing spared: StagedItem?) throws(DatabaseFailure)
    -> StagedLoss?
  {
    guard let victim = try oldest(transaction, sparing: spared) else { return nil }
    var gone = 0
    var end = 0
    try transaction.withCursor(transaction.tables.staged) { cursor throws(DatabaseFailure) in
      for _ in 0..<pages {
        guard let found = try cursor.before(victim.end), let (owner, place) = StagedItem.parse(found.key),
          owner == victim
        else {
          end = 0
          return
        }
        gone += max(0, found.value.count - headerSize)
        end = Int(clamping: place)
        try cursor.delete()
      }
    }
    if var record = try CustodyTable.load(transaction, victim.wearable, victim.id), record.durableAt == nil {
      record.fetched = end
      record.fetchedAt = nil
      record.verifiedAt = nil
      try transaction.put(record)
    }
    return StagedLoss(item: victim, bytes: gone)
  }

  /// Goes from item to item, not from page to page.
  private static func oldest(_ transaction: Transaction, sparing spared: StagedItem?) throws(DatabaseFailure)
    -> StagedItem?
  {
    var best: (visit: UInt64, item: StagedItem)?
    var from: [UInt8]? = []
    while let begin = from {
      from = nil
      let found = try transaction.withCursor(transaction.tables.staged) { cursor throws(DatabaseFailure) -> [UInt8]? in
        try (begin.isEmpty ? cursor.first() : cursor.seek(begin)).map { Array($0.key) }
      }
      guard let found else { break }
      guard let (item, _) = found.withUnsafeBytes({ StagedItem.parse($0) }) else {
        // An invalid key: skip it.
        from = found + [0]
        continue
      }
      from = item.end
      if item == spared { continue }
      let visit = try CustodyTable.load(transaction, item.wearable, item.id)?.visit ?? 0
      if let best, best.visit <= visit { continue }
      best = (visit, item)
    }
    return best?.item
  }
}
