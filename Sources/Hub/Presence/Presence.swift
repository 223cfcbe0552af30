// Advertisers on the air. Strangers control all of this data, so it is bounded, merged and forgotten.

import Bluetooth
import EventLoop
import Wearable

/// An advertiser, as merged from its reports.
struct Presence {
  let address: BluetoothAddress
  var scanResult: ScanResult
  var isRecognised = false
  var kind = ""
  var driverID = ""
  /// dBm, exponentially smoothed; nil until a report contains it.
  var rssi: Double?
  let firstHeard: Instant
  var lastHeard: Instant
  var lastConnectable: Instant?
  /// Number of times that scan responses were requested while it was heard, without an answer from it.
  var timesAsked = 0

  /// Weight of a new report: a walk across a room shows within five reports, a single reflection does not (usual for
  /// roaming: 0.3).
  private static let smoothing = 0.3

  init(_ advertisement: Advertisement) {
    address = advertisement.address
    scanResult = ScanResult(address: address, name: nil, services: [])
    firstHeard = advertisement.time
    lastHeard = advertisement.time
  }

  /// Merges a report. Returns whether any input of a driver changed.
  mutating func merge(_ advertisement: Advertisement) -> Bool {
    lastHeard = advertisement.time
    if advertisement.isConnectable { lastConnectable = advertisement.time }
    if let report = advertisement.rssi {
      rssi = rssi.map { $0 + Self.smoothing * (Double(report) - $0) } ?? Double(report)
    }
    return mergeData(advertisement)
  }

  private mutating func mergeData(_ advertisement: Advertisement) -> Bool {
    // Nearly every report of a wearable that stays has the same bytes: then there is no need to parse.
    if advertisement.isScanResponse ? advertisement.data == lastResponse : advertisement.data == lastData {
      return false
    }
    if advertisement.isScanResponse { lastResponse = advertisement.data } else { lastData = advertisement.data }
    let data = advertisement.data.withUnsafeBytes { AdvertisingData($0) }
    let services = Self.union(scanResult.services, data.services)
    let name = data.name ?? scanResult.name
    let manufacturer =
      data.manufacturerData.isEmpty ? scanResult.manufacturerData : data.manufacturerData.map { ($0.company, $0.data) }
    let changed = name != scanResult.name || services != scanResult.services || !data.manufacturerData.isEmpty
    scanResult = ScanResult(address: address, name: name, services: services, manufacturerData: manufacturer)
    return changed
  }

  /// Whether it sent a scan response.
  var hasAnswered: Bool { !lastResponse.isEmpty }

  /// Whether it sent its name, or did not answer a request for it. The model may be named in the scan response alone,
  /// and until then a band looks like any other strap.
  var hasIntroducedItself: Bool { scanResult.name != nil || hasAnswered || timesAsked > 0 }

  /// Whether a scan response may name its kind, and it can be asked for one.
  var mayAnswer: Bool { (!isRecognised || !hasIntroducedItself) && !hasAnswered && lastConnectable != nil }

  private var lastData: [UInt8] = []
  private var lastResponse: [UInt8] = []

  /// Services are merged over reports because some wearables alternate them; 32 is far more than two payloads can
  /// contain.
  private static func union(_ known: [BluetoothUUID], _ added: [BluetoothUUID]) -> [BluetoothUUID] {
    var all = known
    for service in added where !all.contains(service) && all.count < 32 { all.append(service) }
    return all
  }
}

/// Recently heard advertisers. At most `limit`; when full, the one unheard for longest is dropped. Strangers that no
/// driver recognises are dropped first, so that a flood of random addresses cannot push a strap out.
struct PresenceTable {
  /// A gym at its fullest has about a hundred advertisers; 512 entries of under 1 KB stay below half a megabyte.
  static let limit = 512

  private(set) var entries: [BluetoothAddress: Presence] = [:]
  private(set) var evictions: UInt64 = 0

  subscript(address: BluetoothAddress) -> Presence? { entries[address] }

  /// Merges a report; calls `recognise` when an input of drivers changed.
  mutating func hear(_ advertisement: Advertisement, recognise: (ScanResult) -> (driver: String, kind: String)?) {
    if entries[advertisement.address] == nil {
      if entries.count >= Self.limit { evictOne() }
      entries[advertisement.address] = Presence(advertisement)
    }
    guard let index = entries.index(forKey: advertisement.address) else { return }
    guard entries.values[index].merge(advertisement) else { return }
    let recognition = recognise(entries.values[index].scanResult)
    entries.values[index].isRecognised = recognition != nil
    entries.values[index].driverID = recognition?.driver ?? ""
    entries.values[index].kind = recognition?.kind ?? ""
  }

  /// Recognised advertisers heard since `instant`, ordered by address so that no hash seed affects decisions.
  func recognised(since instant: Instant) -> [Presence] {
    entries.values.filter { $0.isRecognised && $0.lastHeard >= instant }.sorted { $0.address < $1.address }
  }

  /// Notes that scan responses were requested since then: an advertiser that was heard without one does not answer.
  mutating func noteAsked(since instant: Instant) {
    for index in entries.indices where entries.values[index].lastHeard >= instant && !entries.values[index].hasAnswered
    {
      entries.values[index].timesAsked += 1
    }
  }

  mutating func forget(_ address: BluetoothAddress) { entries[address] = nil }

  private mutating func evictOne() {
    let victim = entries.values.min { a, b in
      a.isRecognised == b.isRecognised ? (a.lastHeard, a.address) < (b.lastHeard, b.address) : !a.isRecognised
    }
    guard let victim else { return }
    entries[victim.address] = nil
    evictions += 1
  }
}
