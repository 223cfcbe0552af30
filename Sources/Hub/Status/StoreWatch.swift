// Troubles of the store that a person should know, from its figures.

import EventLoop
import Health
import Reasons
import RingStore

enum StoreWatch {
  /// Time that a loss is shown. A ring deletes a whole chunk at a time, which at one sample a second holds more than an
  /// hour. With a much shorter time the light would come and go while the loss goes on.
  static let newsTime: Duration = .seconds(86_400)

  /// Whether samples without an export were deleted in the last day, since the hub started.
  static func isEvicting(_ status: StoreStatus, _ now: Instant) -> Bool {
    status.lastUnexportedEviction.map { now - $0 < newsTime } ?? false
  }

  /// Returns why commits may not survive a power cut; nil if they do.
  static func mediumFailing(_ status: StoreStatus) -> Reason? {
    status.medium.flatMap { $0.keeps ? nil : $0.trouble?.reason }
  }

  /// Troubles that need a person, the gravest first; without a wearable: of the store as a whole. `rings` in their
  /// order.
  static func troubles(_ status: StoreStatus, _ rings: [RingStatus], now: Instant) -> [(
    wearable: WearableID?, trouble: HearthError
  )] {
    var found: [(wearable: WearableID?, trouble: HearthError)] = []
    if let trouble = status.medium?.trouble { found.append((nil, trouble)) }
    if let text = status.miscounts { found.append((nil, HearthError(.storeMiscounted, text))) }
    if let text = status.rescued { found.append((nil, HearthError(.storeRescued, text))) }
    if status.corruptChunks > 0 || status.corruptRecords > 0 { found.append((nil, damage(status))) }
    if isEvicting(status, now) { found.append((nil, eviction(status, rings))) }
    if let budget = status.wear.budgetPerDay, status.wear.isOverBudget {
      let text = "\(megabytes(status.wear.bytesToday)) written to the card today, the budget is \(megabytes(budget))"
      found.append((nil, HearthError(.storeBudgetExceeded, text)))
    }
    let refusing = rings.filter(\.refuses)
    for (index, ring) in refusing.enumerated() where index == 0 || refusing[index - 1].id.wearable != ring.id.wearable {
      let names = names(refusing.filter { $0.id.wearable == ring.id.wearable })
      found.append(
        (
          ring.id.wearable,
          HearthError(.storeRefusing, "\(names): left on the wearable, as its ring is full")
        ))
    }
    return found
  }

  private static func eviction(_ status: StoreStatus, _ rings: [RingStatus]) -> HearthError {
    let lost = rings.filter { $0.evictedUnexported > 0 }
    var text =
      "\(status.evictedUnexportedSinceStart) samples that were never exported were evicted since the hub started"
    if !lost.isEmpty { text += "; ever evicted: \(names(lost))" }
    if let from = lost.compactMap(\.evictedFrom).min(), let to = lost.compactMap(\.evictedTo).max() {
      text += " of \(from.rfc3339) to \(to.rfc3339)"
    }
    return HearthError(.storeEvicting, text)
  }

  private static func damage(_ status: StoreStatus) -> HearthError {
    let chunks = status.corruptChunks
    let records = status.corruptRecords
    var parts: [String] = []
    if chunks > 0 { parts.append("\(chunks) \(chunks == 1 ? "chunk" : "chunks") of samples") }
    if records > 0 { parts.append("\(records) \(records == 1 ? "record" : "records")") }
    return HearthError(.storeChunkCorrupt, "\(parts.joined(separator: " and ")) with a wrong checksum, not served")
  }

  /// Each series once, in the order of their numbers, at most four.
  private static func names(_ rings: [RingStatus]) -> String {
    let numbers = Set(rings.map(\.id.seriesNumber)).sorted()
    let names = numbers.prefix(4).map { Series(id: $0)?.name ?? "series \($0)" }.joined(separator: ", ")
    return numbers.count > 4 ? "\(names) and \(numbers.count - 4) more" : names
  }

  private static func megabytes(_ bytes: UInt64) -> String { "\(bytes / 1_000_000) MB" }
}
