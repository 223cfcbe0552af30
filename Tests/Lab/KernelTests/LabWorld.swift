// The world of virtual straps behind /dev/vhci (Tests/Lab/world), as these tests start it and speak to it.

import CLinux
import EventLoop
import Foundation
import Glibc

/// Whether we run in the lab (Tests/Lab/in-lab sets it).
let isInLab = getenv("HEARTH_LAB") != nil

struct LabError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The one world of a test run: a process of its own, started at first use, gone with the lab.
struct LabWorld: Sendable {
  static let straps = 8
  /// The controller's address, as Tests/Lab/world/hub_controller.py has it.
  static let controllerAddress = "AA:BB:CC:00:00:01"

  let socket: String
  let logs: String

  static let shared = Result { try LabWorld() }

  private init() throws {
    let environment = ProcessInfo.processInfo.environment
    let scratch = environment["HEARTH_LAB_SCRATCH"] ?? "/run"
    let python = environment["HEARTH_LAB_PYTHON"] ?? "python3"
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("world/world.py")
    socket = "\(scratch)/world.sock"
    logs = "\(scratch)/logs"
    let command =
      """
      exec '\(python)' '\(script.path)' --straps \(Self.straps) --control '\(socket)' --logs '\(logs)' \
      >'\(scratch)/world.out' 2>&1
      """
    var process = pid_t()
    var arguments: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", command].map { (word: String) in strdup(word) }
    arguments.append(nil)
    guard posix_spawn(&process, "/bin/sh", nil, nil, arguments, environ) == 0 else {
      throw LabError("the world could not be started")
    }
    for _ in 0..<600 {
      let output = (try? String(contentsOfFile: "\(scratch)/world.out", encoding: .utf8)) ?? ""
      if output.contains("ready") { return }
      usleep(100_000)
    }
    let output = (try? String(contentsOfFile: "\(scratch)/world.out", encoding: .utf8)) ?? "nothing"
    throw LabError("the world is not ready; it said: \(output)")
  }

  /// The lines of one of its logs that contain `word`.
  func log(_ name: String, containing word: String) -> [String] {
    let text = (try? String(contentsOfFile: "\(logs)/\(name).jsonl", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.contains(word) }.map(String.init)
  }
}

/// The world's control socket: lines out, one line back.
@LoopActor
final class LabControl {
  private let descriptor: Int32
  private var watch: Watch?
  private var received: [UInt8] = []
  private var waiter: CheckedContinuation<String, any Error>?

  init(_ loop: EpollLoop, _ world: LabWorld) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: world.socket.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw LabError("no connection to the world: errno \(errno)") }
    watch = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.read() }
  }

  /// Says one command and waits for its end.
  @discardableResult
  func ask(_ command: String) async throws -> String {
    let line = Array("\(command)\n".utf8)
    guard send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count else {
      throw LabError("the world does not listen")
    }
    let answer = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<String, any Error>) in
      waiter = continuation
    }
    guard answer == "ok" || answer.hasPrefix("ok ") else { throw LabError("\(command): \(answer)") }
    return String(answer.dropFirst(3))
  }

  /// The world as it was at first.
  func heal() async throws {
    try await ask("black-hole 0")
    try await ask("slots -1")
    try await ask("refuse-updates 0")
    try await ask("cross-cancellations 0")
    try await ask("advertisers 0")
    for strap in 0..<LabWorld.straps {
      try await ask("never-answer \(strap) 0")
      try await ask("close-at-once \(strap) 0")
      try await ask("return \(strap)")
      try await ask("show \(strap)")
    }
  }

  func end() {
    watch?.end()
    close(descriptor)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 { received += buffer[..<count] }
    if count == 0 { watch?.end() }
    if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: received[..<end], as: UTF8.self)
      received.removeFirst(end + 1)
      waiter?.resume(returning: line)
      waiter = nil
    } else if count == 0 {
      waiter?.resume(throwing: LabError("the world is gone"))
      waiter = nil
    }
  }
}
