import Bluetooth
import Drivers
import EventLoop
import GATTServices
import Health
import PolarFamily
import StandardGATTFamily
import Testing
import Wearable

@testable import DriverTestSupport

@Suite("Every driver of the registry")
struct ConformanceTests {
  static let strangers = ScanResults.generated(Drivers.registry, count: 5000, seed: 1)
  static let sources: [(driver: any WearableDriver, source: LiveSource)] = Drivers.registry.flatMap { driver in
    driver.liveSources.map { (driver, $0) }
  }

  @Test("the phases that a file may choose are those of the drivers")
  func phases() {
    let all = Set(Drivers.registry.flatMap { $0.synced?.syncDomains.map(\.id) ?? [] })
    #expect(Phases.names == all.sorted())
  }

  @Test("has an identity of its own")
  func identities() {
    #expect(ConformanceKit.repeatedIDs(Drivers.registry) == [])
  }

  @Test("has complete data")
  func data() {
    #expect(!Drivers.registry.isEmpty)
    for driver in Drivers.registry { #expect(ConformanceKit.incompleteData(driver) == []) }
  }

  @Test("is chosen for the advertisers that are its own")
  func claimed() {
    #expect(Set(ScanResults.claimed.keys) == Set(Drivers.registry.map(\.id)))
    for (id, scanResults) in ScanResults.claimed {
      for scanResult in scanResults { #expect(recognise(scanResult, among: Drivers.registry)?.driver.id == id) }
    }
  }

  @Test("leaves strangers alone", arguments: ScanResults.unclaimed.indices)
  func unclaimed(_ index: Int) {
    #expect(recognise(ScanResults.unclaimed[index], among: Drivers.registry) == nil)
  }

  @Test("never claims an advertiser with the same priority as another, whatever is advertised")
  func unambiguous() {
    let everybody = Self.strangers + Array(ScanResults.claimed.values.joined()) + ScanResults.unclaimed
    #expect(ConformanceKit.ambiguous(Drivers.registry, everybody) == [])
    #expect(ConformanceKit.unsteadyRecognition(Drivers.registry, everybody) == [])
  }

  @Test("survives thousands of random values on each of its sources", arguments: sources.indices)
  func randomValues(_ index: Int) {
    let (driver, source) = Self.sources[index]
    let seed = UInt64.random(in: 0 ... .max)
    let count = ConformanceKit.isAtLength ? 100_000 : 20_000
    #expect(ConformanceKit.misbehaviour(driver, source, count: count, seed: seed) == [], "seed \(seed)")
  }

  @Test("does all that those can which it extends, and hears what they hear")
  func extends() {
    // What is extended is a strap: no wearable of those that extend it serves any other profile.
    let strap = StandardDriver(HeartRateStrap.profiles, shows: Polar.isShown) { Polar.AdvertisedHeartRate() }
    let drivers = [strap] + Drivers.registry.filter { $0.id != strap.id }
    for driver in drivers { #expect(ConformanceKit.extensionFaults(driver, among: drivers) == []) }
    #expect(
      Drivers.registry.first { $0.id == "heart-rate" }?.advertisedValues?.makeListener() != nil,
      "straps of Polar's without streams are claimed by it")
  }

  @Test("says what it can do, has legal profiles or says that they are not, and names the source of every quirk")
  func dataAgrees() {
    for driver in Drivers.registry {
      #expect(
        ConformanceKit.capabilityFaults(driver) + ConformanceKit.profileFaults(driver)
          + ConformanceKit.quirkFaults(driver) == [])
    }
  }

  @Test(
    "carries out what people order, or refuses it when it is ordered, or shows it with a code",
    arguments: OrderExhibit.families.indices)
  func orders(_ index: Int) throws {
    #expect(Set(OrderExhibit.families.map(\.driver)) == Set(Drivers.registry.map(\.id)))
    let faults = try ConformanceKit.orderFaults(index)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  @Test("has what it declares: no facet is empty or contradicts what it can do")
  func facets() {
    for driver in Drivers.registry { #expect(ConformanceKit.facetFaults(driver) == []) }
    #expect(Set(Drivers.registry.filter(\.needsLink).map(\.id)) == ["heart-rate", "polar-strap"])
  }

  @Test("reports over any link what its wearable announces, and never more than it carries out")
  func announced() {
    for driver in Drivers.registry {
      let decoder = driver.makeDecoder()
      #expect(decoder.announced == nil, "\(driver.id) knows before a link")
      decoder.begin(GATTDatabase.made(of: []))
      #expect(decoder.announced?.isEmpty == true, "\(driver.id) has something without a database")
      // Every source that it knows is there.
      let sources = Dictionary(grouping: driver.liveSources, by: \.service)
      let services = sources.keys.sorted { $0.description < $1.description }.map { service in
        GATTServiceDefinition(
          service, sources[service, default: []].map { GATTCharacteristicDefinition($0.characteristic, .notify) })
      }
      decoder.begin(GATTDatabase.made(of: services))
      let shown = decoder.announced ?? WearableCapabilities()
      #expect(!shown.isEmpty && shown.intersection(driver.implemented(for: KnownWearable())) == shown, "\(driver.id)")
    }
  }

  @Test("is outranked by a driver that knows the family")
  func priority() {
    let vendor = FaultyDriver(id: "vendor", priority: Recognition.standardService + 1)
    let strap = ScanResults.scanResult(name: "Strap", services: [0x180D])
    #expect(Wearable.recognise(strap, among: Drivers.registry + [vendor])?.driver.id == "vendor")
    #expect(Wearable.recognise(strap, among: [vendor] + Drivers.registry)?.driver.id == "vendor")
    #expect(Wearable.recognise(strap, among: []) == nil)
  }
}

@Suite("The conformance kit finds")
struct ConformanceKitTests {
  @Test("two drivers of one identity")
  func repeatedIDs() {
    #expect(
      ConformanceKit.repeatedIDs([FaultyDriver(id: "a"), FaultyDriver(id: "a"), FaultyDriver(id: "b")]) == [
        "a is the id of 2 drivers"
      ])
  }

  @Test("two drivers that claim one wearable alike")
  func ambiguous() {
    let rivals: [any WearableDriver] = [
      StandardDriver(HeartRateStrap.profiles), FaultyDriver(id: "rival", priority: Recognition.standardService),
    ]
    let strap = ScanResults.scanResult(name: "Strap", services: [0x180D])
    #expect(ConformanceKit.ambiguous(rivals, [strap]) == ["heart-rate and rival claim Strap alike"])
    #expect(ConformanceKit.ambiguous(rivals, [ScanResults.scanResult(name: nil, services: [])]) == [])
  }

  @Test("missing data")
  func incompleteData() {
    #expect(ConformanceKit.incompleteData(FaultyDriver(id: "No Id!")).count == 4)
  }

  @Test("capabilities, profiles and quirks that contradict each other")
  func contradictions() {
    let driver = FaultyDriver(id: "a")
    #expect(ConformanceKit.capabilityFaults(driver).count == 3)
    #expect(ConformanceKit.profileFaults(driver).count == 2)
    #expect(ConformanceKit.quirkFaults(driver).count == 2)
  }

  @Test("facets that are declared and empty, or that no code implements")
  func facets() {
    let faults = ConformanceKit.facetFaults(EmptyDriver())
    let empty = [
      "settings", "streams", "rates", "monitoring", "advertised values", "paces", "drivers that it extends", "quirks",
    ]
    for facet in empty { #expect(faults.contains("empty declares \(facet) and has none")) }
    for fault in [
      "empty does more with acc, which it does not have", "empty says of acc what the core says",
      "empty says when acc is measured, and not that it is",
    ] { #expect(faults.contains(fault), "\(fault)") }
    #expect(faults.count == empty.count + 6, "\(faults)")
  }

  @Test("a driver that extends another and does less than it, or extends an unknown one")
  func extensions() {
    var less = FaultyDriver(id: "a")
    less.extends = ["heart-rate"]
    #expect(ConformanceKit.extensionFaults(less, among: [StandardDriver(HeartRateStrap.profiles), less]).count >= 3)
    less.extends = ["a", "nobody"]
    #expect(ConformanceKit.extensionFaults(less, among: [StandardDriver(HeartRateStrap.profiles), less]).count == 2)
  }

  @Test("a session that is promised and not there")
  func session() throws {
    #expect(try ConformanceKit.sessionFaults(Exhibit(driver: FaultyDriver(id: "a"), scanResults: [])).count == 1)
    let peer: @LoopActor @Sendable () -> (link: ScriptedLink, held: @LoopActor () -> [UInt8]) = {
      let button = ThermoButton()
      return (button.link, { button.log })
    }
    #expect(
      try ConformanceKit.sessionFaults(Exhibit(driver: FaultyDriver(id: "a"), scanResults: [], peer: peer)) == [
        "a has a wearable and no session"
      ])
  }

  @Test("a session that lacks what its driver declares, and takes what it does not declare itself")
  func sessionFacets() throws {
    let peer: @LoopActor @Sendable () -> (link: ScriptedLink, held: @LoopActor () -> [UInt8]) = {
      let button = ThermoButton()
      return (button.link, { button.log })
    }
    let faults = try ConformanceKit.sessionFaults(Exhibit(driver: GreedyDriver(), scanResults: [], peer: peer))
    for fault in [
      "greedy declares a clock, and its session reads none", "greedy declares streams, and its session begins none",
      "greedy declares actions and has none", "greedy takes an action that it does not declare",
      "greedy has two reports of one name",
      "greedy declares the report 'mood' and refuses it", "greedy tells what it does not declare",
    ] { #expect(faults.contains(fault), "\(fault)") }
  }

  @Test("a driver that declares measuring by order, and whose session ignores such orders")
  func measuring() throws {
    let peer: @LoopActor @Sendable () -> (link: ScriptedLink, held: @LoopActor () -> [UInt8]) = {
      let button = ThermoButton()
      return (button.link, { button.log })
    }
    #expect(ConformanceKit.facetFaults(BoastfulDriver()) == [])
    let faults = try ConformanceKit.sessionFaults(Exhibit(driver: BoastfulDriver(), scanResults: [], peer: peer))
    #expect(faults.contains("boastful declares measuring by order, and its session measures nothing by order"))
  }

  @Test("a kind that fits no column")
  func kind() {
    let driver = FaultyDriver(id: "a", kind: "")
    #expect(
      ConformanceKit.unsteadyRecognition([driver], [ScanResults.scanResult(name: nil, services: [0x180D])]).count == 1)
  }

  @Test("a decoder that gives samples and an error, impossible values, or facts that must not be printed")
  func misbehaviour() {
    let source = LiveSource(service: 0x180D, characteristic: 0x2A37, mode: .subscribe, isRequired: true)
    let faults = ConformanceKit.misbehaviour(FaultyDriver(id: "a"), source, count: 3, seed: 1)
    #expect(faults.contains { $0.hasSuffix("samples, then truncated") })
    #expect(faults.contains { $0.hasSuffix("battery 101") })
    #expect(faults.contains { $0.hasSuffix("unprintable fact") })
  }
}

/// Wrong in everything the kit looks for.
private struct FaultyDriver: WearableDriver, ProfiledDriver, SuccessorDriver, QuirkyDriver {
  let id: String
  var priority = 0
  var kind = "faulty"
  var extends: Set<String> = []
  private let decoder = FaultyDecoder()

  init(id: String, priority: Int = 0, kind: String = "faulty") {
    self.id = id
    self.priority = priority
    self.kind = kind
  }

  func recognise(_ scanResult: ScanResult) -> Recognition? {
    scanResult.services.contains(0x180D) ? Recognition(kind: kind, priority: priority) : nil
  }
  var liveSources: [LiveSource] { [] }
  func makeDecoder() -> any LiveDecoder { decoder }
  var capabilities: Capabilities { [.timeSet, .erase] }
  var pairing: PairingNeed { .never }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? { nil }
  var profileCharacteristic: ProfileCharacteristic {
    let illegal = ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000)
    return ProfileCharacteristic(
      service: 1, characteristic: 2, codes: [.foreground: 0, .background: 0], published: [.background: illegal],
      patience: .seconds(1))
  }
  var quirks: [Quirk] {
    [
      Quirk("a", affects: "all", effect: "none", source: ""),
      Quirk("a", affects: "all", effect: "none", source: "here"),
    ]
  }
}

/// Declares everything, and implements no part of it.
private struct EmptyDriver: WearableDriver, ConfigurableDriver, RatedDriver, EncryptingDriver, AdvertisedValuesDriver,
  PacedDriver, SuccessorDriver, QuirkyDriver, ClockedDriver, LinkedDriver, CapableDriver, MonitoringDriver
{
  var id: String { "empty" }
  func recognise(_ scanResult: ScanResult) -> Recognition? { nil }
  var liveSources: [LiveSource] { [] }
  func makeDecoder() -> any LiveDecoder { FaultyDecoder() }
  var capabilities: Capabilities { [] }
  var pairing: PairingNeed { .never }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? { nil }
  func settings(of wearable: KnownWearable) -> [WearableSetting] { [] }
  func switches(of wearable: KnownWearable) -> [WearableSwitch] { [] }
  func streams(of wearable: KnownWearable) -> [Series]? { [] }
  func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { [:] }
  func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { [] }
  func secretRefusal(for known: KnownWearable) -> String? { "cannot encrypt" }
  func makeListener() -> (any AdvertisementListener)? { nil }
  func advertises(_ shown: ShownWearable) -> Bool { true }
  var writePaces: [WritePace] { [] }
  var extends: Set<String> { [] }
  var quirks: [Quirk] { [] }
  var clockBeginning: Int64? { nil }
  var showsLocalTime: Bool { false }
  var needsLink: Bool { true }
  var furtherCapabilities: WearableCapabilities { WearableCapabilities([.live, .monitoringWindow], [.acc]) }
}

/// Declares a clock and streams, which its session does not have.
private struct GreedyDriver: WearableDriver, StreamingDriver, ClockedDriver {
  var id: String { "greedy" }
  func recognise(_ scanResult: ScanResult) -> Recognition? { nil }
  var liveSources: [LiveSource] { [] }
  func makeDecoder() -> any LiveDecoder { FaultyDecoder() }
  var capabilities: Capabilities { [.timeRead] }
  var pairing: PairingNeed { .never }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? { GreedySession(link) }
  func streams(of wearable: KnownWearable) -> [Series]? { nil }
  var clockBeginning: Int64? { nil }
  var showsLocalTime: Bool { false }
}

/// Declares that a series is measured by order, which its session does not support.
private struct BoastfulDriver: WearableDriver, CapableDriver {
  var id: String { "boastful" }
  func recognise(_ scanResult: ScanResult) -> Recognition? { nil }
  var liveSources: [LiveSource] { [] }
  func makeDecoder() -> any LiveDecoder { FaultyDecoder() }
  var capabilities: Capabilities { [.battery] }
  var pairing: PairingNeed { .never }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? { GreedySession(link) }
  var furtherCapabilities: WearableCapabilities { WearableCapabilities(.onDemand, [.heartRate]) }
}

private final class GreedySession: WearableSession, OperatedSession, ReportingSession {
  private let link: any WearableLink
  init(_ link: any WearableLink) { self.link = link }
  func check() async throws(VisitTrouble) -> CheckReport {
    guard let clock = link.database.characteristic(ThermoButtonDriver.UUIDs.clock) else {
      throw .unsupported("no clock")
    }
    _ = try await link.read(clock)
    return CheckReport()
  }
  var domains: [any FetchDomain] { [] }
  func finish() async throws(VisitTrouble) {}
  var actions: [WearableAction] { [] }
  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String { "done" }
  var reports: [String] { ["mood", "mood"] }
  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow] {
    if topic == "mood" { throw .unsupported(topic) }
    return []
  }
}

private final class FaultyDecoder: LiveDecoder, Sendable {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    sink.append(Sample(.battery, 101))
    throw .truncated
  }
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { .model("\u{1B}[2J") }
}
