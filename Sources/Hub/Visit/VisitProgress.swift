// Progress of a visit, its troubles, and the length of its turn.

import EventLoop
import Wearable

/// Whether a visit goes on.
enum VisitTurn: Sendable {
  case goesOn
  /// The turn is over: the visit ends here in good order, and another one continues.
  case over
}

/// The end of one item in a visit.
enum ItemEnd: Sendable, Equatable {
  case durable(mark: String)
  /// The item or its bytes are not valid: it stays on the wearable.
  case stays
  /// The turn ended; the bytes so far are staged.
  case turnOver
}

/// Time slice of one visit, and reasons to end it early.
struct VisitSlice {
  /// An operator's request gives the visit a new one.
  var began: Instant
  /// Bytes that had come until then over the link, which may be older (`VisitRunner.answered`).
  var answeredBefore: UInt64 = 0
  /// Reason why the visit should end at the next point without loss; nil: it need not.
  var interruption: VisitTrouble?
  /// A sync of the same wearable was ordered: the visit ends at the next such point, and the next one carries it out.
  var makesWay = false
  /// The item under way would have to come again from its first byte.
  var isIndivisible = false
}

/// Counts of listed and fetched items, for people.
struct VisitProgress {
  var items: [HeldItem] = []
  /// Items that this visit fetched.
  var becameDurable = 0
  /// The item in work.
  var item: HeldItem?
  private(set) var itemFetched = 0
  /// Items heard by the driver's count.
  private var itemHeard = 0
  private var itemKept = 0
  /// Bytes fetched over the air in this visit, and the time of that, for the rate.
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

  /// Counts staged bytes.
  mutating func kept(_ count: Int) {
    fetchedBytes += count
    itemKept += count
    itemFetched = max(itemFetched, itemKept)
  }

  /// Counts bytes that the driver has received and holds until they are complete.
  mutating func heard(_ count: Int) {
    heardBytes &+= min(count, ItemFetch.limit)
    itemHeard = min(itemHeard + min(count, ItemFetch.limit), item?.size ?? ItemFetch.limit)
    itemFetched = max(itemFetched, itemHeard)
  }

  /// Payload that came, passed on or not.
  var bytesCame: Int { max(fetchedBytes, heardBytes) }

  /// Bytes a second over the visit's fetching; nil while there is too little data.
  func rate(_ now: Instant) -> Int? {
    let spent = fetching + (fetchSince.map { now - $0 } ?? .zero)
    return spent > .seconds(1) && fetchedBytes > 0 ? Int(Double(fetchedBytes) / spent.inSeconds) : nil
  }
}

/// Trouble that did not end a visit.
struct VisitTroubles {
  var lesser: VisitTrouble?
  /// The last trouble about an order that was not carried out: reported whatever came before it.
  private(set) var order: VisitTrouble?
  private(set) var defects: [String] = []

  /// Notes a trouble; the first one counts.
  mutating func note(_ trouble: VisitTrouble) {
    if lesser == nil { lesser = trouble }
    if case .needsAttention(let reason, _) = trouble, reason.isOfOrders { order = trouble }
  }

  mutating func noteDefect(_ what: String) { if defects.count < HubLink.oddityLimit { defects.append(what) } }
}
