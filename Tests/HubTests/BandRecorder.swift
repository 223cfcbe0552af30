// The test wearable as one that belongs to one host, measures by order, and may be another driver's.

import Bluetooth
import EventLoop
import Health
import Reasons
import Wearable

/// What one recorder keeps of its host, and every misbehaviour that a test asks of it.
@LoopActor
final class RecorderBand {
  enum Event: Equatable {
    case bound
    case loggedIn
    case unbound
    case began(Series)
    case stopped
  }
  enum Owner { case nobody, hub, other }

  var owner = Owner.nobody
  /// Why it is not bound; nil: it is.
  var refuses: BindingRefusal?
  /// How long a link stays at each of them.
  var authenticatingTakes: Duration?
  var preparingTakes: Duration?
  /// Called before it is unbound.
  var onUnbind: @LoopActor () -> Void = {}
  var unbindFails: VisitTrouble?
  var log: [Event] = []

  var measurable: [Series] = [.heartRate, .spo2]
  var value: Int64 = 72
  /// Ends by itself after so many values.
  var endsAfter: Int?
  /// So many values at once.
  var burst = 1
  /// Refuses to begin.
  var refusesToBegin: VisitTrouble?
  /// Continues after the order to end.
  var goesOn = false

  /// Id of the driver that should have it.
  var belongsTo: String?
  /// The check fails with that.
  var checkFails: VisitTrouble?

  nonisolated init() {}
}

/// All that the recorder's driver is, for a band.
struct BandRecorderDriver: WearableDriver, CapableDriver, LinkedDriver {
  let base: RecorderDriver
  let band: RecorderBand

  var id: String { base.id }
  var liveSources: [LiveSource] { base.liveSources }
  var capabilities: Capabilities { base.capabilities }
  var pairing: PairingNeed { base.pairing }
  var needsLink: Bool { base.needsLink }
  var furtherCapabilities: WearableCapabilities { WearableCapabilities(.onDemand, [.heartRate, .spo2]) }
  func recognise(_ scanResult: ScanResult) -> Recognition? {
    base.recognise(scanResult).map { Recognition(kind: id == "sibling" ? "Sibling" : $0.kind, priority: $0.priority) }
  }
  func makeDecoder() -> any LiveDecoder { base.makeDecoder() }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    BandRecorderSession(RecorderSession(link, base), band)
  }
}

@LoopActor
private final class BandRecorderSession: WearableSession, BindingSession, MeasuringSession, IdentifyingSession,
  AttendedSession
{
  private let base: RecorderSession
  private let band: RecorderBand
  private(set) var isBound = false

  init(_ base: RecorderSession, _ band: RecorderBand) { (self.base, self.band) = (base, band) }

  var domains: [any FetchDomain] { base.domains }
  var attendance: Duration? { base.attendance }
  func attend() async throws(VisitTrouble) {}
  func finish() async throws(VisitTrouble) { try await base.finish() }
  var belongsTo: String? { band.belongsTo }

  func check() async throws(VisitTrouble) -> CheckReport {
    if let trouble = band.checkFails { throw trouble }
    if !isBound { try await authenticate() }
    let report = try await base.check()
    base.link.reached(.connected)
    return report
  }

  private func authenticate() async throws(VisitTrouble) {
    base.link.reached(.authenticating)
    if let takes = band.authenticatingTakes { try await base.link.settle(for: takes) }
    switch band.owner {
    case .other: throw .bindingRefused(.otherHost)
    case .hub: band.log.append(.loggedIn)
    case .nobody:
      if let why = band.refuses { throw .bindingRefused(why) }
      band.owner = .hub
      band.log.append(.bound)
    }
    isBound = true
    base.link.reached(.preparing)
    if let takes = band.preparingTakes { try await base.link.settle(for: takes) }
  }

  func unbind() async throws(VisitTrouble) {
    if let trouble = band.unbindFails { throw trouble }
    band.onUnbind()
    band.log.append(.unbound)
    band.owner = .nobody
    isBound = false
  }

  var measurable: [Series] { isBound ? band.measurable : [] }

  /// A value each interval, as it comes of its twin.
  func measure(_ order: MeasurementOrder, into sink: any MeasurementSink) async throws(VisitTrouble) -> MeasurementEnd {
    if let trouble = band.refusesToBegin { throw trouble }
    band.log.append(.began(order.series))
    var (passed, values) = (0, 0)
    while true {
      try await base.link.settle(for: .seconds(1))
      passed += 1
      if sink.isStopped, !band.goesOn {
        band.log.append(.stopped)
        return .stopped
      }
      if passed.isMultiple(of: order.interval) {
        for _ in 0..<band.burst { sink.append(order.series, [band.value]) }
        values += 1
      }
      if let end = band.endsAfter, values >= end { return .byWearable }
      if let limit = order.limit, passed >= limit { return .limit }
    }
  }
}
