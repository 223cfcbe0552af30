// Recording of sleep: whether it runs, and its end, which makes the wearable compute the night's results.

import EventLoop
import PolarMessages
import Wearable

extension PSFTPClient {
  /// Timeout of the event with the state, which comes at once. Other notifications are skipped.
  static let sleepPatience: Duration = .seconds(10)
  /// Maximum number of notifications that are searched for the one about sleep.
  private static let sleepNotifications = 16

  /// Whether sleep is being recorded; nil if the wearable has no such service.
  ///
  /// - Throws: `silent` if it accepts the request and does not answer.
  func isSleepRecorded() async throws(VisitTrouble) -> Bool? {
    do throws(VisitTrouble) {
      guard try await get(Polar.SleepRecording.service) != nil else { return nil }
    } catch {
      // The wearable has no files of this kind.
      guard case .unsupported = error else { throw error }
      return nil
    }
    // The event may arrive before the answer to the request.
    try await hearDevice()
    while pendingNotification() != nil {}
    try await put(Polar.SleepRecording.subscribePath, Polar.SleepRecording.emptyBody)
    for _ in 0..<Self.sleepNotifications {
      let raw = try await nextNotification(within: Self.sleepPatience)
      guard case .restEvent(let event)? = PSFTP.DeviceEvent(raw)?.content else { continue }
      if let state = try? Polar.SleepRecording.state(
        of: event.event.map { Array($0) }, isCompressed: !event.uncompressed)
      {
        return state
      }
    }
    throw .silent(what: "whether sleep is recorded")
  }

  /// Ends the recording of sleep, and checks that it ended. The wearable then computes the night within an hour and a
  /// half.
  ///
  /// - Returns: nil if the wearable has no such service, false if it was not recording.
  func stopSleepRecording() async throws(VisitTrouble) -> Bool? {
    guard let isRecorded = try await isSleepRecorded() else { return nil }
    guard isRecorded else { return false }
    try await put(Polar.SleepRecording.stopPath, Polar.SleepRecording.emptyBody)
    if try await isSleepRecorded() == true { throw .busy(what: "sleep is still recorded", retryAfter: nil) }
    return true
  }
}
