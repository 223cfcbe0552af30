// Sealed bond file: keys leave a hub only under a passphrase. All cryptography is libsodium's.

internal import CSodium
public import Reasons

/// Parameters of the key derivation: Argon2id, version 1.3, one lane.
struct SealParameters: Sendable, Equatable {
  /// Number of passes over the memory.
  var passes: UInt32
  /// Memory in KiB.
  var memory: UInt32

  /// 3 passes over 64 MiB, as RFC 9106 recommends if memory is scarce. That is an eighth of the memory of the smallest
  /// board, a Pi Zero 2, and about two seconds of its time. Exports are rare.
  static let standard = SealParameters(passes: 3, memory: 65_536)
  /// Accepted range: a file is untrusted before its seal is open. 256 MiB still fits every board that can run a hub.
  static let memoryRange: ClosedRange<UInt32> = 8...262_144
  static let passesRange: ClosedRange<UInt32> = 1...10

  var areBearable: Bool { Self.memoryRange.contains(memory) && Self.passesRange.contains(passes) }
}

/// Header of a sealed file.
///
/// | offset | bytes | field |
/// |---:|---:|---|
/// | 0 | 8 | `hearthbk` |
/// | 8 | 1 | version: 1 |
/// | 9 | 1 | key derivation: 1 Argon2id 1.3 |
/// | 10 | 2 | 0 |
/// | 12 | 4 | passes (u32, little-endian), 1 to 10 |
/// | 16 | 4 | memory, KiB (u32), 8 to 262,144 |
/// | 20 | 16 | salt |
/// | 36 | 24 | nonce |
/// | 60 | … | the bundle, sealed with XChaCha20-Poly1305 (IETF), these 60 bytes as additional data; last the tag (16) |
struct SealHeader: Sendable, Equatable {
  static let size = 60
  static let magic = Array("hearthbk".utf8)
  static let version: UInt8 = 1
  private static let argon2id: UInt8 = 1
  static let saltSize = 16
  static let nonceSize = 24

  let parameters: SealParameters
  let salt: [UInt8]
  let nonce: [UInt8]

  init(parameters: SealParameters, salt: [UInt8], nonce: [UInt8]) {
    self.parameters = parameters
    self.salt = salt
    self.nonce = nonce
  }

  var bytes: [UInt8] {
    var bytes = Self.magic + [Self.version, Self.argon2id, 0, 0]
    bytes.append(little: UInt64(parameters.passes), 4)
    bytes.append(little: UInt64(parameters.memory), 4)
    return bytes + salt + nonce
  }

  /// - Throws: `bondFileDamaged` with the defect.
  init(_ file: [UInt8]) throws(HearthError) {
    guard file.count >= Self.size, file.starts(with: Self.magic) else {
      throw HearthError(.bondFileDamaged, "this is no file of bonds")
    }
    if file[8] != Self.version {
      throw HearthError(
        .bondFileDamaged, "version \(file[8]) of a file of bonds; this program knows version \(Self.version)")
    }
    if file[9] != Self.argon2id || file[10] != 0 || file[11] != 0 {
      throw HearthError(.bondFileDamaged, "a key that is made in an unknown way")
    }
    func number(_ offset: Int) -> UInt32 { file[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    parameters = SealParameters(passes: number(12), memory: number(16))
    if !parameters.areBearable {
      throw HearthError(
        .bondFileDamaged, "it asks for \(parameters.passes) passes over \(parameters.memory) KiB, which no hub writes")
    }
    salt = Array(file[20..<36])
    nonce = Array(file[36..<60])
  }
}

/// Seals and opens bond files.
public enum SealedBonds {
  /// Largest file in bytes: 512 bonds with all their keys need two thirds of it.
  public static let sizeLimit = 1 << 20
  /// Longest passphrase in bytes.
  public static let passphraseLimit = 1024
  private static let tagSize = 16
  private static let keySize = 32

  /// Returns the bytes of a file that only the passphrase opens.
  ///
  /// Takes about two seconds and 64 MiB on the smallest board.
  ///
  /// - Throws: `bondPassphraseMissing` for an empty one; `bondFileUnreadable` if memory is short.
  public static func seal(_ bundle: BondBundle, passphrase: [UInt8]) throws(HearthError) -> [UInt8] {
    try prepare()
    var random = [UInt8](repeating: 0, count: SealHeader.saltSize + SealHeader.nonceSize)
    randombytes_buf(&random, random.count)
    let header = SealHeader(
      parameters: .standard, salt: Array(random.prefix(SealHeader.saltSize)),
      nonce: Array(random.suffix(SealHeader.nonceSize)))
    return try seal(bundle, passphrase: passphrase, header)
  }

  static func seal(_ bundle: BondBundle, passphrase: [UInt8], _ header: SealHeader) throws(HearthError) -> [UInt8] {
    try prepare()
    var key = try key(passphrase, header)
    defer { sodium_memzero(&key, key.count) }
    var plain = bundle.bytes
    defer { sodium_memzero(&plain, plain.count) }
    let head = header.bytes
    var sealed = [UInt8](repeating: 0, count: plain.count + tagSize)
    var length: UInt64 = 0
    _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
      &sealed, &length, plain, UInt64(plain.count), head, UInt64(head.count), nil, header.nonce, key)
    return head + sealed
  }

  /// - Throws:
  ///   - `bondFileDamaged`: the header is not that of a bond file, or the sealed content is no bundle.
  ///   - `bondPassphraseWrong`: the seal does not open, because of the passphrase or of damage; these two cannot be
  ///     distinguished.
  ///   - `bondPassphraseMissing`; `bondFileUnreadable` if memory is short.
  public static func open(_ file: [UInt8], passphrase: [UInt8]) throws(HearthError) -> BondBundle {
    if file.count > sizeLimit {
      throw HearthError(.bondFileDamaged, "\(file.count) bytes; a file of bonds has at most \(sizeLimit)")
    }
    let header = try SealHeader(file)
    let sealed = Array(file[SealHeader.size...])
    if sealed.count < tagSize { throw HearthError(.bondFileDamaged, "it is cut short") }
    try prepare()
    var key = try key(passphrase, header)
    defer { sodium_memzero(&key, key.count) }
    var plain = [UInt8](repeating: 0, count: sealed.count - tagSize)
    defer { sodium_memzero(&plain, plain.count) }
    var length: UInt64 = 0
    let code = crypto_aead_xchacha20poly1305_ietf_decrypt(
      &plain, &length, nil, sealed, UInt64(sealed.count), header.bytes, UInt64(SealHeader.size), header.nonce, key)
    if code != 0 { throw HearthError(.bondPassphraseWrong, "the seal does not open") }
    guard let bundle = BondBundle(plain) else {
      throw HearthError(.bondFileDamaged, "what was sealed is no list of bonds of this version")
    }
    return bundle
  }

  static func key(_ passphrase: [UInt8], _ header: SealHeader) throws(HearthError) -> [UInt8] {
    if passphrase.isEmpty { throw HearthError(.bondPassphraseMissing, "the passphrase is empty") }
    if passphrase.count > passphraseLimit {
      throw HearthError(.bondPassphraseMissing, "a passphrase has at most \(passphraseLimit) bytes")
    }
    var key = [UInt8](repeating: 0, count: keySize)
    var secret = passphrase.map { CChar(bitPattern: $0) }
    defer { sodium_memzero(&secret, secret.count) }
    let code = crypto_pwhash(
      &key, UInt64(keySize), secret, UInt64(secret.count), header.salt, UInt64(header.parameters.passes),
      Int(header.parameters.memory) * 1024,
      crypto_pwhash_ALG_ARGON2ID13)
    if code != 0 {
      throw HearthError(
        .bondFileUnreadable, "there are no \(header.parameters.memory / 1024) MiB of free memory to make its key")
    }
    return key
  }

  static func prepare() throws(HearthError) {
    if sodium_init() < 0 { throw HearthError(.bondFileUnreadable, "libsodium finds no source of random numbers") }
  }
}
