// File system of a Polar wearable, and the ledger of its contents.

public import EventLoop

/// File of the wearable.
public struct PolarFile: Sendable {
  /// Path of the file.
  public let path: String
  /// Content of the file.
  public var bytes: [UInt8]
  /// Whether it cannot change any more.
  public var isWhole: Bool
  /// Time at which it was served completely, since its last change.
  public var servedAt: Instant?
}

/// Files by path. A directory exists while it has content; directories of days exist until they are removed.
public struct PolarFiles: Sendable {
  /// Memory in bytes.
  public let capacity: Int
  /// Files in the order of their paths.
  public private(set) var files: [PolarFile] = []
  /// Directories of days and within them, each ending in `/`: created with their first file.
  public private(set) var directories: Set<String> = []
  /// Complete files that were removed, oldest first; the newest 4,096. Empty without `keepsPast`.
  public private(set) var removed: [PolarFile] = []
  /// Every complete file that ever existed, in the order of completion. Empty without `keepsPast`.
  public private(set) var everWhole: [[UInt8]] = []
  /// False for runs of weeks: their judge knows the contents by other means.
  let keepsPast: Bool
  /// Removals of files that were never served, or not in their final state.
  public private(set) var lost: [String] = []

  init(capacity: Int, keepsPast: Bool) { (self.capacity, self.keepsPast) = (capacity, keepsPast) }

  /// Sum of the sizes of all files, bytes.
  public var used: Int { files.reduce(0) { $0 + $1.bytes.count } }
  /// Free bytes.
  public var free: Int { max(0, capacity - used) }

  /// The file at a path, if any.
  public subscript(path: String) -> PolarFile? { index(path).map { files[$0] } }

  private func index(_ path: String) -> Int? {
    let place = insertion(path)
    return place < files.count && files[place].path == path ? place : nil
  }

  private func insertion(_ path: String) -> Int {
    var range = 0..<files.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if files[middle].path.utf8.lexicographicallyPrecedes(path.utf8) {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }

  /// Writes a file, complete or in part. The caller checks the room.
  mutating func put(_ path: String, _ bytes: [UInt8], isWhole: Bool = true) {
    if let place = index(path) {
      if files[place].bytes == bytes, files[place].isWhole == isWhole { return }
      files[place].servedAt = nil
      files[place].bytes = bytes
      files[place].isWhole = isWhole
    } else {
      files.insert(PolarFile(path: path, bytes: bytes, isWhole: isWhole), at: insertion(path))
      makeDirectories(of: path)
    }
    if isWhole, keepsPast { everWhole.append(bytes) }
  }

  private mutating func makeDirectories(of path: String) {
    guard path.hasPrefix(Self.days), path.dropFirst(Self.days.count).first?.isNumber == true else { return }
    var parent = path[...]
    while let slash = parent.lastIndex(of: "/"), slash > Self.days.endIndex {
      directories.insert(String(path[...slash]))
      parent = path[..<slash]
    }
  }

  /// Parent of the folders of days.
  private static let days = "/U/0/"

  mutating func noteServed(_ path: String, _ count: Int, at now: Instant) {
    if let place = index(path), files[place].bytes.count == count { files[place].servedAt = now }
  }

  /// Names and sizes in a directory with a path ending in '/'; names of directories end likewise. nil if it does not
  /// exist.
  func list(_ directory: String) -> [(name: String, size: Int)]? {
    var entries: [(name: String, size: Int)] = []
    for file in files where file.path.hasPrefix(directory) {
      let rest = file.path.dropFirst(directory.count)
      if let slash = rest.firstIndex(of: "/") {
        let name = String(rest[...slash])
        if entries.last?.name != name { entries.append((name, 0)) }
      } else {
        entries.append((String(rest), file.bytes.count))
      }
    }
    let empty = directories.filter { $0.hasPrefix(directory) && $0 != directory }.map {
      String($0.dropFirst(directory.count).prefix { $0 != "/" }) + "/"
    }
    for name in Set(empty).sorted() where !entries.contains(where: { $0.name == name }) { entries.append((name, 0)) }
    return entries.isEmpty && directory != "/" && !directories.contains(directory) ? nil : entries
  }

  /// A file, or a directory with everything in it, with or without '/' at its end.
  func covered(by path: String) -> [PolarFile] {
    let directory = path.hasSuffix("/") ? path : path + "/"
    return files.filter { $0.path == path || $0.path.hasPrefix(directory) }
  }

  /// - Returns: number of removed files.
  mutating func remove(_ path: String) -> Int {
    let directory = path.hasSuffix("/") ? path : path + "/"
    let gone = covered(by: path)
    files.removeAll { $0.path == path || $0.path.hasPrefix(directory) }
    directories = directories.filter { !$0.hasPrefix(directory) }
    // Files without data of the wearer are written again at once.
    for file in gone where file.servedAt == nil && (file.isWhole || file.path.hasPrefix("/U/")) {
      lost.append(file.path)
    }
    if keepsPast { removed = Array((removed + gone).suffix(4096)) }
    return gone.count
  }

  /// Factory reset.
  mutating func removeAll() { (files, directories) = ([], []) }
}
