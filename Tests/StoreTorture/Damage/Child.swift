// A program in a process of its own: what it printed and how it ended.

import Glibc

struct Ended {
  enum How: Equatable {
    case exit(Int32)
    case signal(Int32)
    case hung
  }

  let how: How
  let lines: [String]
  let seconds: Double
}

func writeOut(_ bytes: UnsafeRawBufferPointer) -> Int { write(1, bytes.baseAddress, bytes.count) }

enum Child {
  /// Runs this program with other arguments, its output in a file; kills it after `patience` seconds.
  static func run(_ words: [String], output: String, patience: Double) -> Ended {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let arguments = (["store-torture"] + words).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let began = seconds()
    guard posix_spawn(&process, "/proc/self/exe", &actions, nil, arguments, environ) == 0 else {
      return Ended(how: .exit(127), lines: [], seconds: 0)
    }
    var status: Int32 = 0
    var how: Ended.How?
    while how == nil {
      let found = waitpid(process, &status, WNOHANG)
      if found == process {
        how = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
      } else if seconds() - began > patience {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        how = .hung
      } else {
        usleep(2000)
      }
    }
    let text = String(decoding: Files.read(output) ?? [], as: UTF8.self)
    return Ended(
      how: how ?? .hung, lines: text.split(separator: "\n").map(String.init), seconds: seconds() - began)
  }

  private static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

enum Files {
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size < 1 << 30 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done)
      }
      if count <= 0 { break }
      done += count
    }
    return Array(bytes.prefix(done))
  }

  static func write(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o640) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
    if descriptor < 0 { return }
    defer { close(descriptor) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done) }
      if count <= 0 { return }
      done += count
    }
  }

  /// Names in a folder, and in the folders of it, as paths.
  static func all(_ folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name == "." || name == ".." { continue }
      let path = folder + "/" + name
      if entry.pointee.d_type == DT_DIR { found += all(path) } else { found.append(path) }
    }
    return found
  }

  static func remove(_ folder: String) {
    for path in all(folder) { unlink(path) }
    guard let directory = opendir(folder) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { rmdir(folder + "/" + name) }
    }
    closedir(directory)
    rmdir(folder)
  }
}
