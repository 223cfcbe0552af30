// Ownership of stores by hubs. A copied card has the store number of the other hub. While the first hub may come back,
// rows of the second are put aside. Otherwise one wearable would have the pulse of two people.

import EventLoop
internal import UplinkMessages

/// Decisions about hubs of one group that send data of stores that belonged to other hubs.
struct StoreClaims: Sendable {
  /// Hub that sends data of a store.
  struct Asker: Hashable, Sendable {
    let store: UInt64
    let hub: HubName
    /// Whether it is only a retained message, which a broker keeps under a hub's name for any time.
    let isKept: Bool

    init(_ taken: TakenBatch) { (store, hub, isKept) = (taken.batch.store, taken.hub, taken.isKept) }
  }

  /// Reason of each refusal.
  var refused: [Asker: String] = [:]
  /// Hubs that take a store over, with the message for the log.
  var heirs: [(hub: HubName, words: String, isSameMachine: Bool)] = []
  /// Hubs with a new store number, for the log.
  var renewed: [String] = []
}

/// Facts about one hub and the owner of the store, from the database.
private struct Ruling {
  let words: String
  let owner: HubName
  /// Whether the owner sent rows of the store.
  let isOwned: Bool
  /// Whether this hub owned the store before.
  let wasOwner: Bool
  let isHeir: Bool
  let isThere: Bool
  /// Whether both report the same machine mark; nil: at least one mark is missing.
  let isSameMachine: Bool?
  /// s since the owner left or died; nil: it did neither.
  let gone: Double?

  /// Parses the columns of the statement below, from the third on.
  init(_ row: ArraySlice<String?>) {
    let row = Array(row)
    owner = HubName(group: row[0] ?? "", name: row[1] ?? "")
    (isOwned, wasOwner, isHeir, isThere) = (row[2] == "t", row[3] == "t", row[4] == "t", row[5] == "t")
    (isSameMachine, gone) = (row[6].map { $0 == "t" }, row[7].flatMap { Double($0) })
    words = "\(owner.group)/\(owner.name)"
  }

  /// Whether the hub may send rows from now on and becomes the owner.
  func grants(after patience: Duration) -> Bool {
    if !isOwned || isHeir { return true }
    if isThere { return false }
    return isSameMachine == true || (gone ?? -1) >= patience.inSeconds
  }

  var state: String {
    if isThere { return "which is there now" }
    guard let gone else { return "which neither left nor died" }
    return "which is gone for \(durationWords(.seconds(Int64(gone))))"
  }

  var machine: String {
    switch isSameMachine {
    case true: "the same machine"
    case false: "another machine"
    default: "a machine that may be another"
    }
  }
}

extension Names {
  /// Time for which a hub counts as present after its last message: it sends one each minute.
  private static let presence = "150 seconds"

  /// Decides about batches of stores that belong to other hubs.
  func claims(_ batches: [TakenBatch], patience: Duration) async throws(DatabaseTrouble) -> StoreClaims {
    var claims = StoreClaims()
    let askers = Set(batches.map { StoreClaims.Asker($0) })
    let sorted = askers.sorted { ($0.store, $0.hub.group, $0.hub.name) < ($1.store, $1.hub.group, $1.hub.name) }
    let rulings = try await rulings(sorted)
    let senders = Dictionary(grouping: askers.filter { !$0.isKept }, by: \.store)
    // Only one hub of a group may send data of a store: the ordered one, otherwise the first that was granted it.
    var chosen: [UInt64: HubName] = [:]
    for asker in sorted where rulings[asker]?.isHeir == true && !asker.isKept { chosen[asker.store] = asker.hub }
    for asker in sorted {
      let store = RowGroup.storeText(asker.store)
      if asker.isKept {
        guard let ruling = rulings[asker], !ruling.wasOwner, !ruling.grants(after: patience) else { continue }
        claims.refused[asker] = "rings of store \(store) of \(ruling.words), \(ruling.state)"
        continue
      }
      if let other = chosen[asker.store], other != asker.hub {
        claims.refused[asker] = "rows of store \(store), which is \(other.group)/\(other.name)'s now"
        continue
      }
      // Two unknown hubs, or the owner and another one: within a group the first by name, or the owner.
      let rivals = (senders[asker.store] ?? []).filter { $0 != asker }.map(\.hub)
      if let ruling = rulings[asker] {
        if rivals.contains(ruling.owner) && !ruling.isHeir || !ruling.grants(after: patience) {
          claims.refused[asker] = "rows of store \(store) of \(ruling.words), \(ruling.state)"
        } else if ruling.isOwned {
          chosen[asker.store] = asker.hub
          forget(store: asker.store)
          let name = "\(asker.hub.group)/\(asker.hub.name)"
          let why = ruling.isHeir ? "as ordered" : ruling.state
          let words = "store \(store) is \(name)'s now, \(ruling.machine): before of \(ruling.words), \(why)"
          claims.heirs.append((asker.hub, words, ruling.isSameMachine == true))
        }
      } else if let first = rivals.first(where: { ($0.group, $0.name) < (asker.hub.group, asker.hub.name) }),
        !rivals.contains(where: { rulings[StoreClaims.Asker(asker, $0)] != nil })
      {
        claims.refused[asker] = "rows of store \(store) of \(first.group)/\(first.name), which is there now"
      }
    }
    claims.renewed = try await renewed(sorted.filter { !$0.isKept && claims.refused[$0] == nil })
    return claims
  }

  /// Finds hubs with a changed store number: the card was replaced, restored or copied.
  private func renewed(_ askers: [StoreClaims.Asker]) async throws(DatabaseTrouble) -> [String] {
    if askers.isEmpty { return [] }
    let answer = try await database.run(
      """
      SELECT hubs.grp, hubs.name, new.store, (array_agg(owners.store ORDER BY owners.since DESC))[1]
      FROM unnest($1::text[], $2::text[], $3::text[]) AS new (store, grp, name)
      JOIN hearth.hubs USING (grp, name) JOIN hearth.owners USING (hub)
      WHERE NOT EXISTS (SELECT FROM hearth.owners AS known WHERE known.store = new.store)
      GROUP BY hubs.grp, hubs.name, new.store ORDER BY 1, 2, 3
      """, lists(askers))
    return answer.rows.map {
      "\($0[0] ?? "")/\($0[1] ?? "") has store \($0[2] ?? "") now, before \($0[3] ?? "")"
    }
  }

  private func lists(_ askers: [StoreClaims.Asker]) -> [String?] {
    [
      sqlArray(askers.map { RowGroup.storeText($0.store) }), sqlArray(askers.map(\.hub.group)),
      sqlArray(askers.map(\.hub.name)),
    ]
  }

  /// Requests rulings only for hubs with a store that another hub owns.
  private func rulings(_ askers: [StoreClaims.Asker]) async throws(DatabaseTrouble) -> [StoreClaims.Asker: Ruling] {
    if askers.isEmpty { return [:] }
    let answer = try await database.run(
      """
      SELECT place, stores.store, had.grp, had.name,
        EXISTS (SELECT FROM hearth.owners WHERE owners.store = stores.store AND owners.hub = had.hub),
        EXISTS (SELECT FROM hearth.owners WHERE owners.store = stores.store AND owners.hub = own.hub),
        coalesce(stores.heir = own.hub, false),
        had.state = 'online' AND coalesce(had.last_seen > now() - interval '\(Self.presence)', false),
        had.status ->> 'machine' = (own.status ->> 'machine'),
        CASE WHEN had.state IN ('offline', 'dead') THEN
          extract(epoch FROM now() - greatest(had.last_seen, CASE WHEN had.state = 'dead' THEN had.died END)) END
      FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (store, grp, name, place)
      JOIN hearth.stores USING (store) JOIN hearth.hubs AS had ON had.hub = stores.hub
      LEFT JOIN hearth.hubs AS own ON own.grp = asked.grp AND own.name = asked.name
      WHERE (had.grp, had.name) <> (asked.grp, asked.name)
      """, lists(askers))
    var rulings: [StoreClaims.Asker: Ruling] = [:]
    for row in answer.rows where row.count == 10 {
      guard let place = row[0].flatMap({ Int($0) }), askers.indices.contains(place - 1) else { continue }
      rulings[askers[place - 1]] = Ruling(row[2...])
    }
    return rulings
  }
}

extension StoreClaims.Asker {
  /// Another hub that sends rows of the same store.
  fileprivate init(_ other: Self, _ hub: HubName) { (store, self.hub, isKept) = (other.store, hub, false) }
}
