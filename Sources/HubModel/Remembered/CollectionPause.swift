// That a wearable is left alone until a person says otherwise, or until a time.

public import EventLoop
import RingStore
package import StateCodec
import Wearable

/// By order nothing is collected of a wearable: no visit, no link and no advertised value, unless a person asks.
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

  /// What is left of it is counted once a keeper takes it up.
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

/// For people.
public struct PauseSnapshot: Sendable, Hashable {
  public var since: WallTime
  /// By the clock as it is now; nil: until a person resumes it.
  public var until: WallTime?

  public init(since: WallTime, until: WallTime?) { (self.since, self.until) = (since, until) }
}
