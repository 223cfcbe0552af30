// Whether the Date Time of a wearable goes on, and so is a clock and no time of a measurement.

import StateCodec
import Wearable

/// Remembered of a wearable, so that only its first visits wait for the next second of its clock. Another firmware is
/// judged anew.
struct DateTimeVerdict: RememberedState, Equatable {
  static let name = "clock-runs"
  /// Version 1 said only that it runs, by whatever firmware.
  static var version: UInt16 { 2 }
  static let firmwareLimit = 64

  enum Course: UInt8 {
    case runs = 1
    /// It stood still. A clock that waits to be set does so, too.
    case stands = 2
    /// It was set since.
    case set = 3
    /// It stood still again, or cannot be set.
    case isNone = 4
  }

  let course: Course
  /// nil: the wearable had not said any.
  let firmware: String?

  init(_ course: Course, _ firmware: String?) {
    (self.course, self.firmware) = (course, firmware?.cut(toUTF8: Self.firmwareLimit))
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, course.rawValue)
    if let firmware { fields.put(2, firmware) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var number: UInt8?
    var firmware: String?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&number)
      case 2: fields.read(&firmware, atMost: Self.firmwareLimit)
      default: break
      }
    }
    guard let course = number.flatMap(Course.init) else { return nil }
    self.init(course, firmware)
  }
}

extension WearableLink {
  /// Of this firmware; nil: nothing is known.
  var dateTimeCourse: DateTimeVerdict.Course? {
    remembered(DateTimeVerdict.self).flatMap { kept in
      kept == DateTimeVerdict(kept.course, known.firmware) ? kept.course : nil
    }
  }

  func judgeDateTime(_ course: DateTimeVerdict.Course) throws(VisitTrouble) {
    try remember(DateTimeVerdict(course, known.firmware))
  }
}
