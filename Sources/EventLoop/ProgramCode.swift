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
    guard length > 0 else { return 0 }
    var mappings = CodeMappings(of: withLibraries ? nil : String(decoding: path.prefix(length), as: UTF8.self))
    guard readLines(of: "/proc/self/smaps", { mappings.take($0) }) else { return 0 }
    return mappings.found.reduce(0) { sum, range in
      guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound),
        madvise(start, range.count, MADV_DONTNEED) == 0
      else { return sum }
      return sum + range.count
    }
  }

  /// Gives a file of /proc line by line, as long as it is: a process may have 65,530 mappings (`vm.max_map_count`), and
  /// smaps says 700 bytes of each.
  ///
  /// - Returns: whether it could be read to its end.
  private static func readLines(of path: String, _ take: (Substring) -> Void) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    /// The beginning of a line whose end was not read yet; the longest names a file, by 4,096 bytes at most.
    var begun: [UInt8] = []
    while begun.count < 2 * buffer.count {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return true }
      guard count > 0 else { return false }
      begun += buffer[..<count]
      guard let end = begun.lastIndex(of: UInt8(ascii: "\n")) else { continue }
      String(decoding: begun[..<end], as: UTF8.self).split(separator: "\n").forEach(take)
      begun.removeFirst(end + 1)
    }
    return false
  }
}

/// The mappings of `program`, or of whatever file, that are not to be written, as far as all of each is as in the file:
/// of a private mapping that was ever written to (tables that the loader relocated and closed), the kernel would lose
/// what was written, also where it has it in the swap.
///
///     55fa3891a000-55fa398dd000 r-xp 0045f000 fe:00 1234567                    /usr/bin/hearthd
///     Anonymous:             0 kB
///     Swap:                  0 kB
struct CodeMappings {
  private(set) var found: [Range<UInt>] = []
  private let program: String?
  /// The mapping that is read, while nothing speaks against it; and how many of its two figures were read.
  private var current: Range<UInt>?
  private var clean = 0

  init(of program: String?) {
    self.program = program
  }

  /// Takes the next line of /proc/self/smaps.
  mutating func take(_ line: Substring) {
    let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    if fields.count > 4 {
      (current, clean) = (readOnly(fields), 0)
    } else if fields.count == 3, fields[0] == "Anonymous:" || fields[0] == "Swap:" {
      if fields[1] == "0" { clean += 1 } else { current = nil }
      if clean == 2, let range = current { found.append(range) }
    }
  }

  private func readOnly(_ fields: [Substring]) -> Range<UInt>? {
    guard fields.count == 6, fields[1] == "r-xp" || fields[1] == "r--p" else { return nil }
    // The name stands in a column of its own.
    let file = fields[5].drop { $0 == " " }
    if program.map({ file != $0 }) ?? !file.hasPrefix("/") { return nil }
    let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    return bounds.count == 2 && bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil
  }
}
