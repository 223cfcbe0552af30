// What an insole streams while its status shows an activity, and how that is begun.

import Health

extension Botz.StatusWord.Activity {
  /// What comes while it shows.
  var series: Set<Series> {
    switch self {
    case .footStream: [.footPressure]
    case .orientationStream: [.orientation]
    case .bothStreams: [.footPressure, .orientation]
    case .idle, .running, .paused: []
    }
  }

  /// Of a stream.
  var startCode: Botz.StartCode {
    switch self {
    case .footStream: .footStream
    case .orientationStream: .orientationStream
    default: .bothStreams
    }
  }
}
