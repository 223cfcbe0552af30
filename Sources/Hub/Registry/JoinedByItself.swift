// The stored mark of a wearable that joined by itself.

import EventLoop
import RingStore
import StateCodec

/// The wearable joined by itself and has brought no data yet. Deleted with the first value, or when a person accepts
/// it.
struct JoinedByItself: RememberedState {
  static let name = "joined-by-itself"
  var at: WallTime

  init(at: WallTime) { self.at = at }

  func write(to fields: inout FieldWriter) { fields.put(1, at.microseconds) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var at: Int64?
    while let tag = fields.next() { if tag == 1 { fields.read(&at) } }
    guard let at else { return nil }
    self.at = WallTime(microseconds: at)
  }
}
