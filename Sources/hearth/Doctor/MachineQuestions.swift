// Queries of the machine without a file: the channel of a wireless interface, and systemd's state of the unit.

import Glibc

/// Frequency of an interface by the kernel's wireless extensions. sysfs does not have it; this call needs no privilege
/// and no program.
enum WirelessFrequency {
  /// SIOCGIWFREQ of linux/wireless.h.
  private static let question: UInt = 0x8B05

  /// MHz; nil if the interface is not connected, or the driver does not report it.
  @Sendable static func read(_ interface: String) -> Int? {
    let name = Array(interface.utf8)
    // IFNAMSIZ with its NUL.
    if name.isEmpty || name.count > 15 { return nil }
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    // struct iwreq: 16 bytes of name, then a union of 16 whose member is {int32 mantissa; int16 exponent; u8; u8}.
    var request = name + [UInt8](repeating: 0, count: 32 - name.count)
    let code = request.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { ioctl(descriptor, question, $0) } ?? -1
    }
    if code < 0 { return nil }
    let (mantissa, exponent) = request.withUnsafeBytes {
      ($0.loadUnaligned(fromByteOffset: 16, as: Int32.self), $0.loadUnaligned(fromByteOffset: 20, as: Int16.self))
    }
    return megahertz(mantissa: mantissa, exponent: exponent)
  }

  /// `mantissa` times ten to the `exponent` hertz; values below a thousand are channel numbers.
  static func megahertz(mantissa: Int32, exponent: Int16) -> Int? {
    guard mantissa > 0, (0...9).contains(exponent) else { return nil }
    var hertz = Int64(mantissa)
    for _ in 0..<exponent { hertz *= 10 }
    if hertz < 1000 {
      switch hertz {
      case 1...13: return 2407 + 5 * Int(hertz)
      case 14: return 2484
      case 32...177: return 5000 + 5 * Int(hertz)
      default: return nil
      }
    }
    let found = Int(hertz / 1_000_000)
    return (2000...8000).contains(found) ? found : nil
  }
}

/// systemctl as a child without a shell.
enum SystemctlChild {
  /// Maximum number of bytes of an answer: some dozens of properties, with paths of drop-ins as the longest.
  private static let answerLimit = 64 << 10
  /// Timeout in milliseconds. The call goes to systemd over a local bus, so that a longer silence means a hang.
  private static let patience: Int32 = 5000

  @Sendable static func show(_ properties: [String]) -> String? {
    let arguments = [
      "systemctl", "show", "hearthd.service", "--no-pager", "--property=" + properties.joined(separator: ","),
    ]
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) != 0 { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addclose(&actions, ends[0])
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addclose(&actions, ends[1])
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, "systemctl", &actions, nil, &words, environ)
    close(ends[1])
    defer { close(ends[0]) }
    if code != 0 { return nil }
    let answer = answer(ends[0])
    if answer == nil { kill(child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? answer.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// Whole output; nil if it is empty or too long.
  private static func answer(_ descriptor: Int32) -> [UInt8]? {
    var found: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while found.count <= answerLimit {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&entry, 1, patience)
      if ready < 0, errno == EINTR { continue }
      if ready <= 0 { return nil }
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return count == 0 ? found : nil }
      found += piece[..<count]
    }
    return nil
  }
}
