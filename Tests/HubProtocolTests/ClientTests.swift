import Foundation
import Reasons
import Testing

@testable import HubProtocol

/// A server of one connection that says what it was told to, whatever it is asked. Used by one thread at a time.
private final class Scripted: @unchecked Sendable {
  let path: String
  private let listener: Int32
  private let folder: String

  init() throws {
    var template = Array("/tmp/hearth-protocol-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    folder = String(cString: made)
    path = folder + "/hub.sock"
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let address = try #require(UnixAddress(path))
    guard address.bind(listener) == 0, listen(listener, 1) == 0 else { throw POSIXError(.EADDRINUSE) }
  }

  deinit {
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Takes a connection, reads one call and answers with these bytes, then hangs up.
  func answer(_ bytes: String) -> Thread {
    let listener = listener
    let thread = Thread {
      let descriptor = accept(listener, nil, nil)
      var buffer = [UInt8](repeating: 0, count: 4096)
      _ = recv(descriptor, &buffer, buffer.count, 0)
      let answer = Array(bytes.utf8)
      _ = answer.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      close(descriptor)
    }
    thread.start()
    return thread
  }
}

@Suite("The client of the socket")
struct ClientTests {
  private func ask(_ bytes: String) throws -> Result<SettingDocument, HearthError> {
    let server = try Scripted()
    _ = server.answer(bytes)
    do throws(HearthError) {
      return .success(try ControlClient(path: server.path).fetch("setting", of: "X"))
    } catch { return .failure(error) }
  }

  @Test("an answer becomes its document")
  func answer() throws {
    let setting = try ask(#"{"parameters":{"setting":{"key":"a","value":"b","origin":"default"}}}"# + "\0").get()
    #expect(setting == SettingDocument(key: "a", value: "b", origin: "default"))
  }

  @Test(
    "whatever else comes is a reason",
    arguments: [
      ("", Reason.daemonDown, "hung up"), ("hello\0", .controlMalformed, "is not JSON"),
      (#"{"parameters":{}}"# + "\0", .controlMalformed, "setting. is not an object"),
      (
        #"{"error":"org.varlink.service.MethodNotFound","parameters":{}}"# + "\0", .controlUnknownMethod,
        "does not know X"
      ),
      (
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"p"}}"# + "\0",
        .controlBadParameter, "'p' of X"
      ),
      (#"{"error":"io.hearth.Hub.Refused","parameters":{"code":"H0"}}"# + "\0", .controlMalformed, "does not know"),
    ])
  func refusals(bytes: String, reason: Reason, detail: String) throws {
    guard case .failure(let error) = try ask(bytes) else {
      Issue.record("it was understood")
      return
    }
    #expect(error.reason == reason)
    #expect(error.detail.contains(detail), "\(error.detail)")
  }

  @Test("no listener, and a path that can be no socket")
  func nobody() {
    #expect(throws: HearthError.self) { try ControlClient(path: "/tmp/hearth-nobody/hub.sock") }
    #expect(throws: HearthError.self) { try ControlClient(path: String(repeating: "x", count: 108)) }
  }
}
