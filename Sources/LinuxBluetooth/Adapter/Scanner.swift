// Path from the advertisement socket to the hub: parse, limit, forward.

import Bluetooth
import EventLoop

@LoopActor
final class Scanner {
  private let loop: any Loop
  private let counters: RadioCounters
  private var limit: FloodLimit
  /// Adapter that advertisements are accepted from; other adapters may be scanning for another program.
  var index: UInt16?
  var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  /// Time of the last advertisement of any device; nil since the scan was restarted.
  private(set) var lastHeard: Instant?
  /// The same, but not cleared by a restart.
  private(set) var everHeard: Instant?
  /// Wearables being connected, with what was heard of each since `seek`; one entry per attempt.
  private var sought: [BluetoothAddress: Sought] = [:]

  private enum Sought { case silent, masked, connectable }

  init(loop: any Loop, counters: RadioCounters) {
    self.loop = loop
    self.counters = counters
    limit = FloodLimit(now: loop.now)
  }

  func seek(_ address: BluetoothAddress) { sought[address] = .silent }
  func endSeeking(_ address: BluetoothAddress) { sought[address] = nil }
  func hasFound(_ address: BluetoothAddress) -> Bool { sought[address] == .connectable }
  /// Whether only non-connectable advertisements were heard under this address.
  func isMasked(_ address: BluetoothAddress) -> Bool { sought[address] == .masked }
  /// Whether any of them was heard, so that its link may be in the making.
  var hasFoundAny: Bool { sought.values.contains(.connectable) }

  func restarted() { lastHeard = nil }

  /// Takes one datagram of the advertisement socket.
  func receive(_ datagram: RawBytes) {
    guard let frame = ManagementFrame(datagram), let report = AdvertisementReport(frame) else {
      counters.advertisementsMalformed += 1
      return
    }
    if frame.index != index { return }
    counters.advertisements += 1
    lastHeard = loop.now
    everHeard = loop.now
    if let before = sought[report.address], before != .connectable, !report.isScanResponse {
      sought[report.address] = report.isConnectable ? .connectable : .masked
    }
    if !limit.admits(report.address, at: loop.now) {
      counters.advertisementsLimited += 1
      return
    }
    onAdvertisement?(
      Advertisement(
        address: report.address, rssi: report.rssi, isConnectable: report.isConnectable,
        isScanResponse: report.isScanResponse,
        data: Array(report.data), time: loop.now))
  }
}
