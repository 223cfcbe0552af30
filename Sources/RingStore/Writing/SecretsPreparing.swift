// How an opened store comes to its secrets: the key is found or made, and what is in clear is sealed.

internal import EventLoop
internal import Reasons

extension StoreSecrets {
  /// Finds or makes the key, and makes sure that no secret stays in clear. Reads and writes the disk. Meant for the
  /// opening of a store, with its lock held and no other process using it.
  ///
  /// A store without its key is opened all the same: sealed secrets stay as they are.
  ///
  /// - Parameters:
  ///   - environment: is closed and opened again if pages are to be overwritten.
  ///   - isNew: the store was made just now.
  static func prepare(
    _ environment: inout Environment, _ options: StoreOptions, isNew: Bool,
    reopen: () throws(DatabaseFailure) -> Environment
  ) throws(DatabaseFailure) -> StoreSecrets {
    let (mark, hasSeals) = try environment.read { transaction throws(DatabaseFailure) in
      (try SecretsMark.load(transaction), try SecretsConversion.hasSeals(transaction))
    }
    let vault: SecretsVault
    do throws(HearthError) {
      vault = try find(SecretsKeyFile(options), mark, hasSeals: hasSeals)
    } catch {
      return StoreSecrets(vault: nil, trouble: error)
    }
    if isNew {
      try environment.write { transaction throws(DatabaseFailure) in
        try SecretsMark(check: vault.check, isClean: true).keep(transaction)
      }
      return StoreSecrets(vault: vault, trouble: nil)
    }
    do {
      if let trouble = try convert(&environment, options, vault, mark, reopen) {
        return StoreSecrets(vault: vault, trouble: trouble)
      }
      return StoreSecrets(vault: vault, trouble: nil)
    } catch {
      // No room, or a card that fails: the store is of use as it is, and the conversion goes on at the next start.
      if error.isOfRoots { throw error }
      return StoreSecrets(vault: vault, trouble: openFailure(error.code, options.path))
    }
  }

  /// - Returns: why secrets may still be in clear; nil if all are sealed.
  private static func convert(
    _ environment: inout Environment, _ options: StoreOptions, _ vault: SecretsVault, _ mark: SecretsMark?,
    _ reopen: () throws(DatabaseFailure) -> Environment
  ) throws(DatabaseFailure) -> HearthError? {
    let wasClean = mark?.isClean ?? false
    let found = try SecretsConversion.seal(environment, vault, options.conversionProbe)
    if wasClean, found == 0 {
      if mark?.check != vault.check {
        try environment.write { transaction throws(DatabaseFailure) in
          try SecretsMark(check: vault.check, isClean: true).keep(transaction)
        }
      }
      return nil
    }
    try environment.write { transaction throws(DatabaseFailure) in
      try SecretsMark(check: vault.check, isClean: false).keep(transaction)
    }
    environment.awaitReaders()
    // What LMDB keeps of its pages in memory goes with it: it would come to lie in pages that are written later.
    environment.close()
    options.conversionProbe?("overwrite")
    var trouble: HearthError?
    do throws(HearthError) { try PageScrub.run(options) } catch { trouble = error }
    environment = try reopen()
    if trouble == nil {
      options.conversionProbe?("mark")
      try environment.write { transaction throws(DatabaseFailure) in
        try SecretsMark(check: vault.check, isClean: true).keep(transaction)
      }
    }
    return trouble
  }

  private static func find(_ file: SecretsKeyFile, _ mark: SecretsMark?, hasSeals: Bool) throws(HearthError)
    -> SecretsVault
  {
    var key: [UInt8]
    switch file.load() {
    case .key(let found): key = found
    case .absent:
      if hasSeals {
        throw HearthError(.secretsKeyMissing, "\(file.path) is not there, and the store has secrets sealed under it")
      }
      key = try file.make()
    case .denied: throw HearthError(.secretsKeyWrong, "\(file.path) may not be read by this program's user")
    case .refused(let why): throw why
    }
    guard let vault = SecretsVault(&key) else {
      throw HearthError(.secretsKeyMissing, "libsodium has no memory or no random numbers")
    }
    if hasSeals, let mark, mark.check != vault.check {
      throw HearthError(.secretsKeyWrong, "\(file.path) is another key than the store's secrets are sealed under")
    }
    return vault
  }
}
