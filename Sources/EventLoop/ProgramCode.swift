// Release of memory that only the start needed: the program's own code and constants.

internal import Glibc

/// Code of the running program, as mapped.
///
/// A start runs much code that is not used again (options, configuration, opening the store, type tables). A page that
/// is executed brings its neighbours along: the kernel maps 64 KB of a cached file at a time. Dropping the mapping is
/// safe. Code is only read, never written, and its pages stay in the kernel's cache until memory is short. Code that
/// runs again is mapped again, by a fault of some microseconds for each 64 KB.
public enum ProgramCode {
  /// Time after which a start is over, 20 s: the store is open, the radio scans, the first links are made.
  public static let settled: Duration = .seconds(20)

  /// - Parameter withLibraries: also drops the mappings of shared libraries.
  /// - Returns: bytes of the dropped mappings; 0 if they cannot be determined, which is no fault.
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

  /// Passes a file of /proc line by line, whatever its length: a process may have 65,530 mappings (`vm.max_map_count`),
  /// and smaps has 700 bytes for each.
  ///
  /// - Returns: whether it could be read to its end.
  private static func readLines(of path: String, _ take: (Substring) -> Void) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    /// Start of a line that is still incomplete; the longest names a file, with 4,096 bytes at most.
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

/// Read-only mappings of `program`, or of any file, that still equal the file completely. Mappings that were ever
/// written to are excluded, such as tables that the loader relocated and then protected. Dropping a private mapping
/// loses what was written, even if it is in the swap.
///
///     55fa3891a000-55fa398dd000 r-xp 0045f000 fe:00 1234567                    /usr/bin/hearthd
///     Anonymous:             0 kB
///     Swap:                  0 kB
struct CodeMappings {
  private(set) var found: [Range<UInt>] = []
  private let program: String?
  /// Mapping being parsed, while it still qualifies; and the number of its two figures parsed so far.
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
    // The name is in its own column.
    let file = fields[5].drop { $0 == " " }
    if program.map({ file != $0 }) ?? !file.hasPrefix("/") { return nil }
    let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    return bounds.count == 2 && bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil
  }
}
