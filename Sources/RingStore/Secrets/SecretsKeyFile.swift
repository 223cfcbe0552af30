// The key of the store's secrets on disk: a file that only its owner may read, or a credential from systemd.

internal import EventLoop
internal import Glibc
internal import Reasons

/// Path of the key, and the rules for it.
///
/// The file has exactly 32 bytes, is a regular file and no link. The owner is the process's user or that of the store's
/// folder, and no other user may read or write it. A credential of systemd named `hearth-secrets-key` comes first
/// (`LoadCredential=`, `LoadCredentialEncrypted=`, `SetCredentialEncrypted=`). The service gets access by an access
/// list, which appears as a right of the group; root may own the file.
struct SecretsKeyFile {
  let path: String
  let isCredential: Bool
  private let store: String

  static let credentialName = "hearth-secrets-key"
  static let fileName = "secrets.key"
  private static let mode: mode_t = 0o600

  enum Found {
    /// 32 bytes, to be wiped by the caller.
    case key([UInt8])
    case absent
    /// The file exists, but this user may not read it.
    case denied
    /// H4011.
    case refused(HearthError)
  }

  init(_ options: StoreOptions) {
    store = options.path
    let credential = options.credentials.map { "\($0)/\(Self.credentialName)" }
    if let credential, access(credential, F_OK) == 0 {
      (path, isCredential) = (credential, true)
    } else {
      (path, isCredential) = (options.secretsKey ?? "\(options.path)/\(Self.fileName)", false)
    }
  }

  func load() -> Found {
    // Without O_NONBLOCK a pipe of that name would block the hub's start.
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 {
      switch errno {
      case ENOENT: return .absent
      case EACCES, EPERM: return .denied
      case ELOOP: return refused("is a symbolic link")
      default: return refused("cannot be opened: \(String(cString: strerror(errno)))")
      }
    }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG { return refused("is no file") }
    if let why = objection(status) { return refused(why) }
    var bytes = [UInt8](repeating: 0, count: SecretsVault.keySize + 1)
    let count = read(descriptor, &bytes, bytes.count)
    if count != SecretsVault.keySize {
      SecretsVault.wipe(&bytes)
      return refused("has another length than a key's \(SecretsVault.keySize) bytes")
    }
    bytes.removeLast()
    return .key(bytes)
  }

  private func objection(_ status: stat) -> String? {
    let rights = status.st_mode & 0o777
    if rights & (isCredential ? 0o007 : 0o077) != 0 {
      return "has mode \(String(rights, radix: 8)): others than its owner may read it; chmod 600"
    }
    var folder = stat()
    let storeOwner = stat(store, &folder) == 0 ? folder.st_uid : nil
    let isOwn = status.st_uid == geteuid() || status.st_uid == storeOwner || isCredential && status.st_uid == 0
    return isOwn ? nil : "belongs to user \(status.st_uid), neither this program's nor the store's"
  }

  private func refused(_ why: String) -> Found { .refused(HearthError(.secretsKeyWrong, "\(path) \(why)")) }

  /// Makes a new random key. The file is on the disk on return, before anything is sealed under the key.
  ///
  /// The key is written under another name first: a power cut leaves no file, or a whole one.
  ///
  /// - Throws: `secretsKeyMissing` with the reason.
  func make() throws(HearthError) -> [UInt8] {
    guard var key = SecretsVault.freshKey() else {
      throw HearthError(.secretsKeyMissing, "libsodium finds no source of random numbers")
    }
    let fresh = path + ".new"
    unlink(fresh)
    let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, Self.mode)
    var code = descriptor < 0 ? errno : 0
    if descriptor >= 0 {
      let isWritten = write(descriptor, key, key.count) == key.count && fsync(descriptor) == 0
      if !isWritten { code = errno == 0 ? EIO : errno }
      close(descriptor)
    }
    // link(2) never replaces an existing file.
    if code == 0, link(fresh, path) != 0 { code = errno }
    unlink(fresh)
    if code != 0 {
      SecretsVault.wipe(&key)
      throw HearthError(.secretsKeyMissing, "\(path) cannot be made: \(String(cString: strerror(code)))")
    }
    syncDirectory(folder)
    return key
  }

  private var folder: String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/")
  }
}
