// Encryption of the store's secrets with the key of the key file, each bound to its place. libsodium provides all of
// the cryptography.

internal import CSodium
internal import StateCodec

/// The place of a sealed content. A seal opens only there, so moving it to another wearable's record makes it useless.
///
/// Authenticated with the content: `hearth-seal`, layout of the seal (u8), name of the table, 0, tag of the field (u8).
/// Then length of the key (u8), key of the record, and the other parts of the record on which the content depends.
struct SealPlace {
  let table: String
  let key: [UInt8]
  let tag: UInt8
  var bound: [UInt8] = []

  var bytes: [UInt8] {
    var bytes = Array("hearth-seal".utf8)
    bytes.append(SecretsVault.layout)
    bytes += Array(table.utf8)
    bytes += [0, tag, UInt8(clamping: key.count)]
    return bytes + key + bound
  }
}

/// Seals and opens secrets. The key lies in memory that is neither swapped nor dumped, if the system allows that, and
/// is wiped when the vault is released.
///
/// | bytes of a seal | field |
/// |---|---|
/// | 1 | layout: 1 |
/// | 24 | nonce, random |
/// | … | content under XChaCha20-Poly1305 (IETF); last the tag (16) |
///
/// Each seal has a random nonce of 192 bits: two are likely to be equal only after 2^80 seals.
final class SecretsVault: @unchecked Sendable {
  static let keySize = 32
  static let layout: UInt8 = 1
  static let nonceSize = 24
  static let tagSize = 16
  /// Bytes that a seal adds to its content.
  static let overhead = 1 + nonceSize + tagSize
  static let checkSize = 16

  private let key: UnsafeMutablePointer<UInt8>
  /// Identifies the key without revealing it: BLAKE2b with 128 bits under the key.
  let check: [UInt8]

  /// nil if libsodium finds no source of random numbers or no memory. Wipes the caller's bytes.
  init?(_ bytes: inout [UInt8]) {
    defer { sodium_memzero(&bytes, bytes.count) }
    guard bytes.count == Self.keySize, sodium_init() >= 0,
      let place = sodium_malloc(Self.keySize)?.assumingMemoryBound(to: UInt8.self)
    else { return nil }
    place.update(from: bytes, count: Self.keySize)
    key = place
    let text = Array("hearth secrets check".utf8)
    var check = [UInt8](repeating: 0, count: Self.checkSize)
    crypto_generichash(&check, Self.checkSize, text, UInt64(text.count), place, Self.keySize)
    self.check = check
  }

  deinit { sodium_free(key) }

  func seal(_ content: [UInt8], at place: SealPlace) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: Self.nonceSize)
    randombytes_buf(&nonce, nonce.count)
    let bound = place.bytes
    var sealed = [UInt8](repeating: 0, count: content.count + Self.tagSize)
    _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
      &sealed, nil, content, UInt64(content.count), bound, UInt64(bound.count), nil, nonce, key)
    return [Self.layout] + nonce + sealed
  }

  /// Opens a seal; nil unless it was made at this place under this key.
  func open(_ seal: [UInt8], at place: SealPlace) -> [UInt8]? {
    guard Self.isSeal(seal.count, first: seal.first) else { return nil }
    let nonce = Array(seal[1..<(1 + Self.nonceSize)])
    let sealed = Array(seal[(1 + Self.nonceSize)...])
    let bound = place.bytes
    var content = [UInt8](repeating: 0, count: sealed.count - Self.tagSize)
    let code = crypto_aead_xchacha20poly1305_ietf_decrypt(
      &content, nil, nil, sealed, UInt64(sealed.count), bound, UInt64(bound.count), nonce, key)
    return code == 0 ? content : nil
  }

  /// Whether bytes have the layout of a seal, whatever their content.
  static func isSeal(_ count: Int, first: UInt8?) -> Bool { count >= overhead && first == layout }

  /// Fresh bytes for a key; nil without a source of random numbers. The caller wipes them (`init` does).
  static func freshKey() -> [UInt8]? {
    if sodium_init() < 0 { return nil }
    var bytes = [UInt8](repeating: 0, count: keySize)
    randombytes_buf(&bytes, bytes.count)
    return bytes
  }

  static func wipe(_ bytes: inout [UInt8]) { sodium_memzero(&bytes, bytes.count) }
}

extension FieldReader {
  /// Reads a seal of at most `limit` bytes of content.
  mutating func readSeal(_ seal: inout [UInt8]?, content limit: Int) {
    guard content.count <= limit + SecretsVault.overhead, SecretsVault.isSeal(content.count, first: content.first)
    else {
      return refuse()
    }
    seal = Array(content)
  }
}
