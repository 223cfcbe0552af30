import Bluetooth
import EventLoop
import GATTServices
import Health
import Testing
import Wearable

@testable import BotzFamily
@testable import DriverTestSupport

@Suite("The insole's driver")
struct BotzDriverTests {
  private let driver = BotzDriver()

  @Test("claims the right foot and what may be it, never the left one")
  func recognises() {
    let service = [Botz.advertisedService]
    #expect(driver.recognise(ScanResults.scanResult(name: Botz.rightFootName, services: []))?.kind == "insole")
    #expect(driver.recognise(ScanResults.scanResult(name: Botz.rightFootName, services: service)) != nil)
    #expect(driver.recognise(ScanResults.scanResult(name: nil, services: service)) != nil)
    #expect(driver.recognise(ScanResults.scanResult(name: "renamed", services: service)) != nil)
    #expect(driver.recognise(ScanResults.scanResult(name: Botz.leftFootName, services: service)) == nil)
    #expect(driver.recognise(ScanResults.scanResult(name: Botz.leftFootName, services: [])) == nil)
    #expect(driver.recognise(ScanResults.scanResult(name: nil, services: [0x180F, 0x1805])) == nil)
    // A strap on the same wrist does not win over it.
    let both = driver.recognise(ScanResults.scanResult(name: nil, services: service + [0x180D]))
    #expect(both.map { $0.priority > Recognition.standardService } == true)
  }

  @Test("has the codes of all profiles, and publishes the illegal idle numbers as they are")
  func profiles() throws {
    let characteristic = driver.profileCharacteristic
    #expect(characteristic.codes == [.foreground: 0, .background: 1, .idle: 2])
    #expect(
      characteristic.published[.foreground] == .foreground && characteristic.published[.background] == .background)
    #expect(characteristic.published[.idle]?.defect != nil)
    #expect(characteristic.deferral == .seconds(5) && characteristic.patience == .seconds(8))
    #expect(
      characteristic.service == Botz.Control.service && characteristic.characteristic == Botz.Control.connectionProfile)
    #expect(driver.pairing == .welcome)
  }

  @Test("promises no battery, because no charge was measured")
  func capabilities() {
    #expect(!driver.capabilities.contains(.battery) && !driver.capabilities.contains(.pairingRequired))
    for capability in [Capability.files, .erase, .timeSet, .timeRead, .recordingControl, .connectionProfile] {
      #expect(driver.capabilities.contains(capability))
    }
  }

  @Test("announces what the services of its build are for: streams by order, live records, files")
  @LoopActor func announced() {
    let decoder = driver.makeDecoder()
    decoder.begin(PocketInsole().database)
    let all = decoder.announced ?? WearableCapabilities()
    #expect(all.series(with: [.live, .streamed]) == [.footPressure, .orientation])
    #expect(all.series(with: .recorded) == Botz.ActivityRecord.series && all[.cadence] == .recorded)
    decoder.begin(PocketInsole(hasManagement: false).database)
    #expect(decoder.announced?.keepsData == false)
  }

  @Test("names every characteristic once in its service")
  func collisions() {
    #expect(Set(Botz.Metric.allCases.map(\.characteristic)).count == Botz.Metric.allCases.count)
    #expect(Botz.Orientation3D.service == Botz.Information.leftNewestFile)
    #expect(Botz.Metrics.service == Botz.Control.userInfo)
    #expect(Botz.Control.eraseFlash.description == "4fd5b691-9d89-4061-92aa-319ca786baae")
    #expect(Botz.Information.liveFooter.description == "0c372ecf-27eb-437e-bef4-775aefaf3c97")
    #expect(Botz.Management.frames.description == "da2e7828-fbce-4e01-ae9e-261174997c48")
    #expect(Botz.Metric(characteristic: 0x2A19) == nil)
  }

  @Test("the length of an activity is in the upper three bytes")
  func duration() throws {
    #expect(try ([0xFF, 0x10, 0x0E, 0x00] as [UInt8]).withUnsafeBytes { try Botz.Metric.duration.value($0) } == 3600)
    #expect(Botz.Metric.duration.encode(3600) == [0, 0x10, 0x0E, 0])
    #expect(throws: DecodeError.truncated) {
      try ([1, 2, 3, 4] as [UInt8]).withUnsafeBytes { try Botz.Metric.totalSteps.value($0) }
    }
    for metric in Botz.Metric.allCases { #expect(try metric.encode(77).withUnsafeBytes { try metric.value($0) } == 77) }
  }

  @Test("a path is made from the number, whatever suffix is announced")
  func paths() {
    #expect(
      Botz.FileNumber(7)?.path == "/lfs1/hardware/activity_007.dat" && Botz.FileNumber(0) == nil
        && Botz.FileNumber(256) == nil)
    #expect(Botz.FileNumber(name: "/lfs1/hardware/activity_042.pb")?.name == "activity_042.dat")
    for wrong in [
      "", "activity_7.dat", "activity_000.dat", "activity_256.dat", "activity_+07.dat", "activity_0007.dat",
      "activity_007.dat2", "foot_007.dat",
    ] {
      #expect(Botz.FileNumber(name: wrong) == nil, "\(wrong)")
    }
    #expect(ActivityPlace(id: "activity_001.dat+1500")?.base == 1500)
    for wrong in [
      "activity_001.pb", "activity_001.dat+0", "activity_001.dat+-1", "activity_001.dat+",
      "/lfs1/hardware/activity_001.dat", "activity_001.dat+01",
    ] {
      #expect(ActivityPlace(id: wrong) == nil, "\(wrong)")
    }
  }

  @Test("a file that is no longer there under its mark is another", arguments: [5, 10, 25, 60])
  func marks(_ changed: Int) {
    let bytes = PocketInsole.file(start: 1_795_000_000, records: 2)
    var other = bytes
    other[changed] ^= 0x40
    func mark(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { ActivityMark($0, size: bytes.count).text } }
    #expect(
      mark(bytes) != mark(other)
        && mark(bytes) == bytes.prefix(79).withUnsafeBytes { ActivityMark($0, size: bytes.count).text })
    #expect(ActivityMark.start(of: mark(bytes)) == 1_795_000_000)
  }

  // MARK: live

  private func source(_ characteristic: BluetoothUUID) throws -> LiveSource {
    try #require(
      driver.liveSources.first { $0.service == Botz.Information.service && $0.characteristic == characteristic })
  }

  @Test("a repetition takes the place of the value before it, and an old one is not reported as new")
  func repetitions() throws {
    let decoder = driver.makeDecoder()
    let sink = RecordingSink()
    let foot = try source(Botz.Information.footPressure)
    func hear(_ uptime: UInt32, _ left: UInt16) throws {
      try decoder.decode(
        foot, Botz.FootPressure(uptime: uptime, right: SIMD8(repeating: 9), left: SIMD8(repeating: left)).encode(),
        into: sink)
    }
    try hear(1000, 1)
    try hear(1000, 2)
    #expect(sink.vectors.isEmpty)
    try hear(1400, 3)
    #expect(
      sink.vectors.count == 1 && sink.vectors[0].series == .footPressure
        && sink.vectors[0].values == [9, 9, 9, 9, 9, 9, 9, 9, 2, 2, 2, 2, 2, 2, 2, 2])
    try hear(90_000, 4)
    #expect(sink.vectors.count == 1, "it would have the time of a minute later")
    try hear(500, 5)
    #expect(sink.vectors.count == 1, "restarted")
    try hear(900, 6)
    #expect(sink.vectors.count == 2 && sink.vectors[1].values[8] == 5)
    // The counter comes round.
    try hear(.max, 7)
    try hear(100, 8)
    #expect(sink.vectors.count == 3 && sink.vectors[2].values[8] == 7)
  }

  @Test("orientation is x, y, z, w of both feet")
  func orientation() throws {
    let decoder = driver.makeDecoder()
    let sink = RecordingSink()
    let source = try source(Botz.Information.orientation)
    for uptime in [200, 400] as [UInt32] {
      try decoder.decode(
        source, Botz.Orientation(uptime: uptime, right: SIMD4(1, 2, 3, -4), left: SIMD4(5, 6, 7, 8)).encode(),
        into: sink)
    }
    #expect(
      sink.vectors.count == 1 && sink.vectors[0].series == .orientation
        && sink.vectors[0].values == [1, 2, 3, -4, 5, 6, 7, 8])
  }

  @Test("a live record is stored once; charge, status and announcements are no samples; an empty announcement is odd")
  func others() throws {
    let decoder = driver.makeDecoder()
    let sink = RecordingSink()
    var record = Botz.ActivityRecord(number: 1, time: 2)
    (record.cadence, record.pace, record.contact) = (160, 330, 240)
    for _ in 0..<2 { try decoder.decode(try source(Botz.Information.liveRecord), record.encode(), into: sink) }
    #expect(sink.samples.map(\.series) == [.cadence, .pace, .speed, .pronation, .verticalRatio])
    #expect(sink.vectors.map(\.series) == [.groundTime, .gaitSymmetry, .footStrike])
    sink.reset()
    try decoder.decode(try source(Botz.Information.batteryLevels), [80, 79], into: sink)
    try decoder.decode(try source(Botz.Information.status), [0, 0, 0, 2], into: sink)
    try decoder.decode(try source(Botz.Information.newestFile), [7], into: sink)
    #expect(sink.samples.isEmpty && sink.vectors.isEmpty && sink.anomalies.isEmpty)
    // The visit finds the first value by itself. Later notifications are news, even with the same number, unless they
    // say that there is no file.
    #expect(sink.newItems == 0)
    for (value, news) in [(7, 1), (8, 2), (8, 3), (0, 3), (1, 4)] as [(UInt8, Int)] {
      try decoder.decode(try source(Botz.Information.newestFile), [value], into: sink)
      #expect(sink.newItems == news, "\(value)")
    }
    // A finished session leaves a file, whether it is announced or not; a stream does not.
    for (bits, news) in [(2, 4), (0x20, 4), (0, 5), (0, 5), (0x10, 5), (0, 5)] as [(UInt8, Int)] {
      try decoder.decode(try source(Botz.Information.status), [0, 0, 0, bits], into: sink)
      #expect(sink.newItems == news, "\(bits)")
    }
    try decoder.decode(try source(Botz.Information.newestFile), [], into: sink)
    #expect(sink.anomalies.count == 1)
    let serial = try #require(driver.liveSources.first { $0.characteristic == StandardGATT.serialNumber })
    #expect(
      decoder.fact(serial, Array("12345".utf8)) == nil && decoder.fact(serial, Array("A1".utf8)) == .serialNumber("A1"))
  }
}

@Suite("Kinds of data of an insole")
struct BotzSyncTests {
  @Test("sessions are one kind, begun by a person, and each is of it")
  func sessions() throws {
    #expect(BotzDriver().syncDomains.map(\.id) == ["sessions"])
    #expect(BotzDriver().syncDomains.map(\.isAutomatic) == [false])
    #expect(BotzDriver().syncDomains[0].isMeant(by: "cadence") && !BotzDriver().syncDomains[0].isMeant(by: "ecg"))
    try onLoop { _ in
      let insole = PocketInsole()
      insole.files[1] = PocketInsole.file(start: 1_795_000_000, records: 3)
      insole.newest = 1
      let domain = try #require(BotzSession(insole.link).domains.first)
      let item = try #require(try await domain.list(known: []).first)
      #expect(domain.syncDomain(of: item) == "sessions")
      let began: Int64 = 1_795_000_000_000_000
      #expect(domain.span(of: item) == began..<(began + 86_400_000_000))
    }
  }
}
