// Sleep that is being recorded: whether it is, and its end where somebody wants the results of a night that is over.

import EventLoop
import PolarMessages
import Wearable

extension PSFTPClient {
  /// It answers with an event at once; what else it says meanwhile is passed over.
  static let sleepPatience: Duration = .seconds(10)
  /// Notifications among which the one about sleep is looked for.
  private static let sleepNotifications = 16

  /// Whether sleep is being recorded; nil where the wearable has no such service.
  ///
  /// - Throws: `silent` where it takes the question and does not answer.
  func isSleepRecorded() async throws(VisitTrouble) -> Bool? {
    do throws(VisitTrouble) {
      guard try await get(Polar.SleepRecording.service) != nil else { return nil }
    } catch {
      // No files of this kind at all.
      guard case .unsupported = error else { throw error }
      return nil
    }
    // The event may be there before the answer to the request.
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

  /// Ends the recording of sleep, and looks whether it ended: the wearable works out the night then, within an hour and
  /// a half.
  ///
  /// - Returns: nil where the wearable has no such service, false where it was not recording.
  func stopSleepRecording() async throws(VisitTrouble) -> Bool? {
    guard let isRecorded = try await isSleepRecorded() else { return nil }
    guard isRecorded else { return false }
    try await put(Polar.SleepRecording.stopPath, Polar.SleepRecording.emptyBody)
    if try await isSleepRecorded() == true { throw .busy(what: "sleep is still recorded", retryAfter: nil) }
    return true
  }
}
