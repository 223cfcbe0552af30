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
  /// themselves. `worn`: times of wearing, for samples of one person; another person's time between them is not noted.
  func noteAccess(
    _ method: String, _ samples: [StoredSample], of worn: [WearableID: ItemSource] = [:], people: Set<WearerID> = [],
    cursor: String = "", isFirst: Bool = true
  ) {
    var notes = ReadParts(by: connection.peer, method: method, worn)
    for sample in samples { notes.add(sample.series, at: sample.time, of: sample.wearable) }
    for var note in notes.all {
      note.cursor = cursor
      if !isFirst { note.calls = 0 }
      note.wearers.formUnion(people)
      stored.noteAccess(note)
    }
  }

  /// Measured items that leave the hub, with their times.
  func noteAccess(_ method: String, _ items: ArraySlice<MeasuredItem>, of sources: [ItemSource]) {
    var notes = ReadParts(by: connection.peer, method: method, ItemSource.byWearable(sources))
    for item in items {
      notes.add(item.series, at: WallTime(microseconds: item.start), of: WearableID(number: item.key.source))
    }
    for note in notes.all { stored.noteAccess(note) }
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

/// Samples of one answer, by wearable and by the stretch of time in which the person wore it. A note names all persons
/// that wore the wearable within its span.
private struct ReadParts {
  private struct Part: Hashable {
    let wearable: WearableID
    /// Number of the stretch; 0 if all times were read.
    let stretch: Int
  }

  private let peer: Peer
  private let method: String
  private let worn: [WearableID: ItemSource]
  private var notes: [Part: AccessNote] = [:]

  init(by peer: Peer, method: String, _ worn: [WearableID: ItemSource]) {
    (self.peer, self.method, self.worn) = (peer, method, worn)
  }

  mutating func add(_ series: Series, at time: WallTime, of wearable: WearableID) {
    let part = Part(wearable: wearable, stretch: worn[wearable]?.stretch(at: time) ?? 0)
    notes[part, default: AccessNote(by: peer, method: method, wearable: wearable)].add(series, at: time)
  }

  /// In the order of wearables and times. A call is counted once for each wearable.
  var all: [AccessNote] {
    var last: WearableID?
    return notes.sorted { ($0.key.wearable.number, $0.key.stretch) < ($1.key.wearable.number, $1.key.stretch) }.map {
      var note = $0.value
      if $0.key.wearable == last { note.calls = 0 }
      last = $0.key.wearable
      return note
    }
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
