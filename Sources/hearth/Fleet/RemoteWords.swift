// Arguments of ssh, by which the shell of a hub gets exactly the typed words, and no other command runs.

import Reasons

enum RemoteWords {
  /// `hearth WORDS` as one line that the login shells sh, fish and csh of a hub read alike.
  ///
  /// - Throws: `Misuse` for a word with control characters, which shells read differently.
  static func line(_ words: [String]) throws(Misuse) -> String {
    var line = "hearth"
    for word in words {
      if word.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
        throw FleetCall.misuse("a word with a control character is given to one hub at a time")
      }
      line += " " + quoted(word)
    }
    return line
  }

  /// A word for a shell. Within single quotes sh keeps all characters except a single quote. fish also reads
  /// backslashes there, and csh exclamation marks. These three stand outside the quotes, each after a backslash.
  static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
    var text = ""
    var run = ""
    func close() {
      if !run.isEmpty { text += "'\(run)'" }
      run = ""
    }
    for scalar in word.unicodeScalars {
      switch scalar {
      case "'", "\\", "!":
        close()
        text += "\\"
        text.unicodeScalars.append(scalar)
      default: run.unicodeScalars.append(scalar)
      }
    }
    close()
    return text.isEmpty ? "''" : text
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-_./:,@+=".utf8.contains(byte)
    }
  }

  /// Seconds to connect to a hub that does not respond.
  private static let connectPatience: Int64 = 10

  /// Arguments of ssh itself. Some effects of the user's settings are switched off: questions, terminals, further
  /// commands, lasting connections and forwardings. Name and route of the hub stay as set there.
  static func ssh(_ program: String, _ hub: String, _ call: FleetCall, _ line: String) -> [String] {
    var words = [program, "-T", "-n", "-a", "-x"]
    if let file = call.sshConfig { words += ["-F", file] }
    let settings = [
      "BatchMode=yes", "ConnectTimeout=\(min(connectPatience, call.within))", "ControlMaster=no", "ControlPersist=no",
      "ForkAfterAuthentication=no", "PermitLocalCommand=no", "RemoteCommand=none", "ClearAllForwardings=yes",
      "EscapeChar=none", "LogLevel=ERROR",
    ]
    for setting in settings { words += ["-o", setting] }
    return words + ["--", hub, line]
  }
}
