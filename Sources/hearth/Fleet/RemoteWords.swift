// What ssh is called with, so that the shell of a hub sees the words that were typed here, and nothing runs beside
// them.

import Reasons

enum RemoteWords {
  /// `hearth WORDS` as one line for the login shell of a hub, whichever that is: sh, fish and csh read it alike.
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

  /// One word of a shell. Within single quotes sh leaves all but a single quote alone, fish also reads backslashes
  /// there, and csh exclamation marks: these stand outside, each behind a backslash.
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

  /// Seconds for a hub that does not answer at all.
  private static let connectPatience: Int64 = 10

  /// The words of ssh itself. Nothing of the user's settings may ask, open a terminal, run something else, keep a
  /// connection open behind it or let the hub in here; who the hub is and how it is reached is theirs.
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
