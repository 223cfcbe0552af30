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
  private var sought: BluetoothAddress?
  /// Whether `seek`'s address was heard, connectable, since that call.
  private(set) var foundSought = false

  init(loop: any Loop, counters: RadioCounters) {
    self.loop = loop
    self.counters = counters
    limit = FloodLimit(now: loop.now)
  }

  func seek(_ address: BluetoothAddress?) {
    sought = address
    foundSought = false
  }

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
    if report.address == sought, report.isConnectable { foundSought = true }
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
