// Whether the wearer is up while sleep is still being recorded, judged by the steps since the recording was first seen.

import EventLoop
import Health
import PolarMessages
import Wearable

/// The rule, pure. A recording that is ended at night cannot be repaired, and one that is ended late costs an hour.
/// Every doubt therefore favours the sleeper.
enum PolarWaking {
  /// Hours of the wearable's day in which sleep is queried, and hours in which its recording may be ended.
  static let asked = 2..<20, ended = 5..<20
  /// Shortest time from the first visit that saw the recording to its end, µs: before lying down by day, people have
  /// walked.
  static let seenFor: Int64 = 2 * 3_600_000_000
  /// Period before now that is evaluated, µs.
  static let window: Int64 = 3_600_000_000
  /// Shortest time from the first to the last minute of walking within the window, and longest time from the last one
  /// to now, µs. A way through the house at night is shorter, and after lying down again there are no more steps.
  static let span: Int64 = 30 * 60_000_000, pause: Int64 = 15 * 60_000_000
  /// Minutes of walking within the window, the steps of such a minute, and steps in all.
  static let minutes = 10, stepsOfMinute = 10, steps = 300

  /// Hour of the day.
  static func hour(_ now: Int64) -> Int {
    Int((now % 86_400_000_000 + 86_400_000_000) % 86_400_000_000 / 3_600_000_000)
  }

  /// - Parameters:
  ///   - seen: when a visit first saw this recording, µs of the wearable's clock, like `now`.
  ///   - day: the day's steps so far.
  static func isUp(_ day: PbActivitySamples, seen: Int64, now: Int64) -> Bool {
    guard ended.contains(hour(now)), now.saturatingAdd(-seenFor) >= seen else { return false }
    guard let start = day.startTime.moment?.microseconds, let length = day.stepsRecordingInterval.spacing, length > 0,
      length <= 60_000_000 * 5
    else { return false }
    let from = max(seen, now - window)
    let least = Int64(stepsOfMinute) * max(1, length / 60_000_000)
    var (first, last, walking, sum) = (Int64.max, Int64.min, Int64(0), Int64(0))
    for (index, count) in day.stepsSamples.enumerated() {
      let time = start.saturatingAdd(Int64(index) * length)
      guard time >= from, time < now else { continue }
      sum = sum.saturatingAdd(Int64(count))
      guard Int64(count) >= least else { continue }
      (first, last, walking) = (min(first, time), max(last, time), walking + length)
    }
    return walking >= Int64(minutes) * 60_000_000 && sum >= Int64(steps) && last - first >= span && now - last <= pause
  }
}

extension PolarSession {
  /// Ends the recording of sleep if the wearer is up, so that the night's results come. Only within a sync: its
  /// beginning makes the wearable write its day. Files are fetched even if this fails.
  ///
  /// - Parameter now: time of the wearable's clock; nil if it is unknown, and no recording is then ended.
  func endNightIfUp(_ now: Int64?) async throws(VisitTrouble) {
    guard let now, keepsDays, PolarWaking.asked.contains(PolarWaking.hour(now)) else { return }
    do throws(VisitTrouble) {
      guard try await transfer.isSleepRecorded() == true else { return forgetSleep() }
      guard let seen = sleepSeen(now) else { return try link.remember(PolarSleepSeen(seconds: now / 1_000_000)) }
      guard PolarWaking.ended.contains(PolarWaking.hour(now)), now - seen >= PolarWaking.seenFor else { return }
      guard try await showsWalking(seen, now) else { return }
      _ = try await transfer.stopSleepRecording()
      link.note("the recording of sleep was ended: its wearer is up")
      forgetSleep()
    } catch {
      switch error {
      case .link, .busy(_, .some): throw error
      default: link.note("the recording of sleep was not looked at: \(error)")
      }
    }
  }

  private func showsWalking(_ seen: Int64, _ now: Int64) async throws(VisitTrouble) -> Bool {
    let folder = PolarFile.folder(of: ClockFace(microseconds: now).date) + "ACT/"
    for entry in try await transfer.list(folder)?.entries.suffix(Self.activityFiles) ?? [] {
      guard let file = PolarFile(path: folder + entry.name), file.kind == .activitySamples,
        let bytes = try await transfer.get(file.path, limit: PolarFiles.samplesLimit),
        case .activity(let day)? = bytes.withUnsafeBytes({ try? FileContents(file, $0) })
      else { continue }
      if PolarWaking.isUp(day, seen: seen, now: now) { return true }
    }
    return false
  }

  /// Maximum number of files of one day that are read.
  private static let activityFiles = 4

  /// A time of today that is not in the future: any other belongs to another recording, or another clock.
  private func sleepSeen(_ now: Int64) -> Int64? {
    guard let seen = link.remembered(PolarSleepSeen.self)?.seconds, seen * 1_000_000 <= now,
      ClockFace(microseconds: seen * 1_000_000).date == ClockFace(microseconds: now).date
    else { return nil }
    return seen * 1_000_000
  }

  private func forgetSleep() { link.forget(PolarSleepSeen.self) }
}
