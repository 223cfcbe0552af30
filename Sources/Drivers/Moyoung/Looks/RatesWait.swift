// How long a clock that is to be moved, and trainings with it, wait for rates that a band does not answer.

import EventLoop
import StateCodec

/// Visits that waited, kept across them.
///
/// A part that is lost on its way comes at the next question: a visit asks for each part two times or more, so six
/// questions without an answer are a part that the band does not have. It keeps three trainings and two days of rates:
/// after a day of rare visits half of that time is left, and each day more than that loses some.
struct RatesWait: RememberedState, Equatable {
  static let name = "moyoung-rates-wait"
  static let visitLimit: UInt8 = 3
  static let limit: Duration = .seconds(86_400)

  /// Of the first of them.
  let since: WallTime
  private(set) var visits: UInt8 = 0

  init(since: WallTime) { self.since = since }

  /// With one more visit.
  var again: RatesWait {
    var next = self
    next.visits = visits < .max ? visits + 1 : visits
    return next
  }

  /// A clock that was put back since does not make it longer.
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
