// The machine as seen in its files: /proc, /sys and /etc below a root folder, so that tests can provide their own.

import EventLoop
import Glibc

/// Space on a file system, in bytes.
struct FileSystemRoom: Sendable, Hashable {
  var free: Int
  var total: Int
}

/// Bounded reads of files that never fail: unreadable files are nil, and long ones are cut. Three queries have no file;
/// tests replace their functions.
struct Machine: Sendable {
  /// Prefix of every path; empty for the real machine.
  var root = ""
  var now: WallTime
  /// Space on the file system that holds a path.
  var room: @Sendable (String) -> FileSystemRoom? = Machine.roomOfFileSystem
  /// Frequency of a wireless interface in MHz; nil: unknown.
  var frequency: @Sendable (String) -> Int? = WirelessFrequency.read
  /// Output of `systemctl show` for properties of hearthd's unit; nil: systemd cannot be asked.
  var unit: @Sendable ([String]) -> String? = SystemctlChild.show

  /// Maximum number of bytes of a file with one value. Files in /sys have at most one page.
  static let shortFile = 4096
  /// Maximum number of bytes of a list, such as the mounts of a machine with many containers.
  static let longFile = 1 << 20
  /// Maximum number of entries of a folder. A Pi has a few hundred processes; further ones are ignored.
  static let entryLimit = 32_768

  init(root: String = "", now: WallTime) { (self.root, self.now) = (root, now) }

  // MARK: Files

  /// The first `limit` bytes of a regular file; nil if it is missing or unreadable.
  func bytes(_ path: String, limit: Int = shortFile) -> [UInt8]? {
    // A FIFO with this name must not block the command.
    let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG { return nil }
    var found: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(limit, 64 << 10))
    while found.count < limit {
      let count = Glibc.read(descriptor, &piece, min(piece.count, limit - found.count))
      if count < 0, errno == EINTR { continue }
      // Some files of /sys return a hardware error.
      if count < 0 { return nil }
      if count == 0 { break }
      found += piece[..<count]
    }
    return found
  }

  /// Value of a file, without white space and NUL at its ends.
  func text(_ path: String, limit: Int = shortFile) -> String? {
    guard let bytes = bytes(path, limit: limit) else { return nil }
    let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
    let head = bytes.drop(while: isBlank)
    guard let end = head.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(decoding: head[...end], as: UTF8.self)
  }

  func number(_ path: String) -> Int? { text(path, limit: 64).flatMap { Int($0) } }

  func lines(_ path: String) -> [Substring]? {
    bytes(path, limit: Self.longFile).map {
      String(decoding: $0, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
    }
  }

  /// Sorted names in a folder; empty without the folder.
  func names(_ folder: String) -> [String] {
    guard let directory = opendir(root + folder) else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while found.count < Self.entryLimit, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { found.append(name) }
    }
    return found.sorted()
  }

  /// Target of a symbolic link.
  func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink(root + path, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }

  func isThere(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// Time of the last write to a file, in seconds since 1970.
  func written(_ path: String) -> Int? {
    var status = stat()
    return stat(root + path, &status) == 0 ? status.st_mtim.tv_sec : nil
  }

  /// Path without symbolic links, if all parts exist.
  func resolved(_ path: String) -> String {
    guard root.isEmpty, let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  // MARK: What several checks ask

  /// Model name: `Raspberry Pi 4 Model B Rev 1.4`; nil without one in the firmware.
  var model: String? { text("/sys/firmware/devicetree/base/model", limit: 128).flatMap { $0.isEmpty ? nil : $0 } }
  var isRaspberryPi: Bool { model?.hasPrefix("Raspberry Pi") ?? false }
  /// Name of process 1, such as systemd; nil: unreadable.
  var firstProcess: String? { text("/proc/1/comm", limit: 64) }
  var hasSystemd: Bool { firstProcess == "systemd" }

  /// Numbers of processes with a name, which the kernel cuts at 15 bytes.
  func processes(named name: String) -> [Int32] {
    names("/proc").compactMap { Int32($0) }.filter { text("/proc/\($0)/comm", limit: 64) == name }
  }

  /// Seconds since the machine started.
  var uptime: Int? {
    text("/proc/uptime", limit: 64)?.split(separator: " ").first.flatMap { Double($0) }.flatMap {
      Int(exactly: $0.rounded())
    }
  }

  private static func roomOfFileSystem(_ path: String) -> FileSystemRoom? {
    var found = statvfs()
    // For a folder that does not exist yet, the space of its parent counts.
    var path = path
    while statvfs(path, &found) != 0 {
      guard errno == ENOENT, let slash = path.lastIndex(of: "/"), path != "/" else { return nil }
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    func bytes(_ blocks: UInt) -> Int {
      let (product, isTooMuch) = blocks.multipliedReportingOverflow(by: UInt(found.f_frsize))
      return isTooMuch ? .max : Int(clamping: product)
    }
    return FileSystemRoom(free: bytes(found.f_bavail), total: bytes(found.f_blocks))
  }
}
