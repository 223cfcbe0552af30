// Files that are backed up before firmware is written: the wearable's own list, and files that are always in it. No
// firmware is written here, so there is no backup: decoded for the vectors.

@testable import PolarFamily

extension PSFTP {
  enum BackupList {
    static let folder = "/SYS/"
    static let path = "/SYS/BACKUP.TXT"
    /// What belongs to the wearer, whatever the list says.
    static let always = ["/U/*/S/PHYSDATA.BPB", "/U/*/S/UDEVSET.BPB", "/U/*/S/PREFS.BPB", "/U/*/USERID.BPB"]
    /// Lines that make sense.
    static let limit = 256

    /// Requests of a backup, in order, each once: the list, then its entries. A line that ends in `/` is a folder with
    /// all its content. A `*` stands for the folders found at its place, except for that of the user. The part before
    /// it is therefore listed first.
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
