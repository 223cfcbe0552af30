// How far a visit is, what it met, and how long its turn may last.

import EventLoop
import Wearable

/// Whether a visit goes on.
enum VisitTurn: Sendable {
  case goesOn
  /// The turn is over: the visit ends here in good order, and another one goes on.
  case over
}

/// What became of one item in a visit.
enum ItemEnd: Sendable, Equatable {
  case durable(mark: String)
  /// It is not what it should be, or its bytes are not: it stays where it is.
  case stays
  /// What came of it so far is kept.
  case turnOver
}

/// The slice of one visit.
struct VisitSlice {
  /// An operator's request gives the visit a new one.
  var began: Instant
  /// What had come by then over the link, which may be older (`VisitRunner.answered`).
  var answeredBefore: UInt64 = 0
  /// Somebody wants it to end at the next point where nothing is lost.
  var interruption: VisitTrouble?
  /// A sync of the same wearable was ordered: the visit ends at the next such point, and the next one carries it out.
  var makesWay = false
  /// An item is on its way that would have to come anew from its first byte.
  var isIndivisible = false
}

/// What was listed and fetched, for people.
struct VisitProgress {
  var items: [HeldItem] = []
  /// Of these, such as were fetched in this visit.
  var becameDurable = 0
  /// The item in work.
  var item: HeldItem?
  private(set) var itemFetched = 0
  /// As the driver counts.
  private var itemHeard = 0
  private var itemKept = 0
  /// Fetched on the air in this visit, and the time that took, for the rate.
  private(set) var fetchedBytes = 0
  private var heardBytes = 0
  private var fetching: Duration = .zero
  private var fetchSince: Instant?

  /// Fetching begins at this byte of the item.
  mutating func begin(at offset: Int, now: Instant) {
    (itemFetched, itemHeard, itemKept) = (offset, offset, offset)
    fetchSince = now
  }

  mutating func end(now: Instant) {
    if let fetchSince { fetching += now - fetchSince }
    fetchSince = nil
  }

  /// Bytes that are kept.
  mutating func kept(_ count: Int) {
    fetchedBytes += count
    itemKept += count
    itemFetched = max(itemFetched, itemKept)
  }

  /// Bytes that the driver has heard of and keeps itself until they are whole.
  mutating func heard(_ count: Int) {
    heardBytes &+= min(count, ItemFetch.limit)
    itemHeard = min(itemHeard + min(count, ItemFetch.limit), item?.size ?? ItemFetch.limit)
    itemFetched = max(itemFetched, itemHeard)
  }

  /// Payload that came, whether it was handed over already or not.
  var bytesCame: Int { max(fetchedBytes, heardBytes) }

  /// Bytes a second over the visit's fetching; nil while there is too little to tell.
  func rate(_ now: Instant) -> Int? {
    let spent = fetching + (fetchSince.map { now - $0 } ?? .zero)
    return spent > .seconds(1) && fetchedBytes > 0 ? Int(Double(fetchedBytes) / spent.inSeconds) : nil
  }
}

/// Trouble that did not end a visit.
struct VisitTroubles {
  var lesser: VisitTrouble?
  /// The last one that says what is not as it was ordered: told whatever came before it.
  private(set) var order: VisitTrouble?
  private(set) var defects: [String] = []

  /// The first one counts.
  mutating func note(_ trouble: VisitTrouble) {
    if lesser == nil { lesser = trouble }
    if case .needsAttention(let reason, _) = trouble, reason.isOfOrders { order = trouble }
  }

  mutating func noteDefect(_ what: String) { if defects.count < HubLink.oddityLimit { defects.append(what) } }
}
