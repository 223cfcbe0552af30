// That a wearable is left alone until a person says otherwise, or until a time.

public import EventLoop
import RingStore
import StateCodec
import Wearable

/// By order nothing is collected of a wearable: no visit, no link and no advertised value, unless a person asks.
struct CollectionPause: RememberedState, Hashable {
  static let name = "paused"
  var since: WallTime
  /// nil: until a person resumes it.
  var end: OrderEnd?

  init(since: WallTime, end: OrderEnd?) { (self.since, self.end) = (since, end) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, since.microseconds)
    end?.write(to: &fields, 2)
  }

  /// What is left of it is counted once a keeper takes it up.
  init?(_ fields: inout FieldReader, version: UInt16) {
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

extension EnrolledWearable {
  /// When it was left alone, or some of it was not fetched, by order; written with the record.
  var uncollected: UncollectedSpans {
    get { record.uncollected }
    set { remember(newValue) }
  }

  var isPaused: Bool { choices.pause != nil }

  /// It is to carry something out for a person, other than to be looked at or listened to.
  var isOrdered: Bool { isMeasuring || !requests.isEmpty || sync?.isOver == false }

  /// It is paused, and nothing was ordered of it: it has no link, also while values of it would be listened to.
  var isLeftAlone: Bool { isPaused && lane.askedAt == nil && !isOrdered }

  func pauseSnapshot(_ loop: any Loop) -> PauseSnapshot? {
    choices.pause.map { pause in
      PauseSnapshot(since: pause.since, until: pause.end.map { $0.shown(loop) })
    }
  }
}
