// The second copy of what cannot be measured again: wearables, people, assignments, bonds, orders, cursors, custody. A
// file beside the store's, written whole, which fills the gaps of a damaged store.

internal import EventLoop
internal import Glibc
internal import StateCodec

/// `records.copy`: eight bytes `hearthrc`, the CRC-32C of what follows (u32), rows as a backup has them, secrets as the
/// store seals them.
enum RecordsCopy {
  static let fileName = "records.copy"
  private static let magic = Array("hearthrc".utf8)
  /// Bytes of rows: far more than the lists hold.
  private static let sizeLimit = 32 << 20

  static let tables: [BackupTable] = [
    .meta, .registry, .wearers, .assignments, .readers, .bonds, .hubState, .driverState, .custody, .erasures,
    .corrections, .watermarks,
  ]

  /// Rows of the last copy; nil without a complete one.
  static func load(_ path: String) -> [BackupRow]? {
    guard let bytes = read("\(path)/\(fileName)"), bytes.count >= magic.count + 4, bytes.starts(with: magic) else {
      return nil
    }
    let rows = Array(bytes[(magic.count + 4)...])
    let stated = (0..<4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[magic.count + $1]) }
    return stated == checksum(rows) ? BackupRow.parse(rows) : nil
  }

  /// Renames the copy of an earlier store that lies in the directory of a new one.
  static func setAside(_ path: String) { rename("\(path)/\(fileName)", "\(path)/\(fileName).old") }

  static func exists(_ path: String) -> Bool { access("\(path)/\(fileName)", F_OK) == 0 }

  /// Replaces records with a wrong checksum by those of the copy.
  ///
  /// - Returns: what was restored; nil: no damage, or the copy has no such record.
  static func mend(_ environment: Environment, _ path: String) throws(DatabaseFailure) -> String? {
    let damaged = try environment.read { transaction throws(DatabaseFailure) in
      var found: [UInt8: Set<[UInt8]>] = [:]
      // Tables that the copy lacks are not checked: they could not be restored.
      for table in tables {
        guard let checks = checks(of: table, transaction) else { continue }
        try transaction.withCursor(transaction.tables[keyPath: table.field]) { cursor throws(DatabaseFailure) in
          var entry = try cursor.first()
          while let there = entry {
            if !checks.isSound(there) { found[table.rawValue, default: []].insert(Array(there.key)) }
            entry = try cursor.next()
          }
        }
      }
      return found
    }
    if damaged.isEmpty { return nil }
    let rows = load(path) ?? []
    var texts: [String] = []
    try environment.write { transaction throws(DatabaseFailure) in
      for table in tables {
        guard let keys = damaged[table.rawValue], let checks = checks(of: table, transaction) else { continue }
        let good = rows.filter { $0.table == table.rawValue && keys.contains($0.key) && $0.isSound(checks) }
        for row in good { try transaction.put(transaction.tables[keyPath: table.field], row.key, row.value) }
        if !good.isEmpty { texts.append("\(checks.name) \(good.count)") }
      }
    }
    return texts.isEmpty ? nil : "damaged records were restored from their copy: \(texts.joined(separator: ", "))"
  }

  /// Writes the copy if it differs from the store. A copy that cannot be written is left as it is: the store itself is
  /// intact.
  ///
  /// - Returns: bytes that were written; 0: it was equal.
  @discardableResult
  static func keep(_ environment: Environment, _ path: String) -> Int {
    guard let rows = try? rows(environment, path), rows.count <= sizeLimit else { return 0 }
    var bytes = magic
    bytes.append(littleEndian: checksum(rows))
    bytes += rows
    if let there = read("\(path)/\(fileName)"), there == bytes { return 0 }
    do throws(DatabaseFailure) { try WholeFile.write(bytes[...], fileName, in: path) } catch { return 0 }
    return bytes.count
  }

  /// A record that is damaged by now stays as the last copy has it.
  private static func rows(_ environment: Environment, _ path: String) throws(DatabaseFailure) -> [UInt8] {
    var last: [BackupRow]?
    return try environment.read { transaction throws(DatabaseFailure) in
      var bytes: [UInt8] = []
      for table in tables {
        let checks = checks(of: table, transaction)
        try transaction.withCursor(transaction.tables[keyPath: table.field]) { cursor throws(DatabaseFailure) in
          var entry = try cursor.first()
          while let found = entry, bytes.count <= sizeLimit {
            // Values that the store writes with every commit do not count as differences.
            let isOfCommits = table == .meta && ofCommits.contains(Array(found.key))
            if let checks, !checks.isSound(found) {
              last = last ?? load(path) ?? []
              let key = Array(found.key)
              if let good = last?.first(where: { $0.table == table.rawValue && $0.key == key && $0.isSound(checks) }) {
                BackupRow.append(table, key, good.value, to: &bytes)
              }
            } else if !isOfCommits, found.key.count <= BackupRow.keyLimit, found.value.count <= BackupRow.valueLimit {
              BackupRow.append(table, found.key, found.value, to: &bytes)
            }
            entry = try cursor.next()
          }
        }
      }
      return bytes
    }
  }

  /// The check of a table's records; nil: its values are not records with fields.
  private static func checks(of table: BackupTable, _ transaction: Transaction) -> Tables.RecordTable? {
    let number = transaction.tables[keyPath: table.field]
    return number == 0 ? nil : Tables.withFields.first { transaction.tables[keyPath: $0.field] == number }
  }

  private static let ofCommits: Set<[UInt8]> = [Wear.odometerKey, Wear.daysKey, BackupTable.journalEnd]

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    return crc.value
  }

  private static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= sizeLimit + 12 else {
      return nil
    }
    let file = PageFile(descriptor, pageSize: 1, bytes: Int(status.st_size))
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    do throws(PageFault) { try file.read(&bytes, at: 0) } catch { return nil }
    return bytes
  }
}

extension BackupRow {
  fileprivate func isSound(_ table: Tables.RecordTable) -> Bool {
    key.withUnsafeBytes { key in value.withUnsafeBytes { table.isSound(Cursor.Entry(key: key, value: $0)) } }
  }
}
