// Summary of one transfer: number and time span of its values, and what cannot be stored as a value.

import Bluetooth
import Health
import Reasons
import Wearable

/// Counts item by item, so that it can run in pieces.
struct HistorySurvey: Sendable {
  private(set) var items = 0
  private(set) var values = 0
  /// Values with an unsure time.
  private(set) var unsure = 0
  /// Values dated in the future that no era explains.
  private(set) var ahead = 0
  /// Values of the next moments, because the hub's clock was set back a little. Until then such values stay on the
  /// band: otherwise they would be stored as of now, and later again at their own time.
  private(set) var early = 0
  /// Runs of bytes that are no record.
  private(set) var unread = 0
  /// Whether the length of such a run is unknown.
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

  /// Surveys a whole transfer at once.
  init(_ bytes: RawBytes, _ kind: HistoryKind, _ placing: HistoryPlacing) {
    self.init()
    var placing = placing
    guard var cursor = HistoryReading(kind).cursor(bytes) else { return }
    while let item = cursor.nextSound(bytes) { note(item, &placing) }
    end(cursor)
  }

  init() {}

  /// - Parameter cursor: after the last item.
  mutating func end(_ cursor: HistoryCursor) { (unread, isTorn) = (cursor.unread, cursor.isTorn) }

  /// Whether the band may erase all of it: every value is stored, and the rest has no value or is certainly unreadable.
  var isComplete: Bool { left == 0 && !isTorn }
  /// Number of values that are dated in the future and stay on the band.
  var left: Int { ahead + early }

  var summary: String {
    var parts = ["\(items) items, \(values) values"]
    if unsure > 0 { parts.append("\(unsure) of them at uncertain times") }
    if early > 0 { parts.append("\(early) left on the band until their minute has come") }
    return parts.joined(separator: ", ")
  }

  /// Notices for operators.
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
          "its clock was not as this hub had set it; \(unsure) values have uncertain times"))
    }
    if ahead > 0 {
      notices.append(ItemNotice(.valuesAhead, "\(ahead) values are dated ahead of now; refused, they stay on the band"))
    }
    return notices
  }
}
