// Identification of this machine.

import Glibc
import RingStore

enum Machine {
  /// - Parameter radio: the adapter's own address; nil: unknown.
  static func marks(radio: String?) -> MachineMarks {
    MachineMarks(
      machine: text("/etc/machine-id"), processor: text("/sys/firmware/devicetree/base/serial-number"), radio: radio)
  }

  /// Printable start of a file, at most 64 bytes; nil: no such file.
  private static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    if count <= 0 { return nil }
    let text = String(decoding: bytes.prefix(count).prefix { (0x21...0x7E).contains($0) }, as: UTF8.self)
    // A board without a serial number reports zeros.
    return text.allSatisfy { $0 == "0" } ? nil : text
  }
}
