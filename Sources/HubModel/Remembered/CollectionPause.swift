// Pause of a wearable by order, until a time or until a person resumes it.

public import EventLoop
import RingStore
package import StateCodec
import Wearable

/// The hub collects no data of this wearable, by order: no visit, no link and no advertised value, unless a person
/// asks.
package struct CollectionPause: RememberedState, Hashable {
  package static let name = "paused"
  package var since: WallTime
  /// nil: until a person resumes it.
  package var end: OrderEnd?

  package init(since: WallTime, end: OrderEnd?) { (self.since, self.end) = (since, end) }

  package func write(to fields: inout FieldWriter) {
    fields.put(1, since.microseconds)
    end?.write(to: &fields, 2)
  }

  /// The remaining time counts from the moment at which a keeper takes it up.
  package init?(_ fields: inout FieldReader, version: UInt16) {
    var since: Int64?
    var end: OrderEnd?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&since)
      case 2:
        end = OrderEnd(fields.nested, Instant(nanoseconds: 0))
        if end == nil { fields.refuse() }
      default: break
      }
    }
    guard let since else { return nil }
    self.init(since: WallTime(microseconds: since), end: end)
  }
}

/// Shown to people.
public struct PauseSnapshot: Sendable, Hashable {
  /// Begin of the pause.
  public var since: WallTime
  /// End by the clock as it is set now; nil: until a person resumes it.
  public var until: WallTime?

  /// A pause; `until` nil: until a person ends it.
  public init(since: WallTime, until: WallTime?) { (self.since, self.until) = (since, until) }
}
