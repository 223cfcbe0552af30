// The state of an open store's secrets: a vault, or why it is missing. Decided once, at opening.

internal import EventLoop
internal import Glibc
internal import Reasons

/// The value of the key `secrets` of `meta`. States under which key the store's seals were made, and whether earlier
/// secrets in the clear were overwritten.
///
/// | bytes | field |
/// |---|---|
/// | 1 | layout: 1 |
/// | 16 | check of the key: BLAKE2b with 128 bits of `hearth secrets check` under it |
/// | 1 | 0: pages may still hold secrets in the clear; 1: they were overwritten |
struct SecretsMark: Equatable {
  static let key = Array("secrets".utf8)
  private static let layout: UInt8 = 1

  let check: [UInt8]
  let isClean: Bool

  init(check: [UInt8], isClean: Bool) {
    self.check = check
    self.isClean = isClean
  }

  /// Parses a mark; nil for bytes that no program of this layout wrote.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == SecretsVault.checkSize + 2, bytes[0] == Self.layout, let state = bytes.last, state <= 1 else {
      return nil
    }
    check = Array(bytes[1...SecretsVault.checkSize])
    isClean = state == 1
  }

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> SecretsMark? {
    try transaction.get(transaction.tables.meta, key).flatMap { SecretsMark($0) }
  }

  func keep(_ transaction: Transaction) throws(DatabaseFailure) {
    try transaction.put(transaction.tables.meta, Self.key, [Self.layout] + check + [isClean ? 1 : 0])
  }
}

/// The vault of an open store, a value that is handed to all its parts.
struct StoreSecrets: Sendable {
  let vault: SecretsVault?
  /// Reason why there is no vault, or why the store still has secrets in the clear.
  let trouble: HearthError?

  /// The vault for sealing new secrets.
  ///
  /// - Throws: why there is no vault. The caller then writes no secret in the clear and leaves sealed ones unchanged.
  func forWriting() throws(HearthError) -> SecretsVault {
    if let vault { return vault }
    throw trouble ?? HearthError(.secretsKeyMissing, "the store has no key for its secrets")
  }
}

extension StoreSecrets {
  /// The secrets that a program which only reads the store may open.
  static func forReading(_ options: StoreOptions, _ mark: SecretsMark?) -> StoreSecrets {
    let file = SecretsKeyFile(options)
    func none(_ trouble: HearthError) -> StoreSecrets { StoreSecrets(vault: nil, trouble: trouble) }
    switch file.load() {
    case .key(var key):
      guard let vault = SecretsVault(&key) else {
        return none(HearthError(.secretsKeyMissing, "libsodium has no memory or no random numbers"))
      }
      if let mark, mark.check != vault.check {
        return none(
          HearthError(.secretsKeyWrong, "\(file.path) is another key than the store's secrets are sealed under"))
      }
      return StoreSecrets(vault: vault, trouble: nil)
    case .absent: return none(HearthError(.secretsKeyMissing, "\(file.path) is not there"))
    case .denied:
      return none(
        HearthError(.controlNotAllowed, "the keys are sealed, and \(file.path) is for root and the hub's user alone"))
    case .refused(let why): return none(why)
    }
  }
}
