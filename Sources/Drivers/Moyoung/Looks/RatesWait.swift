// Limit of the wait for missing rates, during which a clock is not moved and trainings are not stored.

import EventLoop
import StateCodec

/// Number of visits that waited, kept across visits.
///
/// A part that was lost on the way comes with the next request. A visit requests each part at least twice, so after six
/// requests without an answer the band does not have it. The band keeps three trainings and two days of rates. If
/// visits are rare, half of that time is left after a day, and each further day loses some.
struct RatesWait: RememberedState, Equatable {
  static let name = "moyoung-rates-wait"
  static let visitLimit: UInt8 = 3
  static let limit: Duration = .seconds(86_400)

  /// Time of the first waiting visit.
  let since: WallTime
  private(set) var visits: UInt8 = 0

  init(since: WallTime) { self.since = since }

  /// Record with one more visit.
  var again: RatesWait {
    var next = self
    next.visits = visits < .max ? visits + 1 : visits
    return next
  }

  /// Whether the wait is over. A hub clock that was set back since does not prolong it.
  func isOver(_ now: WallTime) -> Bool {
    visits >= Self.visitLimit || now - since >= Self.limit || now < since
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, since.microseconds)
    fields.put(2, visits)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var since: Int64?
    var visits: UInt8?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&since)
      case 2: fields.read(&visits)
      default: break
      }
    }
    guard let since, let visits else { return nil }
    self.init(since: WallTime(microseconds: since))
    self.visits = visits
  }
}
