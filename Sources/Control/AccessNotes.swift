// Records of data access: measured values that left the hub, by user, for each wearable.

internal import EventLoop
internal import Export
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

extension HubInterface {
  private func note(_ method: String, _ wearable: WearableID?) -> AccessNote {
    AccessNote(by: connection.peer, method: method, wearable: wearable)
  }

  /// Records samples that leave the hub, with their times. `isFirst`: of their call. `people`: persons that they name
  /// themselves.
  func noteAccess(
    _ method: String, _ samples: [StoredSample], people: Set<WearerID> = [], cursor: String = "", isFirst: Bool = true
  ) {
    var notes: [WearableID: AccessNote] = [:]
    for sample in samples {
      notes[sample.wearable, default: note(method, sample.wearable)].add(sample)
    }
    for var note in notes.values.sorted(by: { ($0.wearable?.number ?? 0) < ($1.wearable?.number ?? 0) }) {
      (note.cursor, note.calls) = (cursor, isFirst ? 1 : 0)
      note.wearers.formUnion(people)
      stored.noteAccess(note)
    }
  }

  /// Measured items that leave the hub, with their times.
  func noteAccess(_ method: String, _ items: ArraySlice<MeasuredItem>) {
    var notes: [WearableID: AccessNote] = [:]
    for item in items {
      let wearable = WearableID(number: item.key.source)
      notes[wearable, default: note(method, wearable)].add(item.series, at: WallTime(microseconds: item.start))
    }
    for note in notes.values.sorted(by: { ($0.wearable?.number ?? 0) < ($1.wearable?.number ?? 0) }) {
      stored.noteAccess(note)
    }
  }

  /// Notes a read that gives no single samples of a wearable: its days, its own report, its present heart rate.
  func noteAccess(_ method: String, of wearable: WearableID, series: [Series] = [], since: WallTime?, until: WallTime?)
  {
    var note = note(method, wearable)
    note.series = Set(series.map(\.id))
    let to = until ?? server.loop.wall
    let from = since ?? stored.earliest(of: wearable, series) ?? to
    note.span = min(from, to)...to
    stored.noteAccess(note)
  }

  /// The heart rates of now that a document of wearables shows.
  func noteAccess(_ method: String, to wearables: [WearableSnapshot]) {
    let records = stored.wearableRecords()
    for wearable in wearables where wearable.isEnrolled {
      guard let heartRate = wearable.heartRate ?? wearable.advertisedHeartRate,
        let id = try? ExportFilter.wearable(wearable.name, records)
      else { continue }
      noteAccess(method, of: id, series: [.heartRate], since: heartRate.time, until: heartRate.time)
    }
  }

  /// Notes a read of body data.
  func noteAccess(toBodiesOf wearers: [WearerSnapshot]) {
    let known = wearers.filter { $0.wearer.body != BodyFacts() }
    if known.isEmpty { return }
    var note = note("Wearers", nil)
    note.wearers = Set(known.map(\.wearer.id))
    stored.noteAccess(note)
  }
}

extension StoreService {
  /// Time of the oldest stored value of these series of a wearable; of all series if the list is empty.
  func earliest(of wearable: WearableID, _ series: [Series]) -> WallTime? {
    storeRings().filter { ring in
      ring.id.wearable == wearable && (series.isEmpty || series.contains { $0.id == ring.id.seriesNumber })
    }.compactMap(\.oldest).min()
  }
}

extension AccessNote {
  fileprivate init(by peer: Peer, method: String, wearable: WearableID?) {
    self.init(user: peer.user, userName: peer.name ?? "", method: method, wearable: wearable)
  }

  /// Adds a sample that was handed out.
  fileprivate mutating func add(_ sample: StoredSample) { add(sample.series, at: sample.time) }

  fileprivate mutating func add(_ series: Series, at time: WallTime) {
    self.series.insert(series.id)
    samples += 1
    span = span.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
  }
}

/// Live values that one connection receives. Recorded when a wearable's first value leaves, then every quarter of an
/// hour, and at the end.
@LoopActor
final class LiveNotes {
  private static let every: Duration = .seconds(900)

  private let connection: ControlConnection
  private let server: ControlServer
  private let method: String
  /// Notes not written yet, with the time when each is due, by name of the wearable.
  private var waiting: [String: (note: AccessNote, due: Instant)] = [:]

  init(_ connection: ControlConnection, _ server: ControlServer, method: String = "Live") {
    self.connection = connection
    self.server = server
    self.method = method
  }

  func add(_ value: LiveValue) {
    let (name, now) = (value.wearable, server.loop.now)
    waiting[
      name, default: (AccessNote(by: connection.peer, method: method, wearable: value.sample.wearable), now)
    ].note.add(value.sample)
    if let found = waiting[name], found.due <= now { flush(name, now) }
  }

  /// Records results computed from a wearable's values. `person` is named in the call and may have no assignment.
  func add(_ series: [Series], of wearable: (name: String, id: WearableID), _ person: WearerID?, at time: WallTime) {
    let now = server.loop.now
    var entry =
      waiting[wearable.name] ?? (AccessNote(by: connection.peer, method: method, wearable: wearable.id), now)
    for one in series { entry.note.add(one, at: time) }
    if let person { entry.note.wearers.insert(person) }
    waiting[wearable.name] = entry
    if entry.due <= now { flush(wearable.name, now) }
  }

  func end() { for name in waiting.keys.sorted() { flush(name, server.loop.now) } }

  private func flush(_ name: String, _ now: Instant) {
    guard let found = waiting[name], found.note.samples > 0 else { return }
    server.stored.noteAccess(found.note)
    var rest = found.note
    (rest.samples, rest.calls, rest.span, rest.series) = (0, 0, nil, [])
    waiting[name] = (rest, now + Self.every)
  }
}
