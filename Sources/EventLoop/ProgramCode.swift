// Gives back the memory that only starting needed: the program's own code and constants.

internal import Glibc

/// The code of the running program, as it is mapped.
///
/// A start runs through much that is not run again (options, configuration, opening the store, the tables of types),
/// and a page that is run brings its neighbours along: the kernel maps 64 KB of a file at a time where they are in its
/// cache. Forgetting the mapping loses nothing. Code is read only and never written, its pages stay in the kernel's
/// cache for as long as nobody needs the room, and what is run again is mapped again, by a fault of some microseconds
/// for each 64 KB.
public enum ProgramCode {
  /// When a start is over: the store is open, the radio scans, the first links are made.
  public static let settled: Duration = .seconds(20)

  /// - Parameter withLibraries: what it loaded of libraries as well.
  /// - Returns: bytes of mappings that were forgotten; 0 where they cannot be told, which is no trouble.
  @discardableResult
  public static func forget(withLibraries: Bool = false) -> Int {
    var path = [UInt8](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0, let maps = contents("/proc/self/smaps") else { return 0 }
    let program = String(decoding: path.prefix(length), as: UTF8.self)
    return mappings(in: maps, of: withLibraries ? nil : program).reduce(0) { sum, range in
      guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound),
        madvise(start, range.count, MADV_DONTNEED) == 0
      else { return sum }
      return sum + range.count
    }
  }

  /// Where `program`, or whatever file, is mapped and not to be written, as far as all of it is as in the file: of a
  /// private mapping that was ever written to (tables that the loader relocated and closed), the kernel would lose what
  /// was written, also where it has it in the swap.
  ///
  ///     55fa3891a000-55fa398dd000 r-xp 0045f000 fe:00 1234567                    /usr/bin/hearthd
  ///     Anonymous:             0 kB
  ///     Swap:                  0 kB
  static func mappings(in maps: String, of program: String?) -> [Range<UInt>] {
    var found: [Range<UInt>] = []
    /// Of the mapping that is read, while nothing speaks against it; and how many of its two figures were read.
    var (current, clean) = (Range<UInt>?.none, 0)
    for line in maps.utf8.split(separator: UInt8(ascii: "\n")) {
      let fields = Substring(line).split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      if fields.count > 4 {
        (current, clean) = (readOnly(fields, of: program), 0)
      } else if fields.count == 3, fields[0] == "Anonymous:" || fields[0] == "Swap:" {
        if fields[1] == "0" { clean += 1 } else { current = nil }
        if clean == 2, let range = current { found.append(range) }
      }
    }
    return found
  }

  private static func readOnly(_ fields: [Substring], of program: String?) -> Range<UInt>? {
    guard fields.count == 6, fields[1] == "r-xp" || fields[1] == "r--p" else { return nil }
    // The name stands in a column of its own.
    let file = fields[5].drop { $0 == " " }
    if program.map({ file != $0 }) ?? !file.hasPrefix("/") { return nil }
    let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    return bounds.count == 2 && bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil
  }

  /// A file of /proc, of 1 MB at most: a thousand mappings have two thirds of that.
  private static func contents(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20 {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
    return nil
  }
}
