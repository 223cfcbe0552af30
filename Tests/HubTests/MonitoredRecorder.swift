// The test wearable as one that measures by itself, in whatever way it is ordered.

import Bluetooth
import EventLoop
import Health
import Reasons
import Wearable

/// How one recorder measures by itself, and what it makes of what it is told.
@LoopActor
final class RecorderMonitor {
  var says: [Series: MonitoringOrder] = [.heartRate: MonitoringOrder()]
  /// Orders as they were written to it.
  private(set) var writes: [MonitoringOrder] = []
  var takes: @LoopActor (MonitoringOrder) -> MonitoringOrder = { $0 }

  /// Seconds between two measurements that it says it takes.
  var range: ClosedRange<Int>?

  nonisolated init() {}

  func write(_ order: MonitoringOrder, of series: Series) {
    writes.append(order)
    says[series] = takes(order)
  }
}

/// All that the recorder's driver is, and monitored.
struct MonitoredRecorderDriver: WearableDriver, MonitoringDriver, CapableDriver, ConfigurableDriver, LinkedDriver {
  let base: RecorderDriver
  let monitor: RecorderMonitor

  var id: String { base.id }
  var liveSources: [LiveSource] { base.liveSources }
  var capabilities: Capabilities { base.capabilities }
  var pairing: PairingNeed { base.pairing }
  var needsLink: Bool { base.needsLink }
  func switches(of wearable: KnownWearable) -> [WearableSwitch] { base.switches }
  func recognise(_ scanResult: ScanResult) -> Recognition? { base.recognise(scanResult) }
  func makeDecoder() -> any LiveDecoder { base.makeDecoder() }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    MonitoredRecorderSession(RecorderSession(link, base), monitor)
  }
  func settings(of wearable: KnownWearable) -> [WearableSetting] { base.settings }
  func streams(of wearable: KnownWearable) -> [Series]? { base.streams }
  func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { base.monitoring }
  var furtherCapabilities: WearableCapabilities {
    base.monitoring.reduce(WearableCapabilities()) { $0.union(WearableCapabilities($1.gates, [$1.series])) }
  }
}

@LoopActor
private final class MonitoredRecorderSession: WearableSession, LiveSession, MonitoringSession, AttendedSession {
  private let base: RecorderSession
  private let monitor: RecorderMonitor
  private(set) var monitoring: [MonitoringState] = []
  private var refused = false

  init(_ base: RecorderSession, _ monitor: RecorderMonitor) { (self.base, self.monitor) = (base, monitor) }

  func check() async throws(VisitTrouble) -> CheckReport {
    let report = try await base.check()
    bringAbout()
    return report
  }

  var domains: [any FetchDomain] { base.domains }

  func finish() async throws(VisitTrouble) {
    try await base.finish()
    if refused { throw .needsAttention(.monitoringNotTaken, "does as it likes") }
  }

  func wentLive() async throws(VisitTrouble) {}
  func ordersChanged() async throws(VisitTrouble) { bringAbout() }
  func readMonitoring() async throws(VisitTrouble) -> [MonitoringState] {
    note()
    return monitoring
  }
  var attendance: Duration? { .seconds(600) }
  func attend() async throws(VisitTrouble) {}

  private func bringAbout() {
    let orders = base.link.orders.monitoring
    refused = false
    for series in Series.all {
      guard let order = orders[series] else { continue }
      if let said = monitor.says[series], order.isMet(by: said) { continue }
      monitor.write(order, of: series)
      if let said = monitor.says[series], !order.isMet(by: said) { refused = true }
    }
    note()
  }

  private func note() {
    let orders = base.link.orders.monitoring
    monitoring = Series.all.compactMap { series in
      monitor.says[series].map { MonitoringState(series, asked: orders[series], says: $0, takes: monitor.range) }
    }
  }
}
