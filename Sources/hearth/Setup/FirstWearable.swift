// After a first set-up without questions: the one wearable that is held close to the box may join, so that there is
// something to see. For half a minute, one, and only where the hub knows none.

import Configuration
import EventLoop
import Glibc
import HubProtocol
import Reasons

struct FirstWearable {
  let session: Session
  /// It was started a moment ago.
  let isFresh: Bool
  /// Seconds for the hub to answer, which it does within one when it was started anew, and for its radio.
  static let patienceForHub: Int64 = 15
  /// Seconds to hold a wearable close. An advertisement comes within two.
  static let patience: Int64 = 30

  enum Outcome {
    /// By the name that it has now.
    case joined(String)
    case nobodyNear
    /// The hub has wearables, lets nobody join, or does not answer.
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

  /// A hub that was just started takes a moment.
  private func client() -> ControlClient? {
    let end = monotonicMilliseconds() + (isFresh ? Self.patienceForHub * 1000 : 0)
    while true {
      if let client = try? session.connect() { return client }
      if monotonicMilliseconds() >= end { return nil }
      usleep(200_000)
    }
  }
}
