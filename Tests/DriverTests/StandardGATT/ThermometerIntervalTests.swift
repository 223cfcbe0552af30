import Bluetooth
import EventLoop
import Health
import Reasons
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("How often a thermometer measures, as it is ordered", .serialized)
struct ThermometerIntervalTests {
  private static let driver = StandardDriver([.heartRate, .thermometer])

  private static func order(_ interval: Int?, isOn: Bool? = nil) -> [Series: MonitoringOrder] {
    var order = MonitoringOrder()
    (order.interval, order.isOn) = (interval, isOn)
    return [.bodyTemperature: order]
  }

  private static func says(_ seconds: Int) -> MonitoringOrder {
    var said = MonitoringOrder()
    said.isOn = seconds != 0
    if seconds != 0 { said.interval = seconds }
    return said
  }

  /// A visit's check and its end.
  ///
  /// - Returns: what a person is told.
  @LoopActor
  private func visit(_ link: ScriptedLink) async throws -> (state: MonitoringState?, trouble: String?) {
    let session = try #require(Self.driver.makeSession(link) as? StandardSession)
    return try await visit(session)
  }

  @LoopActor
  private func visit(_ session: StandardSession) async throws -> (state: MonitoringState?, trouble: String?) {
    _ = try await session.check()
    var trouble: String?
    do throws(VisitTrouble) { try await session.finish() } catch {
      guard case .needsAttention(let reason, let what) = error else { throw error }
      trouble = "\(reason.code) \(what)"
    }
    return (session.monitoring.first, trouble)
  }

  private static let clause = "H2145 does not measure by itself as it was ordered: "

  @Test("is written once and read back, and is as it was before when no order wants it")
  func written() throws {
    try onLoop { _ in
      let thermometer = PocketThermometer(60, range: 5...3600)
      let link = ScriptedLink(thermometer)
      let before = try await visit(link)
      #expect(before.state == MonitoringState(.bodyTemperature, asked: nil, says: Self.says(60), takes: 5...3600))
      #expect(link.written.isEmpty && before.trouble == nil)
      link.orders.monitoring = Self.order(30)
      for _ in 0..<2 {
        let found = try await visit(link)
        #expect(
          found.state
            == MonitoringState(
              .bodyTemperature, asked: Self.order(30)[.bodyTemperature], says: Self.says(30), takes: 5...3600)
        )
        #expect(found.trouble == nil)
      }
      #expect(link.written.map(\.value) == [[30, 0]] && link.written[0].characteristic == 0x2A21)
      // Another order in between does not make the first one what was before.
      link.orders.monitoring = Self.order(nil, isOn: false)
      #expect(try await visit(link).state?.got == Self.says(0))
      link.orders.monitoring = [:]
      let after = try await visit(link)
      #expect(thermometer.seconds == 60 && after.state?.got == nil && after.state?.says == Self.says(60))
      #expect(link.written.map(\.value) == [[30, 0], [0, 0], [60, 0]] && link.memory.entries.isEmpty)
      _ = try await visit(link)
      #expect(link.written.count == 3, "nothing is ordered, so nothing is written")
    }
  }

  @Test("is written at once if the link stays, and read again on request")
  func overLink() throws {
    try onLoop { _ in
      let thermometer = PocketThermometer(0)
      let link = ScriptedLink(thermometer)
      let session = try #require(Self.driver.makeSession(link) as? StandardSession)
      _ = try await session.check()
      link.orders.monitoring = Self.order(300)
      try await session.ordersChanged()
      #expect(thermometer.seconds == 300 && session.monitoring.first?.got == Self.says(300))
      // A person sets it at the thermometer itself: the result stays until the next visit.
      thermometer.value = [120, 0]
      let now = try await session.readMonitoring()
      #expect(
        now == [
          MonitoringState(
            .bodyTemperature, asked: Self.order(300)[.bodyTemperature], got: Self.says(300), says: Self.says(120))
        ])
      #expect(try await visit(session).state?.says == Self.says(300))
    }
  }

  @Test("what its range does not have is not written, and said; a range that makes no sense is ignored")
  func range() throws {
    try onLoop { _ in
      let thermometer = PocketThermometer(60, range: 5...3600)
      let link = ScriptedLink(thermometer)
      link.orders.monitoring = Self.order(4)
      let found = try await visit(link)
      #expect(found.trouble == Self.clause + "it takes 5 to 3600 s between two measurements, not 4 s")
      #expect(link.written.isEmpty && found.state?.got == Self.says(60) && link.memory.entries.isEmpty)
      // Zero is in no range, and always taken.
      link.orders.monitoring = Self.order(nil, isOn: false)
      #expect(try await visit(link).trouble == nil && thermometer.seconds == 0)
      for nonsense: [UInt8] in [[], [5, 0, 1], [9, 0, 5, 0]] {
        thermometer.range = nonsense
        link.orders.monitoring = Self.order(4)
        #expect(try await visit(link).trouble == nil && thermometer.seconds == 4)
        link.orders.monitoring = Self.order(7)
        thermometer.rangeRefusal = .readNotPermitted
        #expect(try await visit(link).trouble == nil && thermometer.seconds == 7)
        #expect(link.notes.contains { $0.hasPrefix("the range of its interval makes no sense") })
        thermometer.rangeRefusal = nil
      }
    }
  }

  @Test("one that refuses, or measures otherwise than ordered, is shown as it is; the rest of its visit goes on")
  func refused() throws {
    try onLoop { _ in
      let thermometer = PocketThermometer(60)
      let link = ScriptedLink(thermometer)
      link.orders.monitoring = Self.order(30)
      thermometer.writeRefusal = ATTErrorCode(rawValue: 0x80)
      let refused = try await visit(link)
      #expect(
        refused.trouble == Self.clause + "it refuses 30 s between two measurements: application error (0x80)"
          && refused.state
            == MonitoringState(.bodyTemperature, asked: Self.order(30)[.bodyTemperature], says: Self.says(60))
      )
      thermometer.writeRefusal = nil
      thermometer.takes = { _ in 20 }
      let other = try await visit(link)
      #expect(other.trouble == Self.clause + "it measures every 20 s" && other.state?.got == Self.says(20))
      thermometer.takes = { _ in 0 }
      #expect(try await visit(link).trouble == Self.clause + "it measures only when it is used")
      // The earlier value is not an order: it is tried once.
      thermometer.takes = { _ in 20 }
      link.orders.monitoring = [:]
      #expect(try await visit(link).trouble == nil && link.memory.entries.isEmpty)
      #expect(link.notes.last == "it measures every 20 s, and did every 60 s")
    }
  }

  @Test("one with a read-only interval is shown, announces no choice, and says so of an order")
  func readOnly() throws {
    try onLoop { _ in
      let thermometer = PocketThermometer(60, .read)
      let link = ScriptedLink(thermometer)
      let session = try #require(Self.driver.makeSession(link) as? StandardSession)
      #expect(session.announced?[.bodyTemperature] == .monitoring)
      #expect(try await visit(session).state?.says == Self.says(60))
      #expect(ThermometerInterval.choice.parts(having: .monitoring) == [])
      link.orders.monitoring = Self.order(30)
      let found = try await visit(link)
      #expect(found.trouble == Self.clause + "how often it measures can only be read: 60 s")
      #expect(link.written.isEmpty && found.state?.got == Self.says(60))
      // What it does anyway is taken.
      link.orders.monitoring = Self.order(60)
      #expect(try await visit(link).trouble == nil)
    }
  }

  @Test("one without a reported interval is visited as any; an order for it is reported")
  func unreadable() throws {
    try onLoop { _ in
      let thermometer = PocketThermometer(60)
      let link = ScriptedLink(thermometer)
      for isRefused in [true, false] {
        thermometer.readRefusal = isRefused ? .insufficientAuthentication : nil
        thermometer.value = isRefused ? [60, 0] : [60]
        link.orders.monitoring = [:]
        let found = try await visit(link)
        #expect(found.state == nil && found.trouble == nil)
        link.orders.monitoring = Self.order(30)
        #expect(try await visit(link).trouble == Self.clause + "it does not say how often it measures")
        #expect(link.written.isEmpty)
      }
      let session = try #require(Self.driver.makeSession(link) as? StandardSession)
      await #expect(throws: VisitTrouble.unsupported("it does not say how often it measures")) {
        try await session.readMonitoring()
      }
    }
  }

  @Test("a link that is lost between writing and reading back costs neither the order nor what was before")
  func lost() throws {
    try onLoop { _ in
      let thermometer = PocketThermometer(60, range: 5...3600)
      // Read, range, write, read back: lost before each of them.
      for step in 0..<4 {
        thermometer.value = [60, 0]
        let link = ScriptedLink(thermometer)
        link.orders.monitoring = Self.order(30)
        link.endsAt = step
        let session = try #require(Self.driver.makeSession(link) as? StandardSession)
        await #expect(throws: VisitTrouble.link(.closed(.linkLost))) { try await session.check() }
        #expect(thermometer.seconds == (step == 3 ? 30 : 60))
        let next = ScriptedLink(thermometer)
        (next.memory, next.orders) = (link.memory, link.orders)
        #expect(try await visit(next).state?.got == Self.says(30))
        #expect(next.written.count == (step == 3 ? 0 : 1))
        next.orders.monitoring = [:]
        _ = try await visit(next)
        #expect(thermometer.seconds == 60 && next.memory.entries.isEmpty)
      }
    }
  }

  @Test("whatever it says of its interval and range, the visit goes on: it is as it was ordered, or that is said")
  func walked() throws {
    func forms(of right: [UInt8]) -> [[UInt8]] {
      var forms = (0..<right.count).map { Array(right.prefix($0)) }
      for extra in [1, 40] { forms.append(right + [UInt8](repeating: 0xFF, count: extra)) }
      for place in right.indices {
        for value: UInt8 in [0, 0x7F, 0xFF] {
          forms.append(right)
          forms[forms.count - 1][place] = value
        }
      }
      return forms
    }
    let right: (interval: [UInt8], range: [UInt8]) = ([60, 0], [5, 0, 16, 14])
    let all = forms(of: right.interval).map { ($0, right.range) } + forms(of: right.range).map { (right.interval, $0) }
    try onLoop { _ in
      for (interval, range) in all {
        let thermometer = PocketThermometer(60)
        (thermometer.value, thermometer.range) = (interval, range)
        let link = ScriptedLink(thermometer)
        _ = try await visit(link)
        link.orders.monitoring = Self.order(30)
        let found = try await visit(link)
        #expect(found.trouble != nil || thermometer.value == [30, 0], "\(interval) \(range)")
        #expect(interval.count > 1 || link.notes.contains { $0.hasPrefix("its interval cannot be read: ") })
      }
    }
  }

  @Test("a strap is only listened to, unless an interval was ordered of it before it was known: that is said")
  func none() throws {
    try onLoop { _ in
      let thermometer = PocketThermometer(nil)
      let link = ScriptedLink(thermometer)
      #expect(Self.driver.makeSession(link) == nil)
      link.orders.monitoring = Self.order(30)
      let found = try await visit(link)
      #expect(found.trouble == Self.clause + "it has no interval of its own")
    }
  }

  @Test("can be ordered of what says a range of its own over a link, and is declared by its profile alone")
  func declared() {
    #expect(Self.driver.monitoring(of: KnownWearable()) == [ThermometerInterval.choice])
    #expect(
      Self.driver.implemented(for: KnownWearable())[.bodyTemperature] == [.live, .monitoring, .monitoringInterval])
    let strap = StandardDriver([.heartRate])
    #expect(strap.monitoring(of: KnownWearable()).isEmpty && strap.furtherCapabilities.isEmpty)
  }
}

/// What a thermometer is to a hub that looks at its interval alone.
@LoopActor
private final class PocketThermometer: LinkPeer {
  var value: [UInt8]
  var range: [UInt8] = []
  var readRefusal: ATTErrorCode?
  var writeRefusal: ATTErrorCode?
  var rangeRefusal: ATTErrorCode?
  /// What it makes of what it is told.
  var takes: (UInt16) -> UInt16 = { $0 }
  let database: GATTDatabase

  init(_ seconds: UInt16?, _ properties: GATTProperties = [.read, .write], range: ClosedRange<UInt16>? = nil) {
    value = Self.bytes(seconds ?? 0)
    if let range { self.range = Self.bytes(range.lowerBound) + Self.bytes(range.upperBound) }
    var all = [GATTCharacteristicDefinition(0x2A1C, .indicate)]
    if seconds != nil {
      all.append(
        GATTCharacteristicDefinition(0x2A21, properties, descriptors: [GATTDescriptorDefinition(0x2906, value: [])]))
    }
    database = .made(of: [GATTServiceDefinition(0x1809, all)])
  }

  var seconds: Int { Int(value[0]) | Int(value.count > 1 ? value[1] : 0) << 8 }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    if let readRefusal { throw .refused(readRefusal, what: "reading 2A21") }
    return value
  }

  func read(_ descriptor: GATTDescriptor) throws(VisitTrouble) -> [UInt8] {
    if let rangeRefusal { throw .refused(rangeRefusal, what: "reading 2906") }
    return range
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    if let writeRefusal { throw .refused(writeRefusal, what: "writing 2A21") }
    self.value = Self.bytes(takes(UInt16(value[0]) | UInt16(value[1]) << 8))
  }

  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
}
