// Folder of a scheduled export: whole files under their names, and drafts that begin with a point.

import EventLoop
import Glibc
import HubProtocol
import Reasons

/// Names are `HUB-CURSOR-000001-20261130T110000Z.csv`; that of a draft is `.NAME.part`.
struct DeliveryFolder {
  let path: String
  /// `HUB-CURSOR-`.
  let stem: String

  enum Standing { case file, draft, absent }

  /// A name that a folder may be asked for.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 250 && !name.hasPrefix(".") && !name.utf8.contains { $0 == 0x2F || $0 < 0x20 }
  }

  static func failure(_ path: String, _ code: Int32) -> HearthError {
    HearthError(.storeInputOutput, "\(harmless(path, limit: 1024)): \(String(cString: strerror(code)))")
  }

  /// - Parameter mounted: the folder must not be on the file system of the machine itself.
  /// - Throws: `configBadValue` for a folder that is missing, or that this user cannot write to.
  static func check(_ path: String, mounted: Bool) throws(HearthError) {
    func refuse(_ why: String) -> HearthError {
      HearthError(.configBadValue, "to: \(harmless(path, limit: 1024)): \(why)")
    }
    var (found, root) = (stat(), stat())
    if stat(path, &found) != 0 { throw refuse(String(cString: strerror(errno))) }
    if found.st_mode & S_IFMT != S_IFDIR { throw refuse("not a folder") }
    if access(path, R_OK | W_OK | X_OK) != 0 { throw refuse(String(cString: strerror(errno))) }
    if mounted, stat("/", &root) == 0, root.st_dev == found.st_dev {
      throw refuse("no disk and no share is mounted there, and mounted is true")
    }
  }

  private func file(_ name: String) -> String { "\(path)/\(name)" }
  func draft(_ name: String) -> String { "\(path)/.\(name).part" }

  /// Highest number of a file here, and the names of drafts.
  ///
  /// - Throws: `storeInputOutput`.
  private func look() throws(HearthError) -> (number: Int, drafts: [String]) {
    guard let directory = opendir(path) else { throw Self.failure(path, errno) }
    defer { closedir(directory) }
    var (highest, drafts): (Int, [String]) = (0, [])
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasPrefix(".\(stem)"), name.hasSuffix(".part"), Self.number(name.dropFirst(stem.utf8.count + 1)) != nil {
        drafts.append(name)
      } else if name.hasPrefix(stem), let number = Self.number(name.dropFirst(stem.utf8.count)) {
        highest = max(highest, number)
      }
    }
    return (highest, drafts)
  }

  /// The number that a name has behind its stem.
  private static func number(_ rest: Substring) -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    return digits.utf8.count >= 6 && rest.dropFirst(digits.count).hasPrefix("-") ? Int(digits) : nil
  }

  /// - Throws: `storeInputOutput`.
  func highestNumber() throws(HearthError) -> Int { try look().number }

  /// Deletes what earlier runs left incomplete. Only called while no other run writes here.
  ///
  /// - Throws: `storeInputOutput`.
  func removeDrafts() throws(HearthError) {
    for name in try look().drafts { unlink(file(name)) }
  }

  /// Name of a new file.
  func name(_ number: Int, at time: WallTime, ending: String) -> String {
    let digits = "\(number)"
    let zeros = String(repeating: "0", count: max(0, 6 - digits.utf8.count))
    return "\(stem)\(zeros)\(digits)-\(time.fileStamp).\(ending)"
  }

  /// - Throws: `storeInputOutput` if the folder cannot be looked at.
  func standing(_ name: String) throws(HearthError) -> Standing {
    var status = stat()
    for (path, standing) in [(file(name), Standing.file), (draft(name), .draft)] {
      if lstat(path, &status) == 0 { return standing }
      if errno != ENOENT { throw Self.failure(path, errno) }
    }
    return .absent
  }

  /// Gives a complete draft its name. Durable when this returns.
  ///
  /// - Throws: `storeInputOutput`.
  func place(_ name: String) throws(HearthError) {
    if try standing(name) == .file { throw Self.failure(file(name), EEXIST) }
    if rename(draft(name), file(name)) != 0 { throw Self.failure(file(name), errno) }
    try sync()
  }

  /// - Throws: `storeInputOutput`.
  func sync() throws(HearthError) { try Self.sync(path) }

  /// Makes the names in a folder durable.
  ///
  /// - Throws: `storeInputOutput`.
  static func sync(_ path: String) throws(HearthError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw failure(path, errno) }
    defer { close(descriptor) }
    // Some file systems of other machines have no such call for folders.
    if fsync(descriptor) != 0, ![EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) { throw failure(path, errno) }
  }
}
