// Which machine this is, for a sink that hears two hubs with one store's number: the same one under another name, or a
// second one with a copied card.

internal import CSodium
internal import EventLoop
internal import Glibc

enum MachineMark {
  /// 16 hexadecimal digits of BLAKE2b of the machine's own number and its processor's; nil: the processor has none, and
  /// what a card has is on its copy too. The numbers themselves stay here.
  static func said() -> String? {
    let marks = ["/etc/machine-id", "/sys/firmware/devicetree/base/serial-number"].map(line)
    if marks[1].allSatisfy({ $0 == UInt8(ascii: "0") }) { return nil }
    let text = Array("io.hearth.machine\n".utf8) + Array(marks.joined(separator: [0x0A]))
    return shortHash(text)
  }

  /// The printable beginning of a file, at most 64 bytes.
  private static func line(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return count <= 0 ? [] : Array(bytes.prefix(count).prefix { (0x21...0x7E).contains($0) })
  }
}

/// 16 hexadecimal digits of BLAKE2b without a key; nil: the library does not do it.
func shortHash(_ bytes: [UInt8]) -> String? {
  // The least that the library makes is 16 bytes; the first eight are said.
  var hash = [UInt8](repeating: 0, count: 16)
  if crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0) != 0 { return nil }
  return hexadecimal(hash.prefix(8)).lowercased()
}
