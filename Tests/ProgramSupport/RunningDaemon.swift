import CLinux
package import Foundation

/// The daemon in a scratch folder, among simulated straps in place of the kernel's radio. Observed as by systemd:
/// readiness, watchdog and stop messages come over its notify socket.
package final class RunningDaemon {
  package let folder: URL
  package let process = Process()
  private let notifySocket: Int32
  private let log = Pipe()
  package private(set) var messages: [String] = []

  /// The folder in which SwiftPM put all programs of this build.
  package static let programs = URL(
    fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  ).deletingLastPathComponent()

  package var configuration: URL { folder.appendingPathComponent("hearth.yaml") }
  package var store: URL { folder.appendingPathComponent("store") }
  package var socketPath: String { folder.appendingPathComponent("s").path }

  package init(
    simulate: Int = 3, population: String = "straps", extra: String = "", environment: [String: String] = [:],
    in folder: URL? = nil
  ) throws {
    self.folder =
      folder ?? FileManager.default.temporaryDirectory.appendingPathComponent("hearthd-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    let notifyPath = self.folder.appendingPathComponent("n").path
    unlink(notifyPath)
    notifySocket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    try Self.bind(notifySocket, to: notifyPath)
    try write(configuration: extra)
    process.executableURL = Self.programs.appendingPathComponent("hearth-sim")
    process.arguments = [
      "serve", "--config", configuration.path, "--population", population, "--wearables", "\(simulate)", "--seed", "7",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["NOTIFY_SOCKET": notifyPath, "SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 },
      uniquingKeysWith: { $1 })
    process.standardError = log
    process.standardOutput = FileHandle.nullDevice
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    close(notifySocket)
  }

  package func write(configuration extra: String) throws {
    let text = """
      hub:
        name: test
      \(extra.contains("enroll:") ? "" : "enroll: {mode: all}")
      control:
        socket: \(socketPath)
      \(extra.contains("store:") ? "" : "store:\n  path: \(store.path)\n  commit: {every: 1s, bytes: 4KB}")
      \(extra)

      """
    try text.write(to: configuration, atomically: true, encoding: .utf8)
  }

  /// Starts and waits until the daemon says that it is ready.
  package func start() throws {
    try process.run()
    try wait(for: "READY=1")
  }

  /// Waits until a notify message holds `text`. The program is killed, and its log told, if `patience` ends first.
  package func wait(for text: String) throws {
    if messages.contains(where: { $0.contains(text) }) { return }
    let limit = Date() + patience
    while Date() < limit {
      var poller = pollfd(fd: notifySocket, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, 200) > 0 else {
        if !process.isRunning { throw Missing(text: text, messages: messages, log: drainedLog()) }
        continue
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(notifySocket, &buffer, buffer.count, 0)
      let message = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      messages.append(message)
      if message.contains(text) { return }
    }
    end(SIGKILL)
    throw Missing(text: text, messages: messages, log: drainedLog())
  }

  package func forget(_ text: String) { messages.removeAll { $0.contains(text) } }

  /// Sends a signal; waits for the end; returns the exit status.
  @discardableResult
  package func end(_ signal: Int32) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// In place of it hearthd itself, for what comes before the radio.
  package func useDaemonProgram() {
    process.executableURL = Self.programs.appendingPathComponent("hearthd")
    process.arguments = ["--config", configuration.path]
  }

  /// Runs to its own end; returns status and what it said.
  package func runToEnd() throws -> (status: Int32, log: String) {
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, drainedLog())
  }

  private func drainedLog() -> String { String(decoding: log.fileHandleForReading.availableData, as: UTF8.self) }

  /// Runs `hearth` against this daemon.
  package func hearth(_ arguments: String...) throws -> (status: Int32, output: String) {
    try hearth(arguments: arguments)
  }

  /// - Parameter isBound: permissions hold for it, even if the tests run as root.
  package func hearth(arguments: [String], isBound: Bool = false) throws -> (status: Int32, output: String) {
    let client = Process()
    let output = Pipe()
    let program = Self.programs.appendingPathComponent("hearth")
    let words = ["--socket", socketPath] + arguments
    if isBound, getuid() == 0 {
      client.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
      client.arguments =
        ["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", program.path] + words
    } else {
      (client.executableURL, client.arguments) = (program, words)
    }
    client.standardOutput = output
    client.standardError = output
    try client.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    client.waitUntilExit()
    return (client.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  package var threads: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/task").count) ?? 0
  }

  /// A message that did not come: what came instead, and what the program logged.
  package struct Missing: Error {
    var text: String
    var messages: [String]
    var log: String
  }

  private static func bind(_ descriptor: Int32, to path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result != 0 { throw CocoaError(.fileWriteUnknown) }
  }
}
