// Debian programs for the update: apt, dpkg and the package's own helper. Each is a child without a shell.

import Glibc

enum UpdateChild {
  /// Maximum number of bytes of an answer.
  private static let limit = 256 << 10

  /// Output of a program; nil if it cannot run or ends with a status other than 0. The output is not shown.
  static func answer(_ words: [String]) -> String? {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) != 0 { return nil }
    let child = spawn(words, output: ends[1], quiet: true)
    close(ends[1])
    defer { close(ends[0]) }
    guard let child else { return nil }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count < limit {
      let count = read(ends[0], &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      bytes += piece[..<count]
    }
    // A too long answer is cut, and its writer gets an error.
    return ended(child) == 0 || bytes.count >= limit ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Runs a program visibly. Its output goes to standard error, so that standard output stays free for a document.
  ///
  /// - Returns: its exit status; 127 if it cannot run, 128 and more for a signal.
  static func run(_ words: [String]) -> Int32 {
    guard let child = spawn(words, output: 2, quiet: false) else { return 127 }
    return ended(child)
  }

  private static func spawn(_ words: [String], output: Int32, quiet: Bool) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    if quiet { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    if output > 2 { posix_spawn_file_actions_addclose(&actions, output) }
    // Answers are parsed, so they must be in English.
    var settings = ["LC_ALL=C", "DEBIAN_FRONTEND=noninteractive"]
    var place = environ
    while let entry = place.pointee {
      let text = String(cString: entry)
      if !text.hasPrefix("LC_ALL=") && !text.hasPrefix("DEBIAN_FRONTEND=") { settings.append(text) }
      place += 1
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
    defer { for word in arguments + variables { free(word) } }
    var child: pid_t = 0
    return posix_spawnp(&child, words[0], &actions, nil, &arguments, &variables) == 0 ? child : nil
  }

  private static func ended(_ child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
