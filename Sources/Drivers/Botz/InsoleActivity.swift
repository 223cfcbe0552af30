// Streams of an insole for each activity in its status, and the code that starts them.

import Health

extension Botz.StatusWord.Activity {
  /// Series that are streamed in this state.
  var series: Set<Series> {
    switch self {
    case .footStream: [.footPressure]
    case .orientationStream: [.orientation]
    case .bothStreams: [.footPressure, .orientation]
    case .idle, .running, .paused: []
    }
  }

  /// Start code of a stream.
  var startCode: Botz.StartCode {
    switch self {
    case .footStream: .footStream
    case .orientationStream: .orientationStream
    default: .bothStreams
    }
  }
}
