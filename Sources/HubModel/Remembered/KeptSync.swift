// Stored state of a wearable's last sync, so that it survives the end of the hub.

import EventLoop
import Health
import Reasons
package import StateCodec
package import Wearable

/// The last ordered sync, and its order. Written when it is ordered, when a kind of data is finished, and when it is
/// over.
package struct KeptSync: RememberedState {
  package static let name = "sync"
  /// Kinds of data: more than any wearable has. Further ones are requested kinds that the driver does not know.
  package static let domainLimit = 16
  /// Bytes of UTF-8 of the name of a kind, and of the text of a failure.
  package static let nameLimit = 32
  package static let detailLimit = 96

  private var state: SyncSnapshot

  package init(_ state: SyncSnapshot) { self.state = state }

  /// The state in which it continues: unfinished kinds begin again.
  package func snapshot(of wearable: String, _ driver: (any WearableDriver)?) -> SyncSnapshot {
    let known = driver?.synced?.syncDomains ?? []
    var next = SyncSnapshot(
      number: state.number, wearable: wearable, request: state.request, ordered: state.ordered,
      domains: state.domains.map { kept in
        var domain = SyncedDomain(kept.id, known.first { $0.id == kept.id }?.series ?? [])
        (domain.state, domain.trouble, domain.bytes) = (kept.state, kept.trouble, kept.bytes)
        (domain.itemsStored, domain.itemsListed) = (kept.itemsStored, kept.itemsListed)
        domain.itemsUndated = kept.itemsUndated
        return domain
      })
    (next.ended, next.trouble) = (state.ended, state.trouble)
    return next
  }

  // MARK: Fields

  /// States by their stored numbers; a running one waits for the next hub.
  private static let states: [SyncedDomain.State] = [.waiting, .done, .nothingNew, .failed, .skipped]

  package func write(to fields: inout FieldWriter) {
    fields.put(1, state.number)
    fields.put(2, state.ordered.microseconds)
    if let ended = state.ended { fields.put(3, ended.microseconds) }
    if let since = state.request.since { fields.put(4, since.microseconds) }
    if let until = state.request.until { fields.put(5, until.microseconds) }
    if state.request.isAutomaticOnly { fields.put(6, flag: true) }
    Self.write(state.trouble, to: &fields, 7, 8)
    for domain in state.domains.prefix(Self.domainLimit) {
      fields.put(9) { nested in
        nested.put(1, domain.id.cut(toUTF8: Self.nameLimit))
        nested.put(2, UInt8(Self.states.firstIndex(of: domain.state) ?? 0))
        // Counts of an unfinished kind begin again.
        if domain.isOver {
          nested.put(3, UInt32(clamping: domain.itemsListed))
          nested.put(4, UInt32(clamping: domain.itemsStored))
          nested.put(5, UInt32(clamping: domain.itemsUndated))
          nested.put(6, domain.bytes)
        }
        Self.write(domain.trouble, to: &nested, 7, 8)
      }
    }
  }

  private static func write(_ trouble: HearthError?, to fields: inout FieldWriter, _ code: UInt8, _ detail: UInt8) {
    guard let trouble else { return }
    fields.put(code, trouble.reason.rawValue)
    fields.put(detail, trouble.detail.cut(toUTF8: detailLimit))
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var number: UInt64?
    var (ordered, ended, since, until): (Int64?, Int64?, Int64?, Int64?) = (nil, nil, nil, nil)
    var isAutomaticOnly: Bool?
    var code: UInt16?
    var detail: String?
    var domains: [SyncedDomain] = []
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&number)
      case 2: fields.read(&ordered)
      case 3: fields.read(&ended)
      case 4: fields.read(&since)
      case 5: fields.read(&until)
      case 6: fields.read(&isAutomaticOnly)
      case 7: fields.read(&code)
      case 8: fields.read(&detail, atMost: Self.detailLimit)
      case 9:
        guard let domain = Self.domain(fields.nested) else { return nil }
        domains.append(domain)
      default: break
      }
    }
    guard let number, let ordered, !domains.isEmpty, domains.count <= Self.domainLimit else { return nil }
    func time(_ microseconds: Int64?) -> WallTime? { microseconds.map { WallTime(microseconds: $0) } }
    let request = SyncRequest(since: time(since), until: time(until), isAutomaticOnly: isAutomaticOnly ?? false)
    state = SyncSnapshot(
      number: number, wearable: "", request: request, ordered: WallTime(microseconds: ordered), domains: domains)
    (state.ended, state.trouble) = (time(ended), Self.trouble(code, detail))
  }

  /// A code that this program does not know is reported all the same, as a failure.
  private static func trouble(_ code: UInt16?, _ detail: String?) -> HearthError? {
    code.map { HearthError(Reason(rawValue: $0) ?? .requestNotDone, detail ?? "") }
  }

  private static func domain(_ fields: FieldReader) -> SyncedDomain? {
    var fields = fields
    var id: String?
    var state: UInt8?
    var (listed, stored, undated): (UInt32?, UInt32?, UInt32?) = (nil, nil, nil)
    var bytes: UInt64?
    var code: UInt16?
    var detail: String?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&id, atMost: nameLimit)
      case 2: fields.read(&state)
      case 3: fields.read(&listed)
      case 4: fields.read(&stored)
      case 5: fields.read(&undated)
      case 6: fields.read(&bytes)
      case 7: fields.read(&code)
      case 8: fields.read(&detail, atMost: detailLimit)
      default: break
      }
    }
    guard fields.isWhole, let id, let state, states.indices.contains(Int(state)) else { return nil }
    var domain = SyncedDomain(id, [])
    (domain.state, domain.trouble, domain.bytes) = (states[Int(state)], trouble(code, detail), bytes ?? 0)
    (domain.itemsListed, domain.itemsStored) = (Int(listed ?? 0), Int(stored ?? 0))
    domain.itemsUndated = Int(undated ?? 0)
    return domain
  }
}
