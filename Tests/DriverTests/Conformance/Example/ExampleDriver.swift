// A whole driver in some hundred lines: a button that logs the temperature. The registry does not list it. The example
// shows what a driver needs, and that the conformance kit takes any.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Service `feed0001-…`, with these characteristics:
///
/// - `0002`: temperature (notify, `i16` in 0.01 °C)
/// - `0003`: clock (read and write, `u32` s since 1970)
/// - `0004`: log (read: up to 84 entries of `u32` time and `i16` temperature)
/// - `0005`: forget the log (write 1)
struct ThermoButtonDriver: WearableDriver, ClockedDriver, QuirkyDriver {
  enum UUIDs {
    static let service = part(1), temperature = part(2), clock = part(3), log = part(4), forget = part(5)
    private static func part(_ number: UInt64) -> BluetoothUUID {
      BluetoothUUID(high: 0xFEED_0000_0000_0000 | number << 32, low: 0x8000_0000_0000_0001)
    }
  }

  var id: String { "thermo-button" }
  func recognise(_ scanResult: ScanResult) -> Recognition? {
    scanResult.services.contains(UUIDs.service) ? Recognition(kind: "thermo button", priority: 50) : nil
  }
  var liveSources: [LiveSource] {
    [LiveSource(service: UUIDs.service, characteristic: UUIDs.temperature, mode: .subscribe, isRequired: true)]
  }
  func makeDecoder() -> any LiveDecoder { ThermoButtonDecoder() }
  var capabilities: Capabilities { [.live(.temperature), .recorded(.temperature), .erase, .timeRead, .timeSet] }
  var pairing: PairingNeed { .never }
  /// Without a battery it counts from 1970.
  var clockBeginning: Int64? { nil }
  var showsLocalTime: Bool { false }
  var quirks: [Quirk] {
    [Quirk("no-seconds", affects: "all", effect: "its clock stands still while it sleeps", source: "this example")]
  }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? { ThermoButtonSession(link) }
}

private final class ThermoButtonDecoder: LiveDecoder {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    var reader = ByteReader(value)
    guard let hundredths = reader.i16() else { throw value.isEmpty ? .empty : .truncated }
    sink.append(Sample(.temperature, Int64(hundredths) * 10))
  }
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}

private final class ThermoButtonSession: WearableSession, ClockedSession {
  let link: any WearableLink
  let domains: [any FetchDomain]
  init(_ link: any WearableLink) {
    self.link = link
    domains = [ThermoLog(link)]
  }

  func check() async throws(VisitTrouble) -> CheckReport {
    var report = CheckReport()
    guard let before = try await readClock(), let clock = link.database.characteristic(ThermoButtonDriver.UUIDs.clock)
    else { throw .unsupported("no clock") }
    var seconds: [UInt8] = []
    seconds.append(littleEndian: UInt32(clamping: link.hubTime.wall.microseconds / 1_000_000))
    try await link.write(clock, seconds)
    report.clock = DeviceClock(evidence: before.evidence, wasSet: true, afterwards: try await readClock()?.evidence)
    return report
  }

  func finish() async throws(VisitTrouble) {}

  var clockSeen: DeviceClock? { nil }

  func readClock() async throws(VisitTrouble) -> DeviceClock? {
    guard let clock = link.database.characteristic(ThermoButtonDriver.UUIDs.clock) else { return nil }
    let bytes = try await link.read(clock)
    guard
      let seconds = bytes.withUnsafeBytes({ bytes in
        var reader = ByteReader(bytes)
        return reader.u32()
      })
    else { throw .framing("a clock of \(bytes.count) bytes") }
    let now = link.hubTime
    let evidence = ClockEvidence(
      device: Int64(seconds) * 1_000_000, monotonic: now.monotonic, wall: now.wall.microseconds,
      isTrusted: now.isTrusted)
    return DeviceClock(evidence: evidence)
  }
}

/// The log is one item; what is in it is told from another log by its first entry.
private final class ThermoLog: FetchDomain {
  static let entry = 6
  let link: any WearableLink
  init(_ link: any WearableLink) { self.link = link }
  var id: String { "log" }
  var series: [Series] { [.temperature] }

  private func read() async throws(VisitTrouble) -> [UInt8] {
    guard let log = link.database.characteristic(ThermoButtonDriver.UUIDs.log) else { throw .unsupported("no log") }
    return try await link.read(log)
  }

  private func mark(_ bytes: some Collection<UInt8>) -> String {
    hexadecimal(bytes.prefix(Self.entry)) + "-\(bytes.count)"
  }

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    let bytes = try await read()
    return bytes.isEmpty ? [] : [HeldItem(id: "log", mark: mark(bytes), size: bytes.count)]
  }

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    let bytes = try await read()
    if mark(bytes) != item.mark { try await sink.startOver(mark: mark(bytes), size: bytes.count) }
    let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: max(0, bytes.count - sink.offset), alignment: 1)
    defer { rest.deallocate() }
    rest.copyBytes(from: bytes.dropFirst(sink.offset))
    // All there is, whether more is wanted or not.
    _ = try await sink.take(RawBytes(rest))
  }

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    guard bytes.count % Self.entry == 0 else { throw .cut("half an entry") }
    return ItemVerdict(summary: "\(bytes.count / Self.entry) entries", isFinal: true, mark: mark(bytes))
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    while let seconds = reader.u32(), let hundredths = reader.i16() {
      sink.append(.temperature, Int64(hundredths) * 10, at: Int64(seconds) * 1_000_000)
    }
  }

  func removals(of items: [HeldItem]) -> [Removal] { items.isEmpty ? [] : [Removal(name: "the log", covers: items)] }

  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    guard let forget = link.database.characteristic(ThermoButtonDriver.UUIDs.forget) else {
      return .notNow("it cannot forget")
    }
    let bytes = try await read()
    guard proof.removal.covers.map(\.mark) == [mark(bytes)] else { return .notNow("it has logged on since then") }
    try await link.write(forget, [1])
    return try await read().isEmpty ? .erased : .ineffective("it keeps its log")
  }
}
