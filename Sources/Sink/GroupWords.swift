// Other parts of a group besides rows: states of hubs, messages put aside, and retries of those.

import CivilTime
internal import EventLoop
internal import Reasons
internal import UplinkMessages

extension GroupWriter {
  /// Retries a message that was put aside; true if it is stored now.
  func retries(_ topic: String, _ payload: [UInt8]) async throws(DatabaseTrouble) -> Bool {
    guard case .batch(let taken) = Taken(topic: topic, payload: payload, isRetained: false, part: .all) else {
      return false
    }
    let group = Group(batches: [taken])
    if try await unclaimed(group).group.batches.isEmpty { return false }
    do throws(DatabaseTrouble) {
      _ = try await write(group, triesAside: false)
      return true
    } catch {
      if error.isOfData { return false }
      throw error
    }
  }

  /// Removes batches of a store that another hub has: with a copied card two hubs would be mixed.
  func unclaimed(_ whole: Group) async throws(DatabaseTrouble) -> (group: Group, claims: StoreClaims) {
    let claims = try await names.claims(whole.batches, patience: takeover)
    if claims.refused.isEmpty { return (whole, claims) }
    var group = whole
    group.batches = []
    for batch in whole.batches {
      guard let words = claims.refused[StoreClaims.Asker(batch)] else {
        group.batches.append(batch)
        continue
      }
      var aside = batch.message
      (aside.cause, aside.reason) = ("\(batch.hub.group)/\(batch.hub.name) sends \(words)", .sinkStoreTwice)
      // The broker sends retained messages at every connection of a sink, and they contain no rows.
      if batch.isKept { group.dropped.append(aside) } else { group.aside.append(aside) }
    }
    return (group, claims)
  }

  /// Retries messages put aside because another hub had the store, for a hub that has it now.
  func retry(of hub: HubName) async throws(DatabaseTrouble) -> Int {
    let topic = "hearth/1/\(hub.group)/\(hub.name)/rows"
    let found = try await database.run(
      "SELECT id FROM hearth.quarantine WHERE topic = $1 AND code = $2 ORDER BY id",
      [topic, Reason.sinkStoreTwice.code])
    var stored = 0
    for row in found.rows where try await retry(row[0]) { stored += 1 }
    return stored
  }

  /// Retries the message put aside under this number; true if it is stored now.
  func retry(_ id: String?) async throws(DatabaseTrouble) -> Bool {
    let found = try await database.run(
      "SELECT topic, encode(payload, 'hex') FROM hearth.quarantine WHERE id = $1", [id])
    guard let topic = found.rows.first?[0], let payload = found.rows.first?[1].flatMap({ [UInt8](hexadecimal: $0) }),
      try await retries(topic, payload)
    else { return false }
    try await database.run("DELETE FROM hearth.quarantine WHERE id = $1", [id])
    return true
  }

  func noteSent(_ batches: [TakenBatch]) async throws(DatabaseTrouble) {
    var latest: [Int32: Int64] = [:]
    for taken in batches where !taken.isKept {
      guard let hub = names.hub(taken.hub) else { continue }
      latest[hub] = max(latest[hub] ?? .min, taken.batch.sentMs)
    }
    if latest.isEmpty { return }
    let sorted = latest.sorted { $0.key < $1.key }
    // Batches may have waited at the broker: only one sent after a death proves that the hub is back.
    try await database.run(
      """
      UPDATE hearth.hubs SET
        last_seen = now(), last_rows = now(), last_sent = greatest(hubs.last_sent, to_timestamp(sent / 1000.0)),
        state = CASE
          WHEN state = 'unknown' OR state = 'dead' AND to_timestamp(sent / 1000.0) > died THEN 'online' ELSE state END
      FROM (SELECT * FROM unnest($1::int[], $2::bigint[]) AS new (hub, sent) ORDER BY hub) AS new
      WHERE hubs.hub = new.hub
      """, [sqlArray(sorted.map { "\($0.key)" }), sqlArray(sorted.map { "\($0.value)" })])
  }

  func note(_ name: HubName, _ word: HubWord, isRetained: Bool) async throws(DatabaseTrouble) {
    guard let hub = names.hub(name) else { return }
    switch word {
    case .born(let birth):
      try await database.run(
        "UPDATE hearth.hubs SET state = 'online', born = now(), birth = $2, last_seen = now() WHERE hub = $1",
        ["\(hub)", birth.map { "\(Int64(clamping: $0))" }])
    case .died(let birth):
      // A will that arrives after the next birth belongs to the previous session.
      try await database.run(
        """
        UPDATE hearth.hubs SET state = CASE WHEN state = 'offline' THEN state ELSE 'dead' END, died = now()
        WHERE hub = $1 AND ($2::bigint IS NULL OR birth IS NULL OR birth = $2)
        """, ["\(hub)", birth.map { "\(Int64(clamping: $0))" }])
    case .status(let text, let isOffline):
      try await database.run(
        """
        UPDATE hearth.hubs SET
          status = $2::jsonb || jsonb_strip_nulls(jsonb_build_object(
            'machine', coalesce($2::jsonb ->> 'machine', status ->> 'machine'))),
          zone = hearth.zone($2::jsonb ->> 'zone', zone),
          state = CASE WHEN $3 THEN 'offline' WHEN $4 AND state <> 'unknown' THEN state ELSE 'online' END,
          last_seen = CASE WHEN $4 THEN last_seen ELSE now() END
        WHERE hub = $1
        """, ["\(hub)", text, "\(isOffline)", "\(isRetained)"])
    }
  }

  func quarantine(_ aside: [RejectedMessage]) async throws(DatabaseTrouble) {
    if aside.isEmpty { return }
    for message in aside {
      var payload = Array("\\x".utf8)
      appendHexadecimal(message.payload, to: &payload)
      try await database.run(
        "INSERT INTO hearth.quarantine (topic, cause, code, payload) VALUES ($1, $2, $3, $4)",
        [
          oneLine(message.topic), oneLine(message.cause), message.reason.code,
          String(decoding: payload, as: UTF8.self),
        ])
    }
    try await database.run(
      """
      DELETE FROM hearth.quarantine
      WHERE id <= (SELECT id FROM hearth.quarantine ORDER BY id DESC OFFSET \(quarantine) LIMIT 1)
      """)
  }
}
