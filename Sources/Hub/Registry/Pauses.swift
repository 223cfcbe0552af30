// Whether an enrolled wearable is left alone.

import EventLoop
import RingStore
import StateCodec
import Wearable

extension EnrolledWearable {
  /// When it was left alone, or some of it was not fetched, by order; written with the record.
  var uncollected: UncollectedSpans {
    get { record.uncollected }
    set { remember(newValue) }
  }

  var isPaused: Bool { choices.pause != nil }

  /// It is paused, and nothing was ordered of it: it has no link, also while values of it would be listened to.
  var isLeftAlone: Bool { isPaused && lane.askedAt == nil && !lane.isOrdered }

  func pauseSnapshot(_ loop: any Loop) -> PauseSnapshot? {
    choices.pause.map { pause in
      PauseSnapshot(since: pause.since, until: pause.end.map { $0.shown(loop) })
    }
  }
}
