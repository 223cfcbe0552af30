// A recording file in the wearable's memory: its header, and the frames in it.

public import Bluetooth
import CivilTime
import Health
public import Wearable

extension PMD {
  /// A file of a recording.
  ///
  ///     strategy   1       encryption of the metadata that follow, see `Secret.Strategy`
  ///     header     16      `2B 4C 7C 3D`, uint32 version, uint32 free, uint32 hash of the firmware
  ///     start      20      `yyyy-MM-dd HH:mm:ss` and a zero, in the wearable's local time
  ///     settings   1 + n   length, `Settings`
  ///     security   1 + n   length, strategy of the frames, for XOR which byte of the key; length 0: as the metadata
  ///     padding    0–16    only with AES: to a whole block counted from the header, or a whole block if none is needed
  ///     size       2       bytes of the first packet
  ///     padding    0–16    as before
  ///     packets    …       a frame; then a uint16 size and a frame, repeatedly
  ///
  /// The metadata (header to last padding) and the packets are encrypted separately.
  public struct Recording: Sendable {
    /// First four bytes of the header.
    public static let magic: UInt32 = 0x3D7C_4C2B
    /// The only known version.
    public static let version: UInt32 = 1
    /// Maximum number of bytes before the packets: 16 + 20 + 256 + 256 + 16 + 2 + 16, in whole blocks.
    private static let metadataLimit = 592

    /// Unused number of the header.
    public let free: UInt32
    /// Hash of the firmware that wrote the file, as received.
    public let firmwareHash: UInt32
    /// Start on the wearable's local clock, µs since 1970.
    public let start: Int64
    /// Settings of the measurement.
    public let settings: Settings
    /// Whether the metadata or the frames are encrypted.
    public let isEncrypted: Bool
    /// Encryption of the frames.
    let payloadSecret: Secret
    /// Offset of the first packet; nil if the file ends before it.
    let payload: (offset: Int, firstSize: Int)?

    /// Reason why a recording cannot be read.
    public enum Defect: Error, Sendable, Hashable {
      case empty
      /// The file ends before its frames.
      case cut
      /// Bytes that are no recording, or decrypted with the wrong key.
      case wrongSignature
      case unknownVersion(UInt32)
      case missingSecret
      /// The key does not have the strategy or the length that the file names.
      case wrongSecret
      case malformed(String)

      /// Stable identifier of the defect.
      public var code: String {
        switch self {
        case .empty: "empty"
        case .cut: "cut"
        case .wrongSignature: "wrong_signature"
        case .unknownVersion: "unknown_version"
        case .missingSecret: "missing_secret"
        case .wrongSecret: "wrong_secret"
        case .malformed: "malformed"
        }
      }

      /// - Parameter isEncrypted: whether the file's first byte says so.
      public func itemDefect(isEncrypted: Bool) -> ItemDefect {
        switch self {
        case .empty: .cut("a recording without a byte")
        case .cut: .cut("a recording that ends in its header")
        case .wrongSignature:
          isEncrypted ? .locked("a recording encrypted with another key") : .malformed("no recording")
        case .unknownVersion(let version): .unknownVersion("a recording of version \(version)")
        case .missingSecret: .locked("an encrypted recording, and no key")
        case .wrongSecret: .locked("a recording encrypted with another kind of key")
        case .malformed(let what): .malformed("a recording with a malformed \(what)")
        }
      }
    }

    /// - Parameter secret: the wearable's key, whether or not this file is encrypted; nil for a wearable without a key.
    /// - Throws: `empty`; `cut` if the header is incomplete; `wrongSignature`; `unknownVersion`; `malformed` for a
    ///   field of the header. `missingSecret` or `wrongSecret` for an encrypted file. A wrong key can also show as
    ///   `wrongSignature`.
    public init(_ bytes: RawBytes, secret: Secret?) throws(Defect) {
      guard let first = bytes.first else { throw .empty }
      guard let strategy = Secret.Strategy(rawValue: first) else { throw .malformed("strategy") }
      let secret = secret?.strategy == Secret.Strategy.none ? nil : secret
      let metadata = try Self.metadata(RawBytes(rebasing: bytes.dropFirst()), strategy, secret)
      self = try metadata.withUnsafeBytes { plain in
        Result { () throws(Defect) in try Recording(metadata: plain, strategy, secret) }
      }.get()
    }

    /// The metadata, decrypted up to their largest possible length.
    private static func metadata(_ bytes: RawBytes, _ strategy: Secret.Strategy, _ secret: Secret?) throws(Defect)
      -> [UInt8]
    {
      var part = RawBytes(rebasing: bytes.prefix(metadataLimit))
      if strategy == .none { return Array(part) }
      guard let secret else { throw .missingSecret }
      if strategy.isAES {
        guard secret.strategy == strategy else { throw .wrongSecret }
        part = RawBytes(rebasing: part.prefix(part.count / Secret.blockSize * Secret.blockSize))
        guard let plain = secret.decrypt(part) else { throw .wrongSecret }
        return plain
      }
      guard let plain = Secret(.xor, key: Array(secret.key.prefix(1)))?.decrypt(part) else { throw .wrongSecret }
      return plain
    }

    private init(metadata: RawBytes, _ strategy: Secret.Strategy, _ secret: Secret?) throws(Defect) {
      var reader = ByteReader(metadata)
      guard let magic = reader.u32() else { throw .cut }
      guard magic == Self.magic else { throw .wrongSignature }
      guard let version = reader.u32() else { throw .cut }
      guard version == Self.version else { throw .unknownVersion(version) }
      guard let free = reader.u32(), let hash = reader.u32(), let time = reader.take(20), let length = reader.u8(),
        let settings = reader.take(Int(length)), let securityLength = reader.u8(),
        let security = reader.take(Int(securityLength))
      else { throw .cut }
      self.free = free
      firmwareHash = hash
      guard let start = Self.time(time) else { throw .malformed("start") }
      self.start = start
      do { self.settings = try Settings(settings) } catch { throw .malformed("setting") }
      payloadSecret = try Self.payloadSecret(security, strategy, secret)
      isEncrypted = strategy != .none || payloadSecret.strategy != .none
      Self.skipPadding(&reader, strategy)
      guard let size = reader.u16() else {
        payload = nil
        return
      }
      Self.skipPadding(&reader, strategy)
      payload = (1 + reader.offset, Int(size))
    }

    private static func skipPadding(_ reader: inout ByteReader, _ strategy: Secret.Strategy) {
      guard strategy.isAES else { return }
      reader.skip(min(reader.remaining, Secret.blockSize - reader.offset % Secret.blockSize))
    }

    /// Encryption of the frames; without a security entry it is that of the metadata.
    private static func payloadSecret(_ security: RawBytes, _ strategy: Secret.Strategy, _ secret: Secret?)
      throws(Defect) -> Secret
    {
      guard let octet = security.first else { return strategy == .none ? .none : secret ?? .none }
      guard let own = Secret.Strategy(rawValue: octet) else { throw .malformed("strategy") }
      switch own {
      case .none: return .none
      case .xor:
        guard let secret else { throw .missingSecret }
        guard security.count >= 2 else { throw .malformed("security entry") }
        guard Int(security[1]) < secret.key.count, let xor = Secret(.xor, key: [secret.key[Int(security[1])]]) else {
          throw .wrongSecret
        }
        return xor
      case .aes128, .aes256:
        guard let secret else { throw .missingSecret }
        guard let aes = Secret(own, key: secret.key) else { throw .wrongSecret }
        return aes
      }
    }

    /// `yyyy-MM-dd HH:mm:ss` and a zero, as µs since 1970.
    private static func time(_ bytes: RawBytes) -> Int64? {
      guard bytes[10] == 0x20, let date = LocalDate(text: String(decoding: bytes[0..<10], as: UTF8.self)),
        bytes[13] == 0x3A, bytes[16] == 0x3A,
        let hours = Digits.number(bytes[11..<13]), let minutes = Digits.number(bytes[14..<16]),
        let seconds = Digits.number(bytes[17..<19])
      else { return nil }
      return PMD.localTime(date, hours, minutes, seconds)
    }

    /// ns to add to the times of a part's frames, by the time of the first one (ns since 2000); usually 0.
    ///
    /// The frames of some models follow a new time only after the next power cycle (`stream-clock-late`). The start in
    /// the file is right then. An unset clock shows a time long past, and no frame is older than its recording.
    ///
    /// - Parameter end: of the part before, corrected; 0 without one.
    func correction(first: UInt64, after end: UInt64) -> UInt64 {
      let begin = PMD.time(microseconds: start)
      guard begin > first, begin - first > Self.day else { return 0 }
      return max(begin, end) - first
    }

    /// ns; more than a clock that was set differs from itself by zones and crystals.
    private static let day: UInt64 = 86_400_000_000_000

    /// A position between two packets.
    public struct Cursor: Sendable, Hashable {
      /// Bytes of packets and sizes before this position.
      fileprivate var offset = 0
      /// Bytes of the next packet.
      fileprivate var size: Int
      /// Bytes after the last packet, once it was passed: padding of the last block, or a truncated packet.
      public fileprivate(set) var leftOver: Int?
    }

    /// The position of the first packet.
    public var firstPacket: Cursor { payload.map { Cursor(size: $0.firstSize) } ?? Cursor(size: 0, leftOver: 0) }

    /// Calls `body` with each packet, in order.
    ///
    /// - Parameter bytes: the same bytes that the initialiser received.
    /// - Returns: bytes after the last packet.
    /// - Throws: `wrongSecret` if AES packets are not whole blocks.
    @discardableResult
    public func forEachPacket(in bytes: RawBytes, _ body: (RawBytes) -> Void) throws(Defect) -> Int {
      var cursor = firstPacket
      try forEachPacket(in: bytes, from: &cursor, amount: .max, body)
      return cursor.leftOver ?? 0
    }

    /// Calls `body` with packets from `cursor` on, and advances it. No further packet is read once the packets have
    /// `amount` bytes together.
    ///
    /// - Throws: `wrongSecret` if AES packets are not whole blocks.
    public func forEachPacket(in bytes: RawBytes, from cursor: inout Cursor, amount: Int, _ body: (RawBytes) -> Void)
      throws(Defect)
    {
      guard cursor.leftOver == nil, let payload, payload.offset <= bytes.count else {
        cursor.leftOver = cursor.leftOver ?? 0
        return
      }
      let part = RawBytes(rebasing: bytes[payload.offset...])
      let isAES = payloadSecret.strategy.isAES
      guard !isAES || part.count.isMultiple(of: Secret.blockSize) else { throw .wrongSecret }
      let end = cursor.offset.addingReportingOverflow(amount)
      while cursor.leftOver == nil, end.overflow || cursor.offset < end.partialValue {
        guard cursor.size > 0, cursor.size <= part.count - cursor.offset else {
          cursor.leftOver = part.count - cursor.offset
          return
        }
        // The packet and the size of the next one, extended to whole blocks for AES.
        let last = min(cursor.offset + cursor.size + 2, part.count)
        let block = isAES ? Secret.blockSize : 1
        let first = cursor.offset / block * block
        let window = RawBytes(rebasing: part[first..<(last + block - 1) / block * block])
        if payloadSecret.strategy == .none {
          pass(&cursor, window, at: cursor.offset - first, of: part.count, body)
        } else {
          guard let plain = payloadSecret.decrypt(window) else { throw .wrongSecret }
          plain.withUnsafeBytes { pass(&cursor, $0, at: cursor.offset - first, of: part.count, body) }
        }
      }
    }

    /// Passes one packet at `place` of the decrypted bytes, and reads the size of the next one.
    private func pass(
      _ cursor: inout Cursor, _ plain: RawBytes, at place: Int, of total: Int, _ body: (RawBytes) -> Void
    ) {
      body(RawBytes(rebasing: plain[place..<place + cursor.size]))
      cursor.offset += cursor.size
      let left = total - cursor.offset
      var reader = ByteReader(RawBytes(rebasing: plain[(place + cursor.size)...]))
      guard let size = reader.u16(), size > 0, Int(size) <= left - 2 else {
        cursor.leftOver = left
        return
      }
      cursor.offset += 2
      cursor.size = Int(size)
    }
  }

  /// µs since 1970 of a local time; nil for an invalid time.
  static func localTime(_ date: LocalDate, _ hours: Int, _ minutes: Int, _ seconds: Int) -> Int64? {
    guard hours < 24, minutes < 60, seconds < 60 else { return nil }
    return (date.dayNumber * 86_400 + Int64(hours * 3600 + minutes * 60 + seconds)) * 1_000_000
  }
}

/// Decimal numbers in names and times.
enum Digits {
  /// nil unless the text has 1 to 18 digits and no other characters.
  static func number(_ text: some Collection<UInt8>) -> Int? {
    guard (1...18).contains(text.count) else { return nil }
    var number = 0
    for octet in text {
      guard isDigit(octet) else { return nil }
      number = number * 10 + Int(octet - 0x30)
    }
    return number
  }

  static func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }
}
