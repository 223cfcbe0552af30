// What one transfer comes to: how many values, from when to when, and what of it cannot be stored as a value.

import Bluetooth
import Health
import Reasons
import Wearable

/// Counted item by item, so that it can be done piece by piece.
struct HistorySurvey: Sendable {
  private(set) var items = 0
  private(set) var values = 0
  /// Values of a time that is not sure.
  private(set) var unsure = 0
  /// Values that say that they are yet to come, and that nothing explains.
  private(set) var ahead = 0
  /// Values of a moment that is about to come: the hub's clock was put back a little. They are left until then, as they
  /// would be stored once as of now and later at their time.
  private(set) var early = 0
  /// Stretches of bytes that are no record.
  private(set) var unread = 0
  /// How long one of these is is not known.
  private(set) var isTorn = false
  /// µs of the hub's clock.
  private var first = Int64.max
  private var last = Int64.min

  var span: Range<Int64>? { first < last ? first..<last : nil }

  mutating func note(_ item: HistoryCursor.Item, _ placing: inout HistoryPlacing) {
    items += 1
    if placing.kind.isNone(item) { return }
    values += 1
    let place = placing.place(item)
    if place.era == nil, placing.isAhead(item) {
      ahead += 1
      return
    }
    if placing.isEarly(place) {
      early += 1
      return
    }
    if !place.isSure { unsure += 1 }
    first = min(first, place.time)
    last = max(last, place.time.saturatingAdd(item.length))
  }

  /// All of a transfer at once.
  init(_ bytes: RawBytes, _ kind: HistoryKind, _ placing: HistoryPlacing) {
    self.init()
    var placing = placing
    guard var cursor = HistoryReading(kind).cursor(bytes) else { return }
    while let item = cursor.nextSound(bytes) { note(item, &placing) }
    end(cursor)
  }

  init() {}

  /// - Parameter cursor: behind the last item.
  mutating func end(_ cursor: HistoryCursor) { (unread, isTorn) = (cursor.unread, cursor.isTorn) }

  /// The band may be told to forget all of it: what is no value in the store is none, or cannot be read for certain.
  var isComplete: Bool { left == 0 && !isTorn }
  /// Values that are yet to come.
  var left: Int { ahead + early }

  var summary: String {
    var parts = ["\(items) items, \(values) values"]
    if unsure > 0 { parts.append("\(unsure) of them at times that are not sure") }
    if early > 0 { parts.append("\(early) left on the band until their minute has come") }
    return parts.joined(separator: ", ")
  }

  /// What the hub tells people of it.
  ///
  /// - Parameter isClockMoved: another program had set the clock.
  func notices(isClockMoved: Bool) -> [ItemNotice] {
    var notices: [ItemNotice] = []
    if unread > 0 {
      let stays = isTorn ? ", and all stay on the band" : ""
      notices.append(ItemNotice(.recordUnreadable, "\(unread) records cannot be read; the others are stored\(stays)"))
    }
    if isClockMoved {
      notices.append(
        ItemNotice(
          .clockMovedElsewhere,
          "its clock was not as this hub had set it; \(unsure) values have times that are not sure"))
    }
    if ahead > 0 {
      notices.append(ItemNotice(.valuesAhead, "\(ahead) values are dated ahead of now; refused, they stay on the band"))
    }
    return notices
  }
}
