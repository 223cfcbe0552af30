// Whether a wearable's Date Time advances, and therefore is a clock and not the time of a measurement.

import StateCodec
import Wearable

/// The verdict, stored per wearable, so that only its first visits wait for the next second of its clock. Other
/// firmware is judged again.
struct DateTimeVerdict: RememberedState, Equatable {
  static let name = "clock-runs"
  /// Version 1 only had the verdict that it runs, for any firmware.
  static var version: UInt16 { 2 }
  static let firmwareLimit = 64

  enum Course: UInt8 {
    case runs = 1
    /// Stood still. A clock that waits to be set does that too.
    case stands = 2
    /// Clock that was set after it stood still.
    case set = 3
    /// Stood still again, or cannot be set: not a clock.
    case isNone = 4
  }

  let course: Course
  /// nil if the wearable had not reported its firmware.
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
  /// The verdict for the present firmware; nil if there is no such verdict.
  var dateTimeCourse: DateTimeVerdict.Course? {
    remembered(DateTimeVerdict.self).flatMap { kept in
      kept == DateTimeVerdict(kept.course, known.firmware) ? kept.course : nil
    }
  }

  func judgeDateTime(_ course: DateTimeVerdict.Course) throws(VisitTrouble) {
    try remember(DateTimeVerdict(course, known.firmware))
  }
}
