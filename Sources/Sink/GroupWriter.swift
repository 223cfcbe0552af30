// Transaction for many messages: all of it is in the database when `write` returns, and no part of it when it throws.
// Idempotent.

import CivilTime
internal import EventLoop
internal import UplinkMessages

/// Messages that are written together.
struct Group: Sendable {
  var batches: [TakenBatch] = []
  var aside: [RejectedMessage] = []
  /// Messages that are reported but not stored.
  var dropped: [RejectedMessage] = []
  var words: [(hub: HubName, word: HubWord, isRetained: Bool)] = []

  var rows: Int { batches.reduce(0) { $0 + $1.batch.rows } }
  var isEmpty: Bool { batches.isEmpty && aside.isEmpty && words.isEmpty }
}

/// Result of a group, for the log and for statistics.
struct Written: Sendable {
  var rows = 0
  /// Rows that were not in the database before.
  var new = 0
  var aside: [RejectedMessage] = []
  var dropped: [RejectedMessage] = []
  /// Stores that now belong to another hub, and whether that is expected.
  var heirs: [(words: String, isSameMachine: Bool)] = []
  /// News about stores, for the log.
  var news: [String] = []
}

@LoopActor
final class GroupWriter {
  /// Advisory lock: corrections take it exclusively, rows take it shared. Without it, corrections would miss rows that
  /// are not yet committed.
  private static let lock = "1752523876, 1"

  let database: Database
  let names: Names
  let quarantine: Int
  /// Time for which a hub must be gone before another hub may take its store.
  let takeover: Duration

  private init(_ database: Database, _ settings: SinkSettings.Database) {
    (self.database, quarantine, takeover) = (database, settings.quarantine, settings.takeover)
    names = Names(database)
  }

  static func make(_ database: Database, _ settings: SinkSettings.Database) async throws(DatabaseTrouble) -> GroupWriter
  {
    let version: DatabaseAnswer
    do throws(DatabaseTrouble) { version = try await database.run("SELECT version FROM hearth.about") } catch {
      // 42P01, 3F000: table or schema does not exist.
      if error.state != "42P01" && error.state != "3F000" { throw error }
      throw DatabaseTrouble(state: error.state, words: "there is no schema yet: hearth-sink schema --apply")
    }
    if let trouble = SinkSchema.trouble(version.rows.first?.first.flatMap { $0 }) { throw trouble }
    try await database.run(
      """
      CREATE TEMPORARY TABLE incoming (
        batch int, ring int, ordinal bigint, "time" timestamptz, wearer int, trait int, lasts bigint, before bigint,
        counted bigint, value numeric, numbers numeric[], data bytea, retimed boolean) ON COMMIT DELETE ROWS
      """)
    try await database.run("SELECT hearth.keep_found()")
    return GroupWriter(database, settings)
  }

  /// - Parameter triesAside: also retries messages put aside of a hub that took a store over.
  func write(_ whole: Group, triesAside: Bool = true) async throws(DatabaseTrouble) -> Written {
    let (group, claims) = try await unclaimed(whole)
    try await names.learn(hubs: group.words.map(\.hub))
    try await names.learn(group.batches)
    var written = Written(rows: group.rows, aside: group.aside, dropped: group.dropped)
    let corrects = group.batches.contains { !$0.batch.corrections.isEmpty }
    let changes = corrects || group.batches.contains { $0.batch.runs.contains { $0.isRetimed } }
    try await database.run("BEGIN; SELECT pg_advisory_xact_lock\(changes ? "" : "_shared")(\(Self.lock))")
    do throws(DatabaseTrouble) {
      if !group.batches.isEmpty {
        written.new = try await writeRows(group.batches)
        try await writeSkips(group.batches)
        try await keepStretches(group.batches)
        try await writeHeads(group.batches)
        if corrects { try await correct(group.batches) }
        try await noteSent(group.batches)
      }
      for word in group.words { try await note(word.hub, word.word, isRetained: word.isRetained) }
      try await quarantine(group.aside)
      try await database.run("COMMIT")
    } catch {
      if !error.isLost { _ = try? await database.run("ROLLBACK") }
      throw error
    }
    written.heirs = claims.heirs.map { ($0.words, $0.isSameMachine) }
    written.news = claims.renewed
    // Messages of another machine, sent while the first hub was present, may come from a copied card: they stay aside.
    for heir in claims.heirs where heir.isSameMachine && triesAside {
      let stored = try await retry(of: heir.hub)
      if stored > 0 {
        written.news.append("\(stored) messages of \(heir.hub.group)/\(heir.hub.name) were aside, and are stored")
      }
    }
    return written
  }

  // MARK: - Rows

  private func writeRows(_ batches: [TakenBatch]) async throws(DatabaseTrouble) -> Int {
    var lines: [UInt8] = []
    var (wearables, rings): (Set<Int32>, Set<Int32>) = ([], [])
    var retimed: [(ring: Int32, ordinals: [Int64])] = []
    for (index, taken) in batches.enumerated() {
      for run in taken.batch.runs {
        guard let ring = names.ring(run, store: taken.batch.store), let trait = names.trait(run.traits) else {
          throw DatabaseTrouble(state: "", words: "a name that was written just now is not there")
        }
        appendLines(
          run, RowNumbers(ring: ring, trait: trait, wearer: names.wearer(run.wearer)), batch: index + 1, to: &lines)
        rings.insert(ring)
        if run.isRetimed { retimed.append((ring, run.ordinals)) }
        if let wearable = names.wearable(WearableKey(store: taken.batch.store, enrolment: run.enrolment)) {
          wearables.insert(wearable)
        }
      }
    }
    if lines.isEmpty { return 0 }
    try await database.copy("COPY incoming FROM STDIN", lines)
    let sent = sqlArray(batches.map { "\($0.batch.sentMs)" })
    let oldest = batches.map(\.batch.sentMs).min() ?? 0
    let retiming = RowRetiming(database: database)
    try await retiming.keep(retimed)
    let known = try await database.run(
      """
      SELECT EXISTS (SELECT FROM hearth.corrections WHERE wearable = ANY ($1::int[]) AND sent >= $2),
        EXISTS (SELECT FROM hearth.retimed WHERE ring = ANY ($3::int[]))
      """,
      [sqlArray(wearables.sorted().map { "\($0)" }), "\(oldest)", sqlArray(rings.sorted().map { "\($0)" })]
    ).rows.first
    if known?.last == "t" { try await retiming.settle() }
    let columns = "trait, lasts, before, counted, value, numbers, data"
    // The same order in all sinks, so that two with the same rows wait for each other without a deadlock.
    if known?.first != "t" {
      return try await database.run(
        """
        INSERT INTO hearth.rows (ring, ordinal, "time", wearer, \(columns))
        SELECT ring, ordinal, "time", wearer, \(columns) FROM incoming ORDER BY ring, ordinal, "time"
        ON CONFLICT DO NOTHING
        """
      ).written
    }
    // Rows sent before a correction that arrive after it.
    return try await database.run(
      """
      INSERT INTO hearth.rows (ring, ordinal, "time", wearer, \(columns))
      SELECT ring, ordinal, "time", CASE WHEN later.sent IS NULL THEN incoming.wearer ELSE later.wearer END, \(columns)
      FROM incoming JOIN hearth.rings USING (ring) LEFT JOIN LATERAL (
        SELECT sent, wearer FROM hearth.corrections
        WHERE corrections.wearable = rings.wearable AND since <= incoming."time" AND until > incoming."time"
          AND sent >= ($1::bigint[])[incoming.batch]
        ORDER BY sent DESC, place DESC LIMIT 1) AS later ON true
      ORDER BY ring, ordinal, "time" ON CONFLICT DO NOTHING
      """, [sent]
    ).written
  }

  private func writeSkips(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var skips: Set<[Int64]> = []
    for batch in batches.map(\.batch) {
      for run in batch.runs where run.skipped > 0 {
        guard let ring = names.ring(run, store: batch.store), let first = run.ordinals.first else { continue }
        skips.insert([Int64(ring), first - run.skipped, first - 1])
      }
    }
    if skips.isEmpty { return }
    let sorted = skips.sorted { $0.lexicographicallyPrecedes($1) }
    try await database.run(
      """
      INSERT INTO hearth.skips (ring, first, last) SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[])
      ON CONFLICT DO NOTHING
      """, (0..<3).map { column in sqlArray(sorted.map { "\($0[column])" }) })
  }

  /// Stores which ordinals are known now: rows, parts of rows, and those that hubs reported as missing.
  private func keepStretches(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var stretches: [[Int64]] = []
    for batch in batches.map(\.batch) {
      for run in batch.runs {
        guard let ring = names.ring(run, store: batch.store), let first = run.ordinals.first,
          let last = run.ordinals.last, last < .max
        else { continue }
        stretches.append([Int64(ring), first - run.skipped, last])
      }
    }
    if stretches.isEmpty { return }
    try await database.run(
      "SELECT hearth.keep_stretches($1::int[], $2::bigint[], $3::bigint[])",
      (0..<3).map { column in sqlArray(joined(stretches).map { "\($0[column])" }) })
  }

  /// Stores acknowledged positions of rings, which only grow, whatever the order of arrival.
  private func writeHeads(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var heads: [Int32: (head: RingHead, sentMs: Int64)] = [:]
    for batch in batches.map(\.batch) {
      for var head in batch.heads {
        guard let ring = names.ring(head, store: batch.store) else { continue }
        var sent = batch.sentMs
        if let before = heads[ring] {
          if before.head.next >= head.next { sent = before.sentMs }
          head.join(before.head)
        }
        heads[ring] = (head, sent)
      }
    }
    if heads.isEmpty { return }
    let sorted = heads.sorted { $0.key < $1.key }
    let texts = sorted.map { ring, value in
      [
        "\(ring)", "\(value.head.first)", momentText(value.head.firstTime), "\(value.head.next)",
        momentText(value.head.newestTime), momentText(value.sentMs * 1000),
      ]
    }
    try await database.run(
      """
      INSERT INTO hearth.heads (ring, first, first_time, next, newest_time, sent)
      SELECT *
      FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::timestamptz[], $6::timestamptz[])
      ON CONFLICT (ring) DO UPDATE SET
        first = least(heads.first, excluded.first),
        first_time = CASE WHEN excluded.first < heads.first THEN excluded.first_time ELSE heads.first_time END,
        next = excluded.next, newest_time = excluded.newest_time, sent = excluded.sent, came = now()
      WHERE excluded.next > heads.next
      """, (0..<6).map { column in sqlArray(texts.map { $0[column] }) })
  }

  // MARK: - Corrections

  private func correct(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    for batch in batches.map(\.batch) {
      for (place, correction) in batch.corrections.enumerated() {
        guard let wearable = names.wearable(WearableKey(store: batch.store, enrolment: correction.enrolment)) else {
          continue
        }
        let wearer = names.wearer(correction.wearer)
        let span = [momentText(correction.times.lowerBound), momentText(correction.times.upperBound)]
        try await database.run(
          """
          INSERT INTO hearth.corrections (wearable, sent, place, since, until, wearer) VALUES ($1, $2, $3, $4, $5, $6)
          ON CONFLICT DO NOTHING
          """, ["\(wearable)", "\(batch.sentMs)", "\(place)"] + span + [wearer.map { "\($0)" }])
        // Corrections may arrive in another order than they were made: the latest that covers a row wins.
        try await database.run(
          """
          UPDATE hearth.rows SET wearer = later.wearer
          FROM hearth.rings, hearth.corrections AS later
          WHERE rings.wearable = $1 AND rows.ring = rings.ring AND rows."time" >= $2 AND rows."time" < $3
            AND later.wearable = rings.wearable AND later.since <= rows."time" AND later.until > rows."time"
            AND NOT EXISTS (
              SELECT FROM hearth.corrections AS other
              WHERE other.wearable = later.wearable AND other.since <= rows."time" AND other.until > rows."time"
                AND (other.sent, other.place) > (later.sent, later.place))
            AND rows.wearer IS DISTINCT FROM later.wearer
          """, ["\(wearable)"] + span)
      }
    }
  }
}

/// Joins ranges of ordinals (ring, first, last) to as few as possible, in order.
func joined(_ stretches: [[Int64]]) -> [[Int64]] {
  var all: [[Int64]] = []
  for stretch in stretches.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
    if let last = all.last, last[0] == stretch[0], stretch[1] <= last[2] + 1 {
      all[all.count - 1][2] = max(last[2], stretch[2])
    } else {
      all.append(stretch)
    }
  }
  return all
}
