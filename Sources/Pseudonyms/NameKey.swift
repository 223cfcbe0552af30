// A secret key, and the words that only its owner can make again of names.

internal import CSodium
internal import EventLoop
internal import Glibc
public import Reasons

/// A key that makes words of texts: equal texts have equal words.
public struct NameKey: Sendable {
  /// Bytes of a key.
  public static let length = 16...64

  private let bytes: [UInt8]

  /// - Parameter bytes: as many as `length` says.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a file that contains only the key.
  ///
  /// - Parameter role: what named the file, for the error.
  /// - Throws: `configUnreadable` for a file that cannot be read, and for one that is not 16 to 64 bytes long.
  public init(file: String, as role: String) throws(HearthError) {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      throw HearthError(.configUnreadable, "\(file) (\(role)): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: Self.length.upperBound + 1)
    let count = read(descriptor, &buffer, buffer.count)
    if !Self.length.contains(count) {
      throw HearthError(.configUnreadable, "\(file) (\(role)) is no key of 16 to 64 bytes")
    }
    bytes = Array(buffer.prefix(count))
  }

  /// The first 16 hexadecimal digits of BLAKE2b of the text under the key; empty if the library refuses the key.
  public func word(_ text: String) -> String {
    // The shortest hash of the library has 16 bytes.
    var hash = [UInt8](repeating: 0, count: 16)
    let text = Array(text.utf8)
    if crypto_generichash(&hash, hash.count, text, UInt64(text.count), bytes, bytes.count) != 0 { return "" }
    return hexadecimal(hash.prefix(8)).lowercased()
  }
}
