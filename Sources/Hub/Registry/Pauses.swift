// Whether an enrolled wearable is left alone.

import EventLoop
import RingStore
import StateCodec
import Wearable

extension EnrolledWearable {
  /// Times in which it was left alone, or some of its data was not fetched, by order; written with the record.
  var uncollected: UncollectedSpans {
    get { record.uncollected }
    set { remember(newValue) }
  }

  var isPaused: Bool { choices.pause != nil }

  /// Whether it is paused without an open order. Then it has no link, and no reading of its advertisements either.
  var isLeftAlone: Bool { isPaused && lane.askedAt == nil && !lane.isOrdered }

  func pauseSnapshot(_ loop: any Loop) -> PauseSnapshot? {
    choices.pause.map { pause in
      PauseSnapshot(since: pause.since, until: pause.end.map { $0.shown(loop) })
    }
  }
}
