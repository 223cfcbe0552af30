// TLS for one connection, in memory: received bytes in, bytes to send out.

internal import CTLS

/// Certificate files. They are read when a connection starts, so that a new certificate needs no restart.
public struct TLSFiles: Sendable {
  /// Trusted certificates; nil: those of the system.
  public var trusted: String?
  /// File of the client's certificate, if any.
  public var certificate: String?
  /// File of its private key.
  public var key: String?

  /// Paths of the files; `trusted` nil: the system's authorities.
  public init(trusted: String? = nil, certificate: String? = nil, key: String? = nil) {
    (self.trusted, self.certificate, self.key) = (trusted, certificate, key)
  }
}

/// OpenSSL's reason why there is no secure connection.
struct TLSDefect: Error, Sendable {
  let words: String
}

struct TLSChannel: ~Copyable {
  private let tls: OpaquePointer
  private(set) var isReady = false
  /// Bytes moved in one call; a TLS record has 16 KiB.
  private static let piece = 16_384
  private static let words = 256

  init(_ files: TLSFiles, host: String) throws(TLSDefect) {
    var error = [CChar](repeating: 0, count: Self.words)
    guard let tls = hearth_tls_open(files.trusted, files.certificate, files.key, host, &error, error.count) else {
      throw TLSDefect(words: text(error))
    }
    self.tls = tls
  }

  deinit { hearth_tls_close(tls) }

  /// Continues the handshake.
  mutating func begin() throws(TLSDefect) {
    var error = [CChar](repeating: 0, count: Self.words)
    let result = hearth_tls_handshake(tls, &error, error.count)
    if result < 0 { throw TLSDefect(words: text(error)) }
    isReady = result > 0
  }

  /// Processes bytes from the wire. Returns true if the broker ended the session.
  mutating func receive(_ wire: ArraySlice<UInt8>, into said: inout [UInt8]) throws(TLSDefect) -> Bool {
    let isTaken = wire.withUnsafeBytes { hearth_tls_came(tls, $0.baseAddress, $0.count) }
    if isTaken == 0 { throw TLSDefect(words: "no memory") }
    if !isReady { try begin() }
    if !isReady { return false }
    var error = [CChar](repeating: 0, count: Self.words)
    var buffer = [UInt8](repeating: 0, count: Self.piece)
    while true {
      let count = hearth_tls_read(tls, &buffer, buffer.count, &error, error.count)
      if count == 0 { return false }
      if count == -1 { return true }
      if count < 0 { throw TLSDefect(words: text(error)) }
      said += buffer.prefix(count)
    }
  }

  func send(_ bytes: [UInt8]) throws(TLSDefect) {
    var error = [CChar](repeating: 0, count: Self.words)
    if hearth_tls_write(tls, bytes, bytes.count, &error, error.count) == 0 { throw TLSDefect(words: text(error)) }
  }

  func end() { hearth_tls_end(tls) }

  /// Moves the bytes to be sent over the wire.
  func drain(into wire: inout [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: Self.piece)
    while true {
      let count = hearth_tls_goes(tls, &buffer, buffer.count)
      if count == 0 { return }
      wire += buffer.prefix(count)
    }
  }
}

private func text(_ error: [CChar]) -> String {
  String(decoding: error.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
