// Keys of encrypted recordings: their encoding for the wearable, and decryption.

public import Bluetooth
import CNettle
import EventLoop

extension PMD {
  /// Encryption of a recording: strategy and key.
  ///
  ///     06 01 strategy (1) key (by strategy)
  ///
  /// AES is used block by block without chaining (ECB), and without padding of its own. Equal blocks are therefore
  /// visible to an attacker, but the wearable defines the format.
  public struct Secret: Sendable, Hashable {
    /// Encryption of a recording.
    public enum Strategy: UInt8, Sendable, Hashable, CaseIterable {
      case none = 0
      /// Every byte is XORed with the first byte of the key.
      case xor = 1
      case aes128 = 2
      case aes256 = 3

      /// Bytes of the key; nil if any length is allowed.
      public var keyLength: Int? {
        switch self {
        case .none: 0
        case .xor: nil
        case .aes128: 16
        case .aes256: 32
        }
      }

      /// True for AES.
      public var isAES: Bool { self == .aes128 || self == .aes256 }
    }

    /// Encryption in use.
    public let strategy: Strategy
    /// Bytes of the key.
    public let key: [UInt8]

    /// Secret for no encryption.
    public static let none = Secret(unchecked: .none, key: [])
    /// Bytes of an AES block.
    public static let blockSize = 16

    /// nil if the key's length does not fit the strategy: 0, 1 to 255, 16 or 32 bytes.
    public init?(_ strategy: Strategy, key: [UInt8]) {
      if let length = strategy.keyLength {
        guard key.count == length else { return nil }
      } else {
        guard (1...255).contains(key.count) else { return nil }
      }
      self.init(unchecked: strategy, key: key)
    }

    private init(unchecked strategy: Strategy, key: [UInt8]) {
      self.strategy = strategy
      self.key = key
    }

    /// Key check value: 24 bits of an encrypted block of zeros, as is usual for AES. It distinguishes keys without
    /// disclosing them. nil for other strategies.
    public var checkValue: String? {
      guard strategy.isAES else { return nil }
      return [UInt8](repeating: 0, count: Self.blockSize).withUnsafeBytes { encrypt($0) }.map {
        hexadecimal($0.prefix(3)).lowercased()
      }
    }

    /// The security entry, which follows the settings of a start command.
    public func encode() -> [UInt8] { [PMD.securityTag, 1, strategy.rawValue] + key }

    /// nil if AES gets bytes that are not whole blocks.
    public func decrypt(_ bytes: RawBytes) -> [UInt8]? { apply(bytes, encrypting: false) }

    /// The inverse of `decrypt`, for simulated wearables.
    public func encrypt(_ bytes: RawBytes) -> [UInt8]? { apply(bytes, encrypting: true) }

    private func apply(_ bytes: RawBytes, encrypting: Bool) -> [UInt8]? {
      switch strategy {
      case .none: return Array(bytes)
      case .xor:
        guard let octet = key.first else { return nil }
        return bytes.map { $0 ^ octet }
      case .aes128, .aes256:
        guard bytes.count % Self.blockSize == 0 else { return nil }
        guard !bytes.isEmpty else { return [] }
        return [UInt8](unsafeUninitializedCapacity: bytes.count) { result, count in
          guard let source = bytes.assumingMemoryBound(to: UInt8.self).baseAddress, let target = result.baseAddress
          else { return }
          switch (strategy, encrypting) {
          case (.aes128, false):
            var context = aes128_ctx()
            nettle_aes128_set_decrypt_key(&context, key)
            nettle_aes128_decrypt(&context, bytes.count, target, source)
          case (.aes128, true):
            var context = aes128_ctx()
            nettle_aes128_set_encrypt_key(&context, key)
            nettle_aes128_encrypt(&context, bytes.count, target, source)
          case (_, false):
            var context = aes256_ctx()
            nettle_aes256_set_decrypt_key(&context, key)
            nettle_aes256_decrypt(&context, bytes.count, target, source)
          case (_, true):
            var context = aes256_ctx()
            nettle_aes256_set_encrypt_key(&context, key)
            nettle_aes256_encrypt(&context, bytes.count, target, source)
          }
          count = bytes.count
        }
      }
    }
  }
}
