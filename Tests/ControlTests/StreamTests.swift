import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import Control
@testable import HubProtocol

private let exportCall = #"{"method":"io.hearth.Hub.Export","more":true}"#
private let liveCall = #"{"method":"io.hearth.Hub.Live","more":true}"#

@Suite("Streams of the control socket")
struct StreamTests {
  @Test("live values come as they are said, and the subscription ends with the client")
  func liveValues() throws {
    let (lines, before, afterwards) = try serve { hub, server in
      server.loop.spawn {
        while hub.listeners.isEmpty { try? await server.loop.sleep(for: .milliseconds(2)) }
        hub.say(72)
        hub.say(73)
      }
    } client: { path in
      let client = try RawClient(path)
      client.send(liveCall)
      return [try client.receive(), try client.receive()]
    } after: { hub, server, lines in
      let before = lines.count
      try await server.loop.sleep(for: .milliseconds(50))
      return (lines, before, hub.listeners.count)
    }
    let sample =
      #"{"device":"strap-01","address":"F0:F1:F2:F3:F4:00","series":"heart_rate","time":"2026-11-21T10:00:00.000Z","value":72,"unit":"bpm","origin":"live"}"#
    #expect(lines[0] == #"{"parameters":{"sample":\#(sample)},"continues":true}"#)
    #expect(lines[1]?.contains(#""value":73"#) == true)
    #expect(before == 2)
    #expect(afterwards == 0)
  }

  @Test("a client that asks for the newest once a second gets new values at once, and an empty answer without any")
  func newestValues() throws {
    let (lines, listeners) = try serve { hub, server in
      server.loop.spawn {
        while hub.listeners.isEmpty { try? await server.loop.sleep(for: .milliseconds(2)) }
        for round in 0..<2 {
          for bpm: Int64 in 1...50 {
            hub.say(100 * Int64(round) + bpm)
            hub.say(FakeHub.sample(1, .groundTime, 250, values: [100 * Int64(round) + bpm, -3]))
          }
          try? await server.loop.sleep(for: .milliseconds(100))
        }
      }
    } client: { path in
      let client = try RawClient(path)
      client.send(#"{"method":"io.hearth.Hub.Live","more":true,"parameters":{"every":1}}"#)
      return try (0..<4).map { _ in try client.receive() }
    } after: { hub, server, lines in
      try await server.loop.sleep(for: .milliseconds(50))
      return (lines, hub.listeners.count)
    }
    let values = lines.map {
      $0?.firstMatch(of: /"series":"([a-z_]+)".*"value":([^"]+),"unit/).map { "\($0.1) \($0.2)" }
    }
    #expect(values == ["heart_rate 50", "ground_time [50,-3]", "heart_rate 150", "ground_time [150,-3]"])
    #expect(listeners == 0)
    let refusals = try serve { _, _ in
    } client: { path in
      try [0, 3601].map { every in
        let client = try RawClient(path)
        client.send(#"{"method":"io.hearth.Hub.Live","more":true,"parameters":{"every":\#(every)}}"#)
        return try client.receive()
      }
    } after: { _, _, refusals in
      refusals
    }
    #expect(refusals.allSatisfy { $0?.contains("InvalidParameter") == true })
  }

  @Test("the newest of two thousand wearables at once are not too much for a client that reads")
  func newestOfMany() throws {
    let (wearables, slow) = try serve { hub, server in
      server.loop.spawn {
        while hub.listeners.isEmpty { try? await server.loop.sleep(for: .milliseconds(2)) }
        for number: UInt32 in 1...2000 {
          hub.say(FakeHub.sample(number, .heartRate, Int64(number)))
          hub.say(FakeHub.sample(number, .heartRate, 10_000 + Int64(number)))
        }
      }
    } client: { path in
      let client = try RawClient(path)
      client.send(#"{"method":"io.hearth.Hub.Live","more":true,"parameters":{"every":1}}"#)
      return try (1...2000).filter { try client.receive()?.contains("\"value\":\(10_000 + $0),") == true }.count
    } after: { _, server, count in
      (count, server.statistics.slowClients)
    }
    #expect(wearables == 2000)
    #expect(slow == 0)
  }

  @Test("vectors and waveforms are sent as an export writes them")
  func liveVectors() throws {
    let lines = try serve { hub, server in
      server.loop.spawn {
        while hub.listeners.isEmpty { try? await server.loop.sleep(for: .milliseconds(2)) }
        hub.say(FakeHub.sample(1, .groundTime, 250, values: [250, -3]))
        hub.say(
          FakeHub.sample(
            1, .acc, 20_000_000, values: [20_000_000, 2, 0],
            bytes: [1, 0, 2, 0, 255, 255] + [UInt8](repeating: 0, count: 6)))
      }
    } client: { path in
      let client = try RawClient(path)
      client.send(liveCall)
      return [try client.receive(), try client.receive()]
    } after: { _, _, lines in
      lines
    }
    let head = #"{"parameters":{"sample":{"device":"strap-01","address":"F0:F1:F2:F3:F4:00","series":"#
    let time = #""time":"2026-11-21T10:00:00.000Z","value":"#
    #expect(
      lines[0] == head + #""ground_time",\#(time)[250,-3],"unit":"ms","origin":"live"}},"continues":true}"#)
    #expect(
      lines[1] == head
        + #""acc",\#(time)[[1,2,-1],[0,0,0]],"unit":"mg","origin":"live","period_ns":20000000}},"continues":true}"#)
  }

  @Test("a client that does not read its live values is disconnected and may ask again; others are served meanwhile")
  func slowReader() throws {
    let log = LogLines()
    let (statistics, listeners, spoken) = try serve(
      prepare: { hub, server in
        server.loop.spawn {
          while hub.listeners.isEmpty { try? await server.loop.sleep(for: .milliseconds(2)) }
          // A value is some 200 bytes: this passes the kernel's buffer (208 KiB as a rule) and the connection's bound.
          for _ in 0..<200 {
            for _ in 0..<100 { hub.say(72) }
            await Task.yield()
          }
        }
      },
      client: { path in
        let slow = try RawClient(path)
        slow.send(liveCall)
        let other = try ControlClient(path: path)
        for _ in 0..<50 { _ = try other.call("EnrollClose") }
        usleep(200_000)
        var spoken = 0
        while let line = try slow.receive(), line.contains("heart_rate") { spoken += 1 }
        _ = try ControlClient(path: path).call("EnrollClose")
        return spoken
      }, log: log
    ) { hub, server, spoken in (server.statistics, hub.listeners.count, spoken) }
    #expect(statistics.slowClients == 1)
    #expect(listeners == 0)
    #expect(spoken < 20_000)
    #expect(log.all.contains { $0.contains("H6007") && $0.contains("uid \(getuid())") })
  }

  @Test("an export comes in pages, complete and in order, in the form of the command line")
  func export() throws {
    let replies = try serve { hub, _ in
      hub.fill(1300)
    } client: { path in
      let client = try ControlClient(path: path)
      var replies: [[JSON]] = []
      try client.stream("Export", [:]) { reply in
        if case .array(let samples) = reply["samples"] { replies.append(samples) }
        return true
      }
      return replies
    }
    #expect(replies.map(\.count) == [512, 512, 276])
    let samples = replies.joined().map { String(decoding: $0.compact, as: UTF8.self) }
    #expect(
      samples[0]
        == #"{"device":"strap-01","address":"F0:F1:F2:F3:F4:00","series":"rr_interval","time":"2026-11-21T10:00:00.000Z","value":58.59375,"unit":"ms","origin":"live"}"#
    )
    #expect(
      samples[1]
        == #"{"device":"strap-02","address":"F0:F1:F2:F3:F4:01","series":"heart_rate","time":"2026-11-21T10:00:00.001Z","value":61,"unit":"bpm","origin":"live"}"#
    )
    let times = replies.joined().compactMap { $0["time"]?.text }
    #expect(times == times.sorted() && Set(times).count == 1300)
  }

  @Test("an export to a client that does not read waits, and goes on when it reads")
  func backpressure() throws {
    let (pages, samples, slow) = try serve { hub, _ in
      hub.fill(40_000)
    } client: { path in
      let client = try RawClient(path)
      client.send(exportCall)
      usleep(300_000)
      let other = try ControlClient(path: path)
      // Status would need pages of its own; any answer shows that the loop is free.
      _ = try other.call("EnrollClose")
      return client
    } after: { hub, server, client in
      let pages = hub.pagesRead
      let thread = DiskThread()
      let samples = try await thread.perform {
        var samples = 0
        while let line = try client.receive() {
          samples += line.matches(of: /"device":/).count
          if !line.contains(#""continues":true"#) { break }
        }
        return samples
      }
      thread.shutDown()
      return (pages, samples, server.statistics.slowClients)
    }
    // A page is about 80 KB; the kernel's socket buffer holds two or three, one waits with us.
    #expect(pages < 10)
    #expect(samples == 40_000)
    #expect(slow == 0)
  }

  @Test("an export ends when its client goes")
  func abandoned() throws {
    let (pages, later) = try serve { hub, _ in
      hub.fill(40_000)
    } client: { path in
      let client = try RawClient(path)
      client.send(exportCall)
      _ = try client.receive()
      return 0
    } after: { hub, server, _ in
      try await server.loop.sleep(for: .milliseconds(50))
      let pages = hub.pagesRead
      try await server.loop.sleep(for: .milliseconds(50))
      return (pages, hub.pagesRead)
    }
    #expect(pages == later)
    #expect(pages < 79)
  }

  @Test("filters select; what does not exist is refused")
  func filters() throws {
    let (counts, device, series) = try serve { hub, _ in
      hub.fill(12)
    } client: { path in
      func count(_ parameters: JSON) throws -> Int {
        var count = 0
        try ControlClient(path: path).stream("Export", parameters) { reply in
          if case .array(let samples) = reply["samples"] { count += samples.count }
          return true
        }
        return count
      }
      func refusal(_ parameters: JSON) -> HearthError? {
        do { _ = try count(parameters) } catch { return error as? HearthError }
        return nil
      }
      let counts = [
        try count(["device": "strap-01"]), try count(["device": "f0:f1:f2:f3:f4:01"]),
        try count(["series": "rr_interval"]),
        try count(["since": "2026-11-21T10:00:00.004Z"]), try count(["until": "2026-11-21T10:00:00.004Z"]),
        try count(["device": .null]),
      ]
      return (counts, refusal(["device": "strap-77"]), refusal(["series": "hart_rate"]))
    }
    #expect(counts == [6, 6, 4, 8, 4, 12])
    #expect(device == HearthError(.noSuchWearable, "no wearable is called 'strap-77'"))
    #expect(series?.reason == .controlBadParameter)
    #expect(series?.detail == "no series is called 'hart_rate' (did you mean 'heart_rate'?)")
  }
}
