// Gives back the memory that only starting needed: the program's own code.

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

  /// - Parameter withLibraries: the code of the libraries that it loaded as well.
  /// - Returns: bytes of mappings that were forgotten; 0 where they cannot be told, which is no trouble.
  @discardableResult
  public static func forget(withLibraries: Bool = false) -> Int {
    var path = [UInt8](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0, let maps = contents("/proc/self/maps") else { return 0 }
    let program = String(decoding: path.prefix(length), as: UTF8.self)
    return mappings(in: maps, of: withLibraries ? nil : program).reduce(0) { sum, range in
      guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound),
        madvise(start, range.count, MADV_DONTNEED) == 0
      else { return sum }
      return sum + range.count
    }
  }

  /// Where `program`, or whatever file, is mapped to be run and not to be written: what was written to a private
  /// mapping would be lost.
  ///
  ///     55fa3891a000-55fa398dd000 r-xp 0045f000 fe:00 1234567                    /usr/bin/hearthd
  static func mappings(in maps: String, of program: String?) -> [Range<UInt>] {
    maps.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      // The name stands in a column of its own.
      guard fields.count == 6, fields[1] == "r-xp" else { return nil }
      let file = fields[5].drop { $0 == " " }
      if program.map({ file != $0 }) ?? !file.hasPrefix("/") { return nil }
      let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      return bounds.count == 2 && bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil
    }
  }

  /// A file of /proc, of 256 KB at most: a thousand mappings have half of that.
  private static func contents(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 256 << 10 {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
    return nil
  }
}
