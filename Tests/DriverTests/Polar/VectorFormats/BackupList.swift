// Which files are kept before firmware is written: the wearable's own list, and what is never missing.
// No firmware is written here, so nothing is backed up: kept for the vectors.

@testable import PolarFamily

extension PSFTP {
  enum BackupList {
    static let folder = "/SYS/"
    static let path = "/SYS/BACKUP.TXT"
    /// What belongs to the wearer, whatever the list says.
    static let always = ["/U/*/S/PHYSDATA.BPB", "/U/*/S/UDEVSET.BPB", "/U/*/S/PREFS.BPB", "/U/*/USERID.BPB"]
    /// Lines that make sense.
    static let limit = 256

    /// What is read for a backup, in its order, each once: the list, then what it names. A line that ends in `/` is a
    /// folder with all in it; a `*` other than that of the user stands for the folders found where it stands, so that
    /// what is before it is read.
    static func requests(_ text: String) -> [String] {
      var seen: Set<String> = []
      let lines = text.split(whereSeparator: \.isNewline).prefix(limit).map(String.init).filter { $0.hasPrefix("/") }
      return ([folder, path] + (lines + always).map(request)).filter { seen.insert($0).inserted }
    }

    private static func request(_ line: String) -> String {
      let own = line.hasPrefix("/U/*/") ? "/U/0/" + line.dropFirst(5) : line
      guard let star = own.firstIndex(of: "*") else { return own }
      return String(own[..<(own[..<star].lastIndex(of: "/").map { own.index(after: $0) } ?? star)])
    }
  }
}
