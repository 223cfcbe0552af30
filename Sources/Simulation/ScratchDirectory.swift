// In-memory directory for one simulated disk.

import Glibc

/// Created by the initialiser, removed with its content by the last release. In /dev/shm if it exists: a simulated day
/// commits thousands of times, and the wear and delay of a real disk are not simulated.
public final class ScratchDirectory: Sendable {
  /// Path of the directory.
  public let path: String

  /// Makes the directory; traps if that fails.
  public init() {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/hearth-simulation-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      preconditionFailure("no scratch directory can be made in \(parent): errno \(errno)")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path, depth: 3) }

  /// Creates a subdirectory with this name.
  func subdirectory(_ name: String) -> String {
    let made = "\(path)/\(name)"
    guard mkdir(made, 0o700) == 0 else { preconditionFailure("\(made): errno \(errno)") }
    return made
  }

  /// Copies one file as it is on the disk now.
  static func copy(_ from: String, to: String) {
    let source = open(from, O_RDONLY | O_CLOEXEC)
    let target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard source >= 0, target >= 0 else { preconditionFailure("cannot copy \(from): errno \(errno)") }
    defer {
      close(source)
      close(target)
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count == 0 { return }
      guard count > 0, write(target, buffer, count) == count else {
        preconditionFailure("cannot copy \(from): errno \(errno)")
      }
    }
  }

  /// Frees a file's pages and keeps its size: a process that still has it mapped reads zeros.
  static func empty(_ path: String) {
    let file = open(path, O_RDWR | O_CLOEXEC)
    if file < 0 { return }
    var status = stat()
    if fstat(file, &status) == 0, ftruncate(file, 0) == 0 { ftruncate(file, status.st_size) }
    close(file)
  }

  static func remove(_ path: String) { remove(path, depth: 2) }

  private static func remove(_ path: String, depth: Int) {
    guard depth > 0, let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)", depth: depth - 1) }
    }
    closedir(directory)
    rmdir(path)
  }
}
