// The methods of `io.hearth.Hub` about measuring vital signs: a stream from the order to its end, and how to end it
// early. The documents are in `VitalsDocuments.swift`.

public import EventLoop
internal import Health
public import Hub
internal import HubProtocol
public import Reasons
internal import RingStore
internal import StoreDocuments
internal import Vitals

/// Vital signs of a hub, as the control socket needs them.
@LoopActor
public protocol VitalsService {
  /// Returns when it has ended; `isWanted` is asked once a second at least, and ends it with a no.
  func measureVitals(
    _ which: String, _ order: VitalsOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (VitalsNews) -> Void
  ) async throws(HearthError) -> VitalsResult
  /// Ends a running measurement early; its results stand.
  func stopVitals(_ which: String) throws(HearthError)
  /// Another measurement of a session that stays and is ready.
  func startVitals(_ which: String, seconds: Int) throws(HearthError)
  /// Ends a session in any state; without a session it succeeds.
  func terminateVitals(_ which: String) throws(HearthError)
}

extension HubInterface {
  /// A measurement as it goes on, until it has ended. If the client disconnects, the measurement ends.
  func measureVitals(_ parameters: Methods.MeasureVitals.Parameters) async throws -> Methods.MeasureVitals.Reply? {
    let (name, person) = (parameters.name, parameters.person)
    let order = VitalsOrder(
      seconds: parameters.seconds ?? VitalsOrder.usualLength, person: person, stays: parameters.stays ?? false)
    let (connection, server) = (self.connection, self.server)
    let notes = VitalsNotes(self, isNamed: person != nil)
    defer { notes.end() }
    // A refusal may name the person that another wearable measures.
    return try await changed("measure vital signs on \(harmless(name))", of: name, isOfPeople: true) {
      let result = try await service.measureVitals(name, order, isWanted: { !connection.isDeaf }) { news in
        notes.take(news)
        let event = Methods.MeasureVitals.Reply(news) { record in
          VitalsRecordDocument(record, of: notes.wearable?.id, stored.sampleExport())
        }
        if connection.push(ControlServer.message(JSON(encoding: event), continues: true)) { return }
        server.noteSlow(connection)
        connection.close()
      }
      return .init(event: "end", end: VitalsEndDocument(result))
    }
  }

  func measureVitalsStart(_ parameters: Methods.MeasureVitalsStart.Parameters) async throws {
    try await changed("measure vital signs on \(harmless(parameters.name)) again", of: parameters.name) {
      try service.startVitals(parameters.name, seconds: parameters.seconds ?? VitalsOrder.usualLength)
    }
  }

  func measureVitalsTerminate(_ parameters: Methods.MeasureVitalsTerminate.Parameters) async throws {
    try await changed("end the session of vital signs on \(harmless(parameters.name))", of: parameters.name) {
      try service.terminateVitals(parameters.name)
    }
  }

  func measureVitalsStop(_ parameters: Methods.MeasureVitalsStop.Parameters) async throws {
    try await changed("end measuring vital signs on \(harmless(parameters.name))", of: parameters.name) {
      try service.stopVitals(parameters.name)
    }
  }
}

/// Records access to one measurement. Each second with values counts as a sample of their source series, and the record
/// as one of its own.
@LoopActor
private final class VitalsNotes {
  private let interface: HubInterface
  private let notes: LiveNotes
  /// The order names the person, so that no assignment has to.
  private let isNamed: Bool
  private(set) var wearable: (name: String, id: WearableID)?
  private var person: WearerID?

  init(_ interface: HubInterface, isNamed: Bool) {
    self.interface = interface
    self.isNamed = isNamed
    notes = LiveNotes(interface.connection, interface.server, method: "MeasureVitals")
  }

  func take(_ news: VitalsNews) {
    switch news {
    case .opened(let session):
      let service = interface.service
      wearable = (try? ExportFilter.wearable(session.wearable, interface.stored.wearableRecords())).map { id in
        (session.wearable, id)
      }
      guard isNamed, let name = session.person else { return }
      let named = service.wearers().map(\.wearer).filter { $0.name == name }
      person = (named.first { $0.retiredAt == nil } ?? named.last)?.id
    case .values(let moment): add(moment.seriesShown, at: interface.server.loop.wall)
    case .results(let record): add([.measurement], at: WallTime(microseconds: record.start))
    case .state, .notice: break
    }
  }

  func end() { notes.end() }

  private func add(_ series: [Series], at time: WallTime) {
    guard let wearable, !series.isEmpty else { return }
    notes.add(series, of: wearable, person, at: time)
  }
}

extension VitalsMoment {
  /// Series of the values that the moment shows, for the access log.
  fileprivate var seriesShown: [Series] {
    var series: [Series] = pulseRate == nil ? [] : [.heartRate]
    for result in report?.results ?? [] {
      let found = result.sign == .temperature ? .bodyTemperature : Series(name: result.sign.rawValue) ?? .heartRate
      if !series.contains(found) { series.append(found) }
    }
    return series
  }
}
