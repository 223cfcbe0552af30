// Actions that an operator may request of an insole, and the states that permit them. Other transitions of its state
// machine leave sensors suspended or files open.

import Wearable

/// Action, with the only writes that are allowed for it.
///
///     from                     write    to
///     idle                     start 1  running
///     running, paused          stop 1   idle
///     running                  stop 2   paused
///     paused                   start 2  running
///     idle                     start 5  both streams
///     both, foot, orientation  stop 5   idle
enum BotzAction: CaseIterable {
  case startActivity, stopActivity, pause, resume, startStream, stopStream

  static var all: [BotzAction] { allCases }

  var action: WearableAction {
    switch self {
    case .startActivity: WearableAction("start-activity", "Begins to record an activity into a new file.")
    case .stopActivity: WearableAction("stop-activity", "Ends the activity and closes its file.")
    case .pause: WearableAction("pause", "Pauses the activity; its distance begins again at 0.")
    case .resume: WearableAction("resume", "Goes on with a paused activity in the same file.")
    case .startStream:
      WearableAction("stream-start", "Streams foot pressure and orientation; not while an activity is recorded.")
    case .stopStream: WearableAction("stream-stop", "Ends the streams.")
    }
  }

  /// State after the action.
  var goal: Botz.StatusWord.Activity {
    switch self {
    case .startActivity, .resume: .running
    case .stopActivity, .stopStream: .idle
    case .pause: .paused
    case .startStream: .bothStreams
    }
  }

  /// Write that is allowed in a state; nil if no write is.
  func step(from state: Botz.StatusWord.Activity) -> (write: Botz.ControlWrite, goal: Botz.StatusWord.Activity)? {
    switch (self, state) {
    case (.startActivity, .idle): (.start(.session), goal)
    case (.stopActivity, .running), (.stopActivity, .paused): (.stop(.session), goal)
    case (.pause, .running): (.stop(.pause), goal)
    case (.resume, .paused): (.start(.resume), goal)
    case (.startStream, .idle): (.start(.bothStreams), goal)
    // The code of a single stream leaves the flag of the other one undefined, and forces it on at the left foot.
    case (.stopStream, .bothStreams), (.stopStream, .footStream), (.stopStream, .orientationStream):
      (.stop(.bothStreams), goal)
    default: nil
    }
  }

  /// Returns why `step` is nil in a state other than the goal: the action needed first, or that there is no effect.
  func obstacle(in state: Botz.StatusWord.Activity) -> String {
    switch self {
    case .startActivity, .startStream: "first: \(state.isSession ? "stop-activity" : "stream-stop")"
    case .stopActivity, .pause: "no activity is recorded"
    case .resume: "no activity is paused"
    case .stopStream: "no stream runs"
    }
  }

  /// Reads of the status, half a second apart: a file is closed within 5 s, all other changes take at most 2 s.
  var readBacks: Int { self == .stopActivity ? 10 : 4 }

  /// Message in one sentence.
  var success: String {
    switch self {
    case .startActivity: "an activity is being recorded"
    case .stopActivity: "stopped"
    case .pause: "the activity is paused"
    case .resume: "the activity goes on"
    case .startStream: "foot pressure and orientation are streamed"
    case .stopStream: "the streams have ended"
    }
  }
}
