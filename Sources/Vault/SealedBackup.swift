// Sealed backup file: a stream of pieces under a passphrase, so that a gigabyte needs no gigabyte of memory. All
// cryptography is libsodium's.

internal import CSodium
public import Reasons

/// Header of a backup: that of a bond file (`SealHeader`) with its own magic and version.
///
/// | offset | bytes | field |
/// |---:|---:|---|
/// | 0 | 8 | `hearthbu` |
/// | 8 | 1 | version: 1 |
/// | 9 | 27 | as in a file of bonds: how the key is made, passes, memory, salt |
/// | 36 | 24 | header of the stream (crypto_secretstream_xchacha20poly1305) |
/// | 60 | … | pieces |
///
/// A piece is `BackupSeal.pieceSize` bytes of content and 17 of the stream's own. These 60 bytes are the additional
/// data of the first piece. The last has the stream's tag FINAL, and at most as many bytes.
enum BackupHeader {
  static let size = SealHeader.size
  static let magic = Array("hearthbu".utf8)
  static let version: UInt8 = 1

  static func bytes(_ header: SealHeader) -> [UInt8] {
    magic + [version] + header.bytes.dropFirst(magic.count + 1)
  }

  /// - Throws: `backupDamaged` with the defect.
  static func parse(_ bytes: [UInt8]) throws(HearthError) -> SealHeader {
    guard bytes.count == size, bytes.starts(with: magic) else {
      throw HearthError(.backupDamaged, "this is no backup of a hub")
    }
    if bytes[magic.count] != version {
      throw HearthError(
        .backupDamaged, "version \(bytes[magic.count]) of a backup; this program knows version \(version)")
    }
    do {
      return try SealHeader(SealHeader.magic + [SealHeader.version] + bytes.dropFirst(magic.count + 1))
    } catch {
      throw HearthError(.backupDamaged, error.detail)
    }
  }
}

/// Constants of a piece, for both ends.
enum BackupSeal {
  /// Content of every piece except the last, which may be shorter.
  static let pieceSize = 64 << 10
  /// crypto_secretstream_xchacha20poly1305_ABYTES: tag (1) and authenticator (16).
  static let overhead = 17
  static var sealedSize: Int { pieceSize + overhead }
}

/// Seals content incrementally.
public struct BackupSealer {
  private var state = crypto_secretstream_xchacha20poly1305_state()
  private var waiting: [UInt8] = []
  private var additional: [UInt8]
  /// Header at the start of the file.
  public let header: [UInt8]

  /// Takes about two seconds and 64 MiB on the smallest board.
  ///
  /// - Throws: `bondPassphraseMissing` for an empty one; `bondFileUnreadable` if memory is short.
  public init(passphrase: [UInt8]) throws(HearthError) { try self.init(passphrase, .standard) }

  init(_ passphrase: [UInt8], _ parameters: SealParameters) throws(HearthError) {
    try SealedBonds.prepare()
    var salt = [UInt8](repeating: 0, count: SealHeader.saltSize)
    randombytes_buf(&salt, salt.count)
    let none = [UInt8](repeating: 0, count: SealHeader.nonceSize)
    var key = try SealedBonds.key(passphrase, SealHeader(parameters: parameters, salt: salt, nonce: none))
    defer { sodium_memzero(&key, key.count) }
    var nonce = none
    crypto_secretstream_xchacha20poly1305_init_push(&state, &nonce, key)
    header = BackupHeader.bytes(SealHeader(parameters: parameters, salt: salt, nonce: nonce))
    additional = header
  }

  /// Adds content; returns the pieces that are complete by now.
  public mutating func add(_ content: [UInt8]) -> [UInt8] {
    waiting += content
    var sealed: [UInt8] = []
    var place = 0
    while waiting.count - place > BackupSeal.pieceSize {
      sealed += push(waiting[place..<(place + BackupSeal.pieceSize)], tag: 0)
      place += BackupSeal.pieceSize
    }
    if place > 0 { keep(from: place) }
    return sealed
  }

  /// Returns the last piece.
  public mutating func finish() -> [UInt8] {
    defer { keep(from: waiting.count) }
    return push(waiting[...], tag: crypto_secretstream_xchacha20poly1305_tag_final())
  }

  private mutating func push(_ content: ArraySlice<UInt8>, tag: UInt8) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: content.count + BackupSeal.overhead)
    let plain = Array(content)
    crypto_secretstream_xchacha20poly1305_push(
      &state, &sealed, nil, plain, UInt64(plain.count), additional, UInt64(additional.count), tag)
    additional = []
    return sealed
  }

  private mutating func keep(from place: Int) {
    let rest = Array(waiting[place...])
    sodium_memzero(&waiting, waiting.count)
    waiting = rest
  }
}

/// Opens incrementally what `BackupSealer` sealed. Content of a piece is only returned after the whole piece was
/// authenticated; only `finish` proves that no piece is missing.
public struct BackupOpener {
  private var state = crypto_secretstream_xchacha20poly1305_state()
  private var waiting: [UInt8] = []
  private var additional: [UInt8]
  private var isFirst = true

  /// Bytes of the header.
  public static let headerSize = BackupHeader.size

  /// - Throws: `backupDamaged` for an invalid header; `bondPassphraseMissing`, `bondFileUnreadable` as in the sealer.
  public init(header: [UInt8], passphrase: [UInt8]) throws(HearthError) {
    let parsed = try BackupHeader.parse(header)
    try SealedBonds.prepare()
    var key = try SealedBonds.key(passphrase, parsed)
    defer { sodium_memzero(&key, key.count) }
    if crypto_secretstream_xchacha20poly1305_init_pull(&state, parsed.nonce, key) != 0 {
      throw HearthError(.backupDamaged, "its stream has no beginning")
    }
    additional = header
  }

  /// Adds bytes; returns the content of the pieces that are complete by now.
  ///
  /// - Throws: `backupPassphraseWrong` if the first piece does not open, because of the passphrase or of damage;
  ///   `backupDamaged` for a later one.
  public mutating func add(_ bytes: [UInt8]) throws(HearthError) -> [UInt8] {
    waiting += bytes
    var content: [UInt8] = []
    var place = 0
    while waiting.count - place > BackupSeal.sealedSize {
      content += try pull(waiting[place..<(place + BackupSeal.sealedSize)], tag: 0)
      place += BackupSeal.sealedSize
    }
    if place > 0 { waiting.removeFirst(place) }
    return content
  }

  /// Returns the content of the last piece, which ends the file.
  ///
  /// - Throws: as `add`; `backupDamaged` if the file is truncated.
  public mutating func finish() throws(HearthError) -> [UInt8] {
    if waiting.count < BackupSeal.overhead { throw HearthError(.backupDamaged, "it is cut short") }
    defer { waiting = [] }
    return try pull(waiting[...], tag: crypto_secretstream_xchacha20poly1305_tag_final())
  }

  private mutating func pull(_ piece: ArraySlice<UInt8>, tag: UInt8) throws(HearthError) -> [UInt8] {
    let sealed = Array(piece)
    var content = [UInt8](repeating: 0, count: sealed.count - BackupSeal.overhead)
    var found: UInt8 = 0
    let code = crypto_secretstream_xchacha20poly1305_pull(
      &state, &content, nil, &found, sealed, UInt64(sealed.count), additional, UInt64(additional.count))
    if code != 0 {
      throw isFirst
        ? HearthError(.backupPassphraseWrong, "the seal does not open")
        : HearthError(.backupDamaged, "it was changed, or cut short")
    }
    if found != tag { throw HearthError(.backupDamaged, "it is cut short, or something was put behind it") }
    (additional, isFirst) = ([], false)
    return content
  }
}
