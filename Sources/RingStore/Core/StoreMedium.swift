// The medium of a store's folder, and whether a commit there survives a power cut: erasing on a wearable depends on
// it. Read from the kernel's list of mounts and of block devices, without writing.

internal import Glibc
public import Reasons

/// The medium that holds a store.
public struct StoreMedium: Sendable, Equatable {
  /// Kind of a medium.
  public enum Kind: Sendable {
    /// Medium of which no fault is known.
    case lasting
    /// Lost when power is lost.
    case memory
    /// Another machine, or a file system that does not wait for the disk: whether commits reach a disk is unknown.
    case unproven
    /// Refuses writes, for example after a disk error. The store could not even record that a wearable was erased.
    case readOnly
    /// Durable, but every user may read every file, the key of the secrets included.
    case open
  }

  /// Kind of the medium.
  public let kind: Kind
  /// Text for people: `tmpfs at /run`, with the layers above.
  public let text: String
  /// Identity of the folder on this machine.
  fileprivate(set) var folder: FolderIdentity?
  /// Bytes of the SD card or eMMC; nil for another medium, and if the kernel does not state the size.
  public internal(set) var cardBytes: Int64?

  /// How often a card can be rewritten as a whole, by the small writes of a store. Cards for cameras are sold for 900
  /// rewrites and more in long sequential writes, which small writes cost about ten times (hearth/Doctor/NOTES.md).
  public static let cardRewrites: Int64 = 100

  /// Bytes that a card of this size bears; nil if the size is unknown.
  public var cardBears: Int64? {
    cardBytes.flatMap { bytes in
      let (bears, overflow) = bytes.multipliedReportingOverflow(by: Self.cardRewrites)
      return overflow ? nil : bears
    }
  }

  /// Differs between two folders at one path, of which one was mounted over the other.
  struct FolderIdentity: Sendable, Equatable {
    let device: UInt64
    let number: UInt64
  }

  package init(kind: Kind, text: String) { self.init(kind: kind, text: text, folder: nil) }

  init(kind: Kind, text: String, folder: FolderIdentity?) {
    (self.kind, self.text, self.folder) = (kind, text, folder)
  }

  /// Whether a commit on this medium is sufficient proof to erase on a wearable.
  public var keeps: Bool { kind == .lasting || kind == .open }

  /// The problem to report; nil for a good medium.
  public var trouble: HearthError? {
    switch kind {
    case .lasting: nil
    case .memory: HearthError(.storeInMemory, text)
    case .unproven: HearthError(.storeUnproven, text)
    case .readOnly: HearthError(.storeUnwritable, text)
    case .open: HearthError(.storeOpenToAll, text)
    }
  }

  /// Queries to the machine. Paths are absolute.
  public struct Machine {
    /// Lines of a file of the kernel.
    let lines: (String) -> [Substring]?
    /// The target of a symbolic link.
    let link: (String) -> String?
    let names: (String) -> [String]
    let isThere: (String) -> Bool

    /// Queries by the functions that answer them.
    public init(
      lines: @escaping (String) -> [Substring]?, link: @escaping (String) -> String?,
      names: @escaping (String) -> [String], isThere: @escaping (String) -> Bool
    ) {
      (self.lines, self.link, self.names, self.isThere) = (lines, link, names, isThere)
    }
  }

  /// The medium of an existing folder, without symbolic links in its path.
  ///
  /// - Parameter mount: number in the list of mounts; nil for the mount at the longest prefix of `path`.
  /// - Returns: nil if the list cannot be read.
  public static func look(_ path: String, mount: String? = nil, _ machine: Machine) -> StoreMedium? {
    let mounts = (machine.lines("/proc/self/mountinfo") ?? []).compactMap { Mount($0) }
    if mounts.isEmpty { return nil }
    var search = MediumSearch(mounts, machine)
    return search.judge(path, mount.flatMap { number in mounts.last { $0.number == number } })
  }
}

/// A search from a folder to the device that holds its bytes, through overlays, loops and mapped devices.
private struct MediumSearch {
  private static let memory: Set<String> = ["tmpfs", "ramfs", "rootfs", "devtmpfs", "hugetlbfs"]
  private static let remote: Set<String> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "lustre", "gfs2", "ocfs2", "vboxsf",
    "fuse",
  ]
  private static let open: Set<String> = ["vfat", "msdos", "exfat", "ntfs", "ntfs3", "fuseblk", "hfs", "hfsplus"]
  /// Limit of layers; deeper ones count as unproven.
  private static let depthLimit = 8

  private let mounts: [Mount]
  private let machine: StoreMedium.Machine
  private var above: [String] = []

  init(_ mounts: [Mount], _ machine: StoreMedium.Machine) { (self.mounts, self.machine) = (mounts, machine) }

  private func medium(_ kind: StoreMedium.Kind, _ text: String) -> StoreMedium {
    StoreMedium(kind: kind, text: (above + [text]).joined(separator: " above "))
  }

  mutating func judge(_ path: String, _ known: Mount? = nil) -> StoreMedium {
    guard above.count < Self.depthLimit else { return medium(.unproven, "more layers than are looked through") }
    guard let mount = known ?? Mount.holding(path, among: mounts) else {
      return medium(.unproven, "no file system is known of \(path)")
    }
    let name = "\(mount.kind) at \(mount.place)"
    if Self.memory.contains(mount.kind) { return medium(.memory, "\(name), which is memory") }
    if mount.isReadOnly { return medium(.readOnly, "\(name), which is read-only") }
    if mount.kind == "overlay" { return judgeOverlay(mount, name) }
    if Self.remote.contains(mount.kind) || mount.kind.hasPrefix("fuse.") {
      return medium(.unproven, "\(name), which another machine or program answers for")
    }
    if let option = ["nobarrier", "barrier=0"].first(where: { mount.options.contains($0) }) {
      return medium(.unproven, "\(name) with \(option), which does not wait for the disk")
    }
    let below = judgeDevice(mount.device, name)
    guard below.kind == .lasting, Self.open.contains(mount.kind) else { return below }
    var open = medium(.open, "\(name), which knows no owners")
    open.cardBytes = below.cardBytes
    return open
  }

  private mutating func judgeOverlay(_ mount: Mount, _ name: String) -> StoreMedium {
    if mount.options.contains("volatile") {
      return medium(.unproven, "\(name) with volatile, which does not wait for the disk")
    }
    guard let upper = mount.option("upperdir") else { return medium(.unproven, "\(name) without a layer to write to") }
    // The path as it was at mount time: if the root was changed since, it names another place.
    guard let below = Mount.holding(upper, among: mounts), below.number != mount.number,
      below.place != "/" || machine.isThere(upper)
    else { return medium(.unproven, "\(name) with layer \(upper), which is not found") }
    above.append(name)
    return judge(upper, below)
  }

  /// - Parameter device: `179:2`.
  private mutating func judgeDevice(_ device: String, _ name: String) -> StoreMedium {
    guard let block = machine.link("/sys/dev/block/\(device)").flatMap({ BlockDevice(link: $0) }) else {
      return medium(.lasting, name)
    }
    return judgeBlock(block.disk, name)
  }

  private mutating func judgeBlock(_ disk: String, _ name: String) -> StoreMedium {
    let number = disk.drop { !$0.isNumber }
    if (disk.hasPrefix("ram") || disk.hasPrefix("zram")) && !number.isEmpty {
      return medium(.memory, "\(name) on \(disk), which is memory")
    }
    guard above.count < Self.depthLimit else { return medium(.unproven, "more layers than are looked through") }
    if disk.hasPrefix("loop"), let file = machine.lines("/sys/block/\(disk)/loop/backing_file")?.first {
      above.append("\(name) on \(disk)")
      return judge(String(file))
    }
    // A mapped or joined device is only as good as its worst part.
    var found = medium(.lasting, name)
    found.cardBytes = cardBytes(disk)
    let slaves = machine.names("/sys/block/\(disk)/slaves")
    for slave in slaves {
      var branch = self
      branch.above.append("\(name) on \(disk)")
      let part = branch.judgeBlock(
        machine.link("/sys/class/block/\(slave)").flatMap { BlockDevice(link: $0)?.disk } ?? slave, slave)
      if part.kind == .memory || found.kind == .lasting && part.kind != .lasting { found = part }
      if slaves.count == 1 { found.cardBytes = part.cardBytes }
    }
    return found
  }

  private func cardBytes(_ disk: String) -> Int64? {
    // Sectors have 512 bytes there, for every device (Documentation/block/stat.rst).
    guard disk.hasPrefix("mmcblk"), let line = machine.lines("/sys/block/\(disk)/size")?.first,
      let sectors = Int64(line), sectors > 0
    else { return nil }
    let (bytes, overflow) = sectors.multipliedReportingOverflow(by: 512)
    return overflow ? nil : bytes
  }
}

extension StoreMedium.Machine {
  /// Machine that this process runs on, read from its files.
  static var here: StoreMedium.Machine {
    StoreMedium.Machine(
      lines: { path in
        readWhole(path).map {
          String(decoding: $0, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
        }
      },
      link: { path in
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
      },
      names: { folder in
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
          let name = withUnsafeBytes(of: entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
          }
          if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
      },
      isThere: { access($0, F_OK) == 0 })
  }

  /// Reads a whole file. The list of mounts of a machine with many containers has 1 MiB at most.
  private static func readWhole(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var found: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while found.count < 1 << 20 {
      let count = read(descriptor, &piece, piece.count)
      if count < 0 { return nil }
      if count == 0 { break }
      found += piece[..<count]
    }
    return found
  }
}

extension StoreMedium {
  /// The medium of a folder of this machine, by the number of its mount; nil if the kernel does not state it.
  public static func look(at path: String) -> StoreMedium? {
    let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let line = Machine.here.lines("/proc/self/fdinfo/\(descriptor)")?.first { $0.hasPrefix("mnt_id:") }
    let number = line?.split(whereSeparator: \.isWhitespace).last.map { String($0) }
    var status = stat()
    let isTold = fstat(descriptor, &status) == 0
    return look(String(cString: real), mount: number, .here).map { found in
      var medium = found
      medium.folder = isTold ? FolderIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)) : nil
      return medium
    }
  }
}
