import Bluetooth
import BotzTwin
import EventLoop
import Simulation
import Testing

@Suite("What the simulated insole does to its link")
struct InsoleLinkTests {
  @Test("asks for 30 to 50 ms by itself after five seconds")
  func automatic() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      var told: [EffectiveParameters] = []
      bench.radio.onParameters = { told.append($1) }
      try await bench.connect()
      #expect(bench.radio.parameters(of: bench.insole.address)?.satisfies(.foreground) == true)
      try await loop.sleep(for: .milliseconds(4900))
      #expect(told.isEmpty)
      try await loop.sleep(for: .seconds(1))
      #expect(told.map(\.interval) == [24] && told.map(\.timeout) == [42])
      #expect(bench.radio.parameters(of: bench.insole.address) == told.last)
    }
  }

  @Test("a profile that is written early waits for five seconds, the last one wins; later ones go out at once")
  func profiles() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      #expect(try await bench.control(0x8B, [0]) == nil)
      #expect(try await bench.control(0x8B, [1]) == nil)
      try await loop.sleep(for: .seconds(6))
      #expect(bench.radio.parameters(of: bench.insole.address)?.satisfies(.background) == true)
      #expect(try await bench.control(0x8B, [0]) == nil)
      try await loop.sleep(for: .seconds(8))
      #expect(bench.radio.parameters(of: bench.insole.address)?.satisfies(.foreground) == true)
    }
  }

  @Test(
    """
    the third profile is silence in a young link, 0x0E in an old one, and a request the hub rejects if it is as \
    documented
    """
  )
  func idle() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      #expect(try await bench.control(0x8B, [2]) == nil)
      try await loop.sleep(for: .seconds(8))
      #expect(bench.radio.parameters(of: bench.insole.address)?.satisfies(.foreground) == true)
      #expect(bench.radio.ledger.updatesAskedByWearables == 0)
      #expect(try await bench.control(0x8B, [2]) == 0x0E)
      var traits = InsoleTraits()
      traits.idleProfile = .asDocumented
      let documented = try await InsoleBench(loop, traits)
      try await documented.connect()
      try await loop.sleep(for: .seconds(7))
      #expect(try await documented.control(0x8B, [2]) == nil)
      try await loop.sleep(for: .seconds(3))
      #expect(documented.insole.profileLog.last == "rejected")
      #expect(documented.radio.ledger.updatesRefused == 1)
    }
  }

  @Test("file transfer asks for 10 ms, and five seconds after it for 30 to 50 again")
  func boost() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      try await bench.subscribe(InsoleUUID.smp, InsoleUUID.smpData)
      try await loop.sleep(for: .seconds(6))
      _ = try await bench.smp(InsoleBench.request(1, InsoleBench.path(1)))
      try await loop.sleep(for: .seconds(2))
      #expect(bench.radio.parameters(of: bench.insole.address)?.interval == 9)
      try await loop.sleep(for: .seconds(5))
      #expect(bench.radio.parameters(of: bench.insole.address)?.interval == 24)
      #expect(
        bench.insole.profileLog.filter { $0.hasPrefix("asks") } == [
          "asks 24...40/0/42", "asks 8...9/0/42", "asks 24...40/0/42",
        ])
    }
  }

  @Test("a link of 420 ms is lost, while one of 4 s lives on")
  func supervision() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      bench.insole.leave()
      try await loop.sleep(for: .seconds(1))
      bench.insole.arrive()
      #expect(bench.closed.isEmpty)
      try await loop.sleep(for: .seconds(8))
      #expect(bench.radio.parameters(of: bench.insole.address)?.timeout == 42)
      bench.insole.leave()
      try await loop.sleep(for: .seconds(1))
      #expect(bench.closed == [.linkLost])
    }
  }
}
