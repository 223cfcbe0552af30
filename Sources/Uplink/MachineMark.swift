// Mark of this machine. With it a sink that receives two hubs with one store identity distinguishes a renamed machine
// from a second one with a copied card.

internal import CSodium
internal import EventLoop
internal import Glibc

enum MachineMark {
  /// 16 hexadecimal digits of BLAKE2b of the machine ID and the processor's serial number. The numbers themselves are
  /// never sent. nil if the processor has no serial number, because the rest is on a copied card too.
  static func said() -> String? {
    let marks = ["/etc/machine-id", "/sys/firmware/devicetree/base/serial-number"].map(line)
    if marks[1].allSatisfy({ $0 == UInt8(ascii: "0") }) { return nil }
    let text = Array("io.hearth.machine\n".utf8) + Array(marks.joined(separator: [0x0A]))
    return shortHash(text)
  }

  /// The printable start of a file, at most 64 bytes.
  private static func line(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return count <= 0 ? [] : Array(bytes.prefix(count).prefix { (0x21...0x7E).contains($0) })
  }
}

/// 16 hexadecimal digits of BLAKE2b without a key; nil if the library fails.
func shortHash(_ bytes: [UInt8]) -> String? {
  // The library's shortest hash has 16 bytes; the first eight are used.
  var hash = [UInt8](repeating: 0, count: 16)
  if crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0) != 0 { return nil }
  return hexadecimal(hash.prefix(8)).lowercased()
}
