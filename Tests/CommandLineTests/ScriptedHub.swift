import CLinux
import Foundation
import HubProtocol
import Synchronization

/// The other end of a control socket that plays one stream. Some commands wait for events that no simulated hub
/// produces at will. Such a program runs against this as against a hub.
final class ScriptedHub: Sendable {
  /// What is played.
  struct Script: Sendable {
    /// Replies of the stream, each a whole message.
    var begin: [String] = []
    /// Whether the stream waits, after `begin`, for its stop, or for its client to hang up.
    var waits = false
    /// What follows each order for a further measurement of the session.
    var turns: [[String]] = []
    /// What follows then; behind `turns`, when the session is ended by a call.
    var rest: [String] = []
    /// The answer to a stop.
    var stop = #"{"parameters":{}}"#
    /// Microseconds from reply to reply.
    var pace: UInt32 = 0
  }

  let folder: URL
  private let descriptor: Int32
  private let script: Script
  private let calls = Mutex<[String]>([])
  private let isStopped = Mutex(false)
  private let isHungUp = Mutex(false)

  var path: String { folder.appendingPathComponent("s").path }
  /// Methods that were called, with their parameters.
  var called: [String] { calls.withLock { $0 } }
  /// The client of the stream went away before its end.
  var wasLeft: Bool { isHungUp.withLock { $0 } }

  init(_ script: Script) throws {
    self.script = script
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-s-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let place = folder.appendingPathComponent("s").path
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: place.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(descriptor, 8) == 0 else { throw CocoaError(.fileWriteUnknown) }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0 { return }
        Thread.detachNewThread { [self] in
          serve(client)
          close(client)
        }
      }
    }
  }

  /// Ends listening; the file goes with its folder.
  func end() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(at: folder)
  }

  private func serve(_ client: Int32) {
    var input: [UInt8] = []
    while true {
      guard let end = input.firstIndex(of: 0) else {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &buffer, buffer.count, 0)
        if count <= 0 { return }
        input += buffer[..<count]
        continue
      }
      let message = Array(input[..<end])
      input.removeFirst(end + 1)
      guard let call = try? JSON.parse(message), let method = call["method"]?.text?.split(separator: ".").last else {
        return
      }
      let parameters = String(decoding: (call["parameters"] ?? [:]).compact, as: UTF8.self)
      calls.withLock { $0.append("\(method) \(parameters)") }
      switch method {
      case "Clock": say(#"{"parameters":{"clock":{"zone":"UTC"}}}"#, client)
      case "MeasureVitalsStop":
        say(script.stop, client)
        isStopped.withLock { $0 = true }
      case "MeasureVitalsStart", "MeasureVitalsTerminate": say(#"{"parameters":{}}"#, client)
      default:
        for reply in script.begin { say(reply, client) }
        for (number, turn) in script.turns.enumerated() {
          if !waits(client, for: "MeasureVitalsStart", number + 1) { return }
          for reply in turn { say(reply, client) }
        }
        if !script.turns.isEmpty, !waits(client, for: "MeasureVitalsTerminate", 1) { return }
        if script.waits, !waitForStop(client) { return }
        for reply in script.rest { say(reply, client) }
      }
    }
  }

  /// False: the client hung up.
  private func waitForStop(_ client: Int32) -> Bool { waits(client) { isStopped.withLock { $0 } } }

  private func waits(_ client: Int32, for method: String, _ count: Int) -> Bool {
    waits(client) { called.count { $0.hasPrefix(method) } >= count }
  }

  private func waits(_ client: Int32, until truth: () -> Bool) -> Bool {
    while !truth() {
      var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, 20) > 0 {
        isHungUp.withLock { $0 = true }
        return false
      }
    }
    return true
  }

  private func say(_ text: String, _ client: Int32) {
    let bytes = Array(text.utf8) + [0]
    _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    if script.pace > 0 { usleep(script.pace) }
  }
}
