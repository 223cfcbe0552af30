// From the advertisement socket to the hub: parse, limit, hand on.

import Bluetooth
import EventLoop

@LoopActor
final class Scanner {
  private let loop: any Loop
  private let counters: RadioCounters
  private var limit: FloodLimit
  /// The adapter whose advertisements count; others may be scanning for somebody else.
  var index: UInt16?
  var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  /// When anything at all was heard last; nil since the scan was started anew.
  private(set) var lastHeard: Instant?
  /// The same, whatever was started anew.
  private(set) var everHeard: Instant?
  /// Who is being connected, and how it was heard since `seek`: as many as there are attempts.
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
  /// Only what takes no connection was heard under its address.
  func isMasked(_ address: BluetoothAddress) -> Bool { sought[address] == .masked }
  /// Somebody of them was heard, so that its link may be in the making.
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
