import EventLoop
import Foundation
import Reasons
import Testing

@testable import Control
@testable import HubProtocol

@Suite("The control server")
struct ServerTests {
  @Test("client and server understand each other")
  func endToEnd() throws {
    let log = LogLines()
    struct Answers: Sendable {
      var status: StatusDocument, devices: [DeviceDocument], device: DeviceDocument, accepted: DeviceDocument,
        store: StoreDocument
      var lights: LightsDocument, enrolment: EnrolmentDocument, settings: [SettingDocument], refusal: HearthError?
    }
    let (answers, openFor, locating) = try serve(
      client: { path in
        let client = try ControlClient(path: path)
        var refusal: HearthError?
        do throws(HearthError) { _ = try client.call("EnrollAccept", ["which": "Z"]) } catch { refusal = error }
        _ = try client.call("Locate")
        return Answers(
          status: try client.fetch("status", of: "Status"), devices: try client.fetch("devices", of: "Devices"),
          device: try client.fetch("device", of: "Device", ["name": "strap-01"]),
          accepted: try client.fetch("device", of: "EnrollAccept", ["which": "A", "name": "new"]),
          store: try client.fetch("store", of: "Store"),
          lights: try client.fetch("lights", of: "Lights"),
          enrolment: try client.fetch("enrolment", of: "EnrollOpen", ["seconds": 30]),
          settings: try client.fetch("settings", of: "ConfigShow"), refusal: refusal)
      }, log: log
    ) { hub, _, answers in (answers, hub.openFor, hub.locating) }
    #expect(answers.status.name == "gym-north")
    #expect(answers.status.attention.first?.reason.code == "H2207")
    #expect(answers.devices.map(\.name) == ["strap-01", "strap-02"])
    #expect(answers.device.heartRate == 72)
    #expect(answers.device.counters.entries.map(\.name) == ["samples"])
    #expect(answers.accepted.name == "new")
    #expect(answers.store.wearables == 2)
    #expect(answers.lights.lights.map(\.lamp) == ["HUB", "LINK", "STORE"])
    #expect(answers.enrolment.candidates.first?.letter == "A")
    #expect(answers.settings == [SettingDocument(key: "hub.name", value: "gym-north", origin: "default")])
    #expect(answers.refusal == HearthError(.enrolNotHeard, "no candidate 'Z' is heard"))
    #expect(openFor == .seconds(30))
    #expect(locating)
    // A user that changed something is in the log; one that only asked is not.
    #expect(log.all.count == 4)
    #expect(log.all.allSatisfy { $0.contains("pid \(getpid()) uid \(getuid())") }, "\(log.all)")
    #expect(log.all.first?.hasPrefix("a client asked to accept Z: refused, H2303") == true)
  }

  @Test("a seventeenth client is refused, and gets a place when one is free")
  func clientLimit() throws {
    let (refusal, end, later, statistics) = try serve { path in
      var clients = try (0..<16).map { _ in try RawClient(path) }
      let extra = try RawClient(path)
      let refusal = try extra.receive()
      let end = try extra.receive()
      clients.removeFirst()
      // The server learns of the free place by an event of its own: asked again until it has, for two seconds at most.
      var answer: String?
      for _ in 0..<100 where answer?.contains("H6006") ?? true {
        let later = try RawClient(path)
        later.send(#"{"method":"io.hearth.Hub.EnrollClose"}"#)
        answer = try later.receive()
        usleep(20_000)
      }
      return (refusal, end, answer)
    } after: { _, server, answers in
      (answers.0, answers.1, answers.2, server.statistics)
    }
    #expect(refusal?.contains(#""code":"H6006""#) == true)
    #expect(end == nil)
    #expect(later == #"{"parameters":{}}"#)
    #expect(statistics.refusedClients >= 1)
  }

  @Test("a refused client hears why through the command line's client")
  func refusedClient() throws {
    let error = try serve { path in
      let clients = try (0..<16).map { _ in try RawClient(path) }
      defer { _ = clients.count }
      do { _ = try ControlClient(path: path).call("Status") } catch { return error as? HearthError }
      return nil
    }
    #expect(error == HearthError(.controlTooManyClients, "16 clients are connected already"))
  }

  @Test("when all places are taken, the client that was silent longest gives way")
  func idleClients() throws {
    let (first, second, newcomer) = try serve { _, server in
      server.idleLimit = .milliseconds(20)
    } client: { path in
      let clients = try (0..<16).map { _ in try RawClient(path) }
      usleep(60_000)
      for client in clients.dropFirst() {
        client.send(#"{"method":"io.hearth.Hub.EnrollClose"}"#)
        _ = try client.receive()
      }
      let newcomer = try RawClient(path)
      newcomer.send(#"{"method":"io.hearth.Hub.EnrollClose"}"#)
      let answer = try newcomer.receive()
      clients[1].send(#"{"method":"io.hearth.Hub.EnrollClose"}"#)
      return (try clients[0].receive(), try clients[1].receive(), answer)
    }
    #expect(first == nil)
    #expect(second == #"{"parameters":{}}"#)
    #expect(newcomer == #"{"parameters":{}}"#)
  }

  @Test("silent clients cost no wake-up")
  func idleIsFree() throws {
    let wakeUps = try serve { path in
      try (0..<5).map { _ in try RawClient(path) }
    } after: { _, server, clients in
      try await server.loop.sleep(for: .milliseconds(20))
      let before = server.loop.statistics.wakeUps
      try await server.loop.sleep(for: .milliseconds(200))
      return server.loop.statistics.wakeUps - before + UInt64(clients.count) - 5
    }
    #expect(wakeUps <= 2)
  }

  @Test("random bytes from many clients leave the server serving")
  func garbage() throws {
    let answer = try serve { path in
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<200 {
        let client = try RawClient(path)
        client.send((0..<Int.random(in: 0..<2000)).map { _ in UInt8.random(in: 0...255, using: &generator) })
      }
      return try ControlClient(path: path).call("EnrollClose")
    }
    #expect(answer == [:])
  }
}

@Suite("The socket file")
struct ControlSocketTests {
  private func open(_ path: String) throws -> HearthError? {
    try EpollLoop.run { _ in
      do throws(HearthError) { try ControlSocket(path: path).end() } catch { return error }
      return nil
    }
  }

  @Test("it is for its owner and group, and goes with the daemon")
  func mode() throws {
    let scratch = try Scratch()
    let (mode, isThere) = try EpollLoop.run { _ in
      let socket = try ControlSocket(path: scratch.socket)
      var status = stat()
      lstat(scratch.socket, &status)
      socket.end()
      return (status.st_mode, FileManager.default.fileExists(atPath: scratch.socket))
    }
    #expect(mode == S_IFSOCK | 0o660)
    #expect(!isThere)
  }

  @Test("a second daemon is refused while the first lives")
  func owned() throws {
    let scratch = try Scratch()
    let error = try EpollLoop.run { _ in
      let first = try ControlSocket(path: scratch.socket)
      defer { first.end() }
      do throws(HearthError) { try ControlSocket(path: scratch.socket).end() } catch { return Optional(error) }
      return nil
    }
    #expect(error == HearthError(.socketInUse, "another daemon owns \(scratch.socket)"))
  }

  @Test("a socket that is answered is not taken, by whatever process")
  func answered() throws {
    let scratch = try Scratch()
    let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let address = try #require(UnixAddress(scratch.socket))
    #expect(address.bind(other) == 0 && listen(other, 1) == 0)
    #expect(try open(scratch.socket) == HearthError(.socketInUse, "a daemon answers at \(scratch.socket)"))
    close(other)
    // Now it is stale: no process listens, so it is replaced.
    #expect(try open(scratch.socket) == nil)
  }

  @Test("a file that is no socket is left alone")
  func foreign() throws {
    let scratch = try Scratch()
    try "precious".write(toFile: scratch.socket, atomically: false, encoding: .utf8)
    #expect(
      try open(scratch.socket) == HearthError(.socketUnavailable, "\(scratch.socket) is no socket; it is left alone"))
    #expect(try String(contentsOfFile: scratch.socket, encoding: .utf8) == "precious")
  }

  @Test("without its folder, or with a path too long, there is no socket")
  func unavailable() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/missing/hub.sock"
    #expect(try open(path) == HearthError(.socketUnavailable, "\(path): its folder does not exist"))
    let long = "/tmp/" + String(repeating: "x", count: 103)
    #expect(try open(long) == HearthError(.socketUnavailable, "'\(long)' is no path of 1 to 107 bytes"))
    #expect(throws: HearthError(.daemonDown, "no daemon answers at \(path)")) { try ControlClient(path: path) }
  }
}
