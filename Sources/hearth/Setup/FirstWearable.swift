// First wearable after a set-up without questions, so that there is something to see. For half a minute, the wearable
// held close to the box may join: only one, and only if the hub has none yet.

import Configuration
import EventLoop
import Glibc
import HubProtocol
import Reasons

struct FirstWearable {
  let session: Session
  /// The daemon was started a moment ago.
  let isFresh: Bool
  /// Seconds for the hub to answer and for its radio. A restarted hub answers within one second.
  static let patienceForHub: Int64 = 15
  /// Seconds to hold a wearable close. An advertisement comes within two seconds.
  static let patience: Int64 = 30

  enum Outcome {
    /// Enrolled, with its present name.
    case joined(String)
    case nobodyNear
    /// The hub has wearables, enrolment is closed, or the hub does not answer.
    case notAsked
  }

  func join() -> Outcome {
    guard let client = client(), let devices = try? client.devices().devices,
      !devices.contains(where: \.enrolled),
      let before = try? client.enrollList().enrolment, before.mode == .window,
      !before.open,
      (try? client.enrollOpen(.init(seconds: Int(Self.patience) + 10))) != nil
    else { return .notAsked }
    defer { try? client.enrollClose() }
    let begin = monotonicMilliseconds()
    while monotonicMilliseconds() < begin + Self.patience * 1000 {
      if monotonicMilliseconds() > begin + (isFresh ? Self.patienceForHub * 1000 : 0),
        let status = try? client.status().status, status.radio.state != .ready
      {
        return .nobodyNear
      }
      if let found = try? client.enrollList().enrolment, let loudest = loudest(found),
        let joined = try? client.enrollAccept(.init(which: loudest.address), patience: 60).device
      {
        return .joined(joined.name)
      }
      usleep(500_000)
    }
    return .nobodyNear
  }

  private func loudest(_ found: EnrolmentDocument) -> EnrolmentDocument.Candidate? {
    found.candidates.filter(\.near).max { ($0.rssi ?? -128) < ($1.rssi ?? -128) }
  }

  /// Client of the hub. A hub that was just started gets some time to answer.
  private func client() -> ControlClient? {
    let end = monotonicMilliseconds() + (isFresh ? Self.patienceForHub * 1000 : 0)
    while true {
      if let client = try? session.connect() { return client }
      if monotonicMilliseconds() >= end { return nil }
      usleep(200_000)
    }
  }
}
