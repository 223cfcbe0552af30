// Short numbers that replace names in rows: hubs, stores, wearables, series, wearers, traits, rings. Each is created
// before the rows in its own statement, so that two sinks never wait for each other within a group of rows.

import CivilTime
internal import EventLoop
internal import UplinkMessages

struct HubName: Hashable, Sendable {
  let group: String
  let name: String
}

struct WearableKey: Hashable, Sendable {
  let store: UInt64
  let enrolment: UInt32
}

struct RingKey: Hashable, Sendable {
  let wearable: Int32
  let series: Int32
  let isFetched: Bool
}

/// Cache of the database's numbers. Cleared with the connection: afterwards the database may be another one.
@LoopActor
final class Names {
  /// Entries of one kind; when there are more, the cache is cleared. A ring takes some 100 bytes.
  private static let limit = 200_000

  let database: Database
  private var hubs: [HubName: Int32] = [:]
  private var stores: [UInt64: HubName] = [:]
  private var wearables: [WearableKey: Int32] = [:]
  /// Name and address stored in the database.
  private var labels: [WearableKey: String] = [:]
  private var series: [String: Int32] = [:]
  private var units: [String: String] = [:]
  private var wearers: [String: Int32] = [:]
  private var traits: [RowTraits: Int32] = [:]
  private var rings: [RingKey: Int32] = [:]
  private var months: Set<Int> = []
  /// Months for which tables could not be created because readers blocked it, with the time of the next try.
  private var postponed: [Int: Instant] = [:]

  init(_ database: Database) { self.database = database }

  func wearer(_ name: String) -> Int32? { wearers[name] }
  func trait(_ traits: RowTraits) -> Int32? { self.traits[traits] }
  func wearable(_ key: WearableKey) -> Int32? { wearables[key] }
  func hub(_ name: HubName) -> Int32? { hubs[name] }

  func ring(_ run: any RingMention, store: UInt64) -> Int32? {
    guard let wearable = wearables[WearableKey(store: store, enrolment: run.enrolment)], let series = series[run.series]
    else { return nil }
    return rings[RingKey(wearable: wearable, series: series, isFetched: run.isFetched)]
  }

  /// Fetches numbers of hubs only.
  func learn(hubs names: [HubName]) async throws(DatabaseTrouble) {
    let new = Set(names.filter { hubs[$0] == nil }).sorted { ($0.group, $0.name) < ($1.group, $1.name) }
    if new.isEmpty { return }
    let lists = [sqlArray(new.map(\.group)), sqlArray(new.map(\.name))]
    try await database.run(
      "INSERT INTO hearth.hubs (grp, name) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING", lists)
    let found = try await database.run(
      "SELECT grp, name, hub FROM hearth.hubs WHERE (grp, name) IN (SELECT * FROM unnest($1::text[], $2::text[]))",
      lists)
    for row in found.rows {
      if let hub = number(row[2]) { hubs[HubName(group: row[0] ?? "", name: row[1] ?? "")] = hub }
    }
  }

  /// Fetches the numbers of all names in these batches, and creates the tables of their months.
  func learn(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    forgetWhatIsTooMuch()
    try await learn(hubs: batches.map(\.hub))
    try await learnStores(batches)
    try await learnWearables(batches)
    try await learnWords(batches)
    try await learnRings(batches)
    try await makeMonths(batches)
  }

  /// Forgets the owner of a store, because another hub has it in the database or soon will.
  func forget(store: UInt64) { stores[store] = nil }

  private func forgetWhatIsTooMuch() {
    if max(hubs.count, stores.count, wearables.count, series.count, wearers.count, traits.count, rings.count)
      < Self.limit
    {
      return
    }
    (hubs, stores, wearables, labels) = ([:], [:], [:], [:])
    (series, units, wearers, traits, rings) = ([:], [:], [:], [:], [:])
  }

  private func learnStores(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var (new, kept): ([UInt64: HubName], [UInt64: HubName]) = ([:], [:])
    for taken in batches where stores[taken.batch.store] != taken.hub {
      if taken.isKept { kept[taken.batch.store] = taken.hub } else { new[taken.batch.store] = taken.hub }
    }
    // A retained message may have the name that a hub had before.
    for (store, hub) in kept.sorted(by: { $0.key < $1.key }) where new[store] == nil && stores[store] == nil {
      try await database.run(
        "INSERT INTO hearth.stores (store, hub) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        [RowGroup.storeText(store), "\(hubs[hub] ?? 0)"])
    }
    let sorted = new.sorted { $0.key < $1.key }
    if sorted.isEmpty { return }
    let lists = [
      sqlArray(sorted.map { RowGroup.storeText($0.key) }), sqlArray(sorted.map { "\(hubs[$0.value] ?? 0)" }),
    ]
    // A renamed hub keeps its store.
    try await database.run(
      """
      INSERT INTO hearth.stores (store, hub) SELECT * FROM unnest($1::text[], $2::int[])
      ON CONFLICT (store) DO UPDATE SET hub = excluded.hub, heir = NULL WHERE stores.hub <> excluded.hub
      """, lists)
    try await database.run(
      "INSERT INTO hearth.owners (store, hub) SELECT * FROM unnest($1::text[], $2::int[]) ON CONFLICT DO NOTHING", lists
    )
    for (store, hub) in sorted { stores[store] = hub }
  }

  private func learnWearables(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var new: [WearableKey: (name: String, address: String)] = [:]
    for batch in batches.map(\.batch) {
      for run in batch.mentions {
        let key = WearableKey(store: batch.store, enrolment: run.enrolment)
        let address = addressText(run.address)
        if wearables[key] == nil || labels[key] != run.device + "\n" + address { new[key] = (run.device, address) }
      }
      // A wearable may be corrected before any of its rows came: its name comes with its rows.
      for correction in batch.corrections {
        let key = WearableKey(store: batch.store, enrolment: correction.enrolment)
        if wearables[key] == nil, new[key] == nil { new[key] = ("", "") }
      }
    }
    let sorted = new.sorted { ($0.key.store, $0.key.enrolment) < ($1.key.store, $1.key.enrolment) }
    if sorted.isEmpty { return }
    let answer = try await database.run(
      """
      INSERT INTO hearth.wearables (store, enrolment, name, address)
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[])
      ON CONFLICT (store, enrolment) DO UPDATE SET
        name = CASE WHEN excluded.name = '' THEN wearables.name ELSE excluded.name END,
        address = CASE WHEN excluded.address = '' THEN wearables.address ELSE excluded.address END
      RETURNING store, enrolment, wearable
      """,
      [
        sqlArray(sorted.map { RowGroup.storeText($0.key.store) }), sqlArray(sorted.map { "\($0.key.enrolment)" }),
        sqlArray(sorted.map(\.value.name)), sqlArray(sorted.map(\.value.address)),
      ])
    for row in answer.rows {
      guard let store = row[0].flatMap({ UInt64($0, radix: 16) }), let enrolment = row[1].flatMap({ UInt32($0) }) else {
        continue
      }
      let key = WearableKey(store: store, enrolment: enrolment)
      wearables[key] = number(row[2])
      labels[key] = new[key].map { $0.name + "\n" + $0.address }
    }
  }

  private func learnWords(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var (newSeries, newWearers, newTraits): ([String: String], Set<String>, Set<RowTraits>) = ([:], [], [])
    for batch in batches.map(\.batch) {
      for ring in batch.mentions where series[ring.series] == nil || units[ring.series] != ring.unit {
        newSeries[ring.series] = ring.unit
      }
      for run in batch.runs {
        if !run.wearer.isEmpty, wearers[run.wearer] == nil { newWearers.insert(run.wearer) }
        if traits[run.traits] == nil { newTraits.insert(run.traits) }
      }
      for correction in batch.corrections where !correction.wearer.isEmpty && wearers[correction.wearer] == nil {
        newWearers.insert(correction.wearer)
      }
    }
    if !newSeries.isEmpty {
      let sorted = newSeries.sorted { $0.key < $1.key }
      let answer = try await database.run(
        """
        INSERT INTO hearth.series (name, unit) SELECT * FROM unnest($1::text[], $2::text[])
        ON CONFLICT (name) DO UPDATE SET unit = excluded.unit RETURNING name, series
        """, [sqlArray(sorted.map(\.key)), sqlArray(sorted.map(\.value))])
      for row in answer.rows { series[row[0] ?? ""] = number(row[1]) }
      for (name, unit) in sorted { units[name] = unit }
    }
    if !newWearers.isEmpty {
      let list = [sqlArray(newWearers.sorted())]
      try await database.run(
        "INSERT INTO hearth.wearers (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", list)
      let answer = try await database.run("SELECT name, wearer FROM hearth.wearers WHERE name = ANY ($1::text[])", list)
      for row in answer.rows { wearers[row[0] ?? ""] = number(row[1]) }
    }
    for new in newTraits.sorted(by: { "\($0)" < "\($1)" }) { traits[new] = try await learn(new) }
  }

  private func learn(_ trait: RowTraits) async throws(DatabaseTrouble) -> Int32? {
    let values: [String?] = [
      trait.origin, trait.kind, "\(trait.isManual)", "\(trait.isClockUnsure)", "\(trait.isLowQuality)",
      "\(trait.encoding)", "\(trait.periodNs)", "\(trait.record)",
    ]
    try await database.run(
      """
      INSERT INTO hearth.traits (origin, kind, manual, clock_unsure, low_quality, encoding, period_ns, record)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
      """, values)
    let answer = try await database.run(
      """
      SELECT trait FROM hearth.traits
      WHERE (origin, kind, manual, clock_unsure, low_quality, encoding, period_ns, record)
        = ($1, $2, $3, $4, $5, $6, $7, $8)
      """, values)
    return answer.rows.first.flatMap { number($0[0]) }
  }

  private func learnRings(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var new: Set<RingKey> = []
    for batch in batches.map(\.batch) {
      for run in batch.mentions {
        guard let wearable = wearables[WearableKey(store: batch.store, enrolment: run.enrolment)],
          let series = series[run.series]
        else { continue }
        let key = RingKey(wearable: wearable, series: series, isFetched: run.isFetched)
        if rings[key] == nil { new.insert(key) }
      }
    }
    if new.isEmpty { return }
    let sorted = new.sorted {
      ($0.wearable, $0.series, $0.isFetched ? 1 : 0) < ($1.wearable, $1.series, $1.isFetched ? 1 : 0)
    }
    let lists = [
      sqlArray(sorted.map { "\($0.wearable)" }), sqlArray(sorted.map { "\($0.series)" }),
      sqlArray(sorted.map { $0.isFetched ? "fetched" : "live" }),
    ]
    let list = "SELECT * FROM unnest($1::int[], $2::int[], $3::text[])"
    try await database.run(
      "INSERT INTO hearth.rings (wearable, series, way) \(list) ON CONFLICT DO NOTHING", lists)
    let answer = try await database.run(
      "SELECT wearable, series, way, ring FROM hearth.rings WHERE (wearable, series, way) IN (\(list))", lists)
    for row in answer.rows {
      guard let wearable = number(row[0]), let series = number(row[1]) else { continue }
      rings[RingKey(wearable: wearable, series: series, isFetched: row[2] == "fetched")] = number(row[3])
    }
  }

  /// Pause between two tries to create a month's table: each may block other clients for two seconds.
  private static let monthPause: Duration = .seconds(60)

  private func makeMonths(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var new: Set<Int> = []
    // The table of the next month is made ahead, while the table for other times has no rows of it.
    let today = monthOf(day: Int(floorDivide(database.wall.microseconds, 86_400_000_000)))
    if !months.contains(today + 1) { new.insert(today + 1) }
    for batch in batches.map(\.batch) {
      for run in batch.runs {
        // Most runs lie within a day: both ends suffice, unless they cross months.
        var last = Int.min
        for time in run.times {
          let day = Int(floorDivide(time, 86_400_000_000))
          if day != last, !months.contains(monthOf(day: day)) { new.insert(monthOf(day: day)) }
          last = day
        }
      }
    }
    for month in new.sorted() where postponed[month].map({ database.now >= $0 }) ?? true {
      // A month without its own table is requested once per connection.
      let answer = try await database.run(
        "SELECT hearth.make_month(moment), hearth.has_month(moment) "
          + "FROM make_timestamptz($1, $2, 1, 0, 0, 0) AS moment",
        ["\(floorDivide(month, 12))", "\(floorRemainder(month, 12) + 1)"])
      if answer.rows.first?.last == "f" {
        postponed[month] = database.now + Self.monthPause
      } else {
        months.insert(month)
        postponed[month] = nil
      }
    }
  }

  private func number(_ text: String?) -> Int32? { text.flatMap { Int32($0) } }
}
