// An operator's order to delete stored records, kept until it is executed or a day has passed.

import EventLoop
import StateCodec
import Wearable

/// Order without which no record is deleted.
struct RemovalOrder: RememberedState {
  static let name = "records-remove"

  /// s since 1970.
  let seconds: Int64

  /// The order concerns the present records; deleting later ones takes another order.
  static let life: Int64 = 86_400

  init(_ now: HubTime) { seconds = now.wall.microseconds / 1_000_000 }

  func stands(at now: HubTime) -> Bool {
    let (age, overflow) = (now.wall.microseconds / 1_000_000).subtractingReportingOverflow(seconds)
    return !overflow && (0..<Self.life).contains(age)
  }

  func write(to fields: inout FieldWriter) { fields.put(1, seconds) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var seconds: Int64?
    while let tag = fields.next() { if tag == 1 { fields.read(&seconds) } }
    guard let seconds else { return nil }
    self.seconds = seconds
  }
}
