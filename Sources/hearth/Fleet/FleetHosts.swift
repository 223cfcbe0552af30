// Hosts in the user's ssh settings, as completions for `--hub`.

import Glibc

enum FleetHosts {
  private static let limit = 256 << 10

  /// The text of `~/.ssh/config`; empty without a file.
  static func read() -> String {
    guard let home = getenv("HOME") else { return "" }
    let descriptor = open(String(cString: home) + "/.ssh/config", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count < limit {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count <= 0 { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Hosts that a settings file names in full, in its order, each once.
func sshHosts(_ text: String) -> [String] {
  var found: [String] = []
  for line in text.split(whereSeparator: \.isNewline) {
    let words = line.split { $0 == " " || $0 == "\t" || $0 == "=" }
    guard words.first?.lowercased() == "host" else { continue }
    for word in words.dropFirst() {
      let name = String(word)
      // Patterns are not hosts.
      if FleetCall.isHub(name), !found.contains(name) { found.append(name) }
    }
  }
  return found
}

/// Completions of `a,b` and a comma: hosts that are not named yet, each after the present text.
func hubCandidates(behind word: String, _ hosts: [String]) -> [String] {
  let named = word.split(separator: ",", omittingEmptySubsequences: false).dropLast().map(String.init)
  let before = named.map { "\($0)," }.joined()
  return hosts.filter { !named.contains($0) }.map { before + $0 }
}
