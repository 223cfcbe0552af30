// One ordered stream: whether it runs, since when and with what, and when it is tried again.

import EventLoop
import Reasons
import Wearable

/// What is known of one stream over one link. Times are the hub's monotonic ones, ns.
struct PolarStream {
  private(set) var plan: PMD.SamplingPlan?
  private var settings = PMD.StreamSettings()
  private(set) var isRunning = false
  /// Not tried before this; nil: at once, or not at all.
  private(set) var until: Int64?
  private var isRefused = false
  /// Why it does not run.
  private var why: String?
  private var failures = 0
  private var beganAt: Int64 = 0
  /// Frames of all kinds at the last look, and when they were more than before.
  private var seen: UInt64 = 0
  private var heardAt: Int64 = 0

  /// Ended once, it is begun anew at once; then after 10, 20, 40 s …, at most this. ns.
  static let longestPause: Int64 = 600_000_000_000
  /// It has run for so long: what ended it before is over. ns.
  static let proven: Int64 = 60_000_000_000
  /// Without a frame for so long it runs no more, whatever the wearable thinks. The slowest, pulse intervals, takes
  /// some 25 s to begin. ns.
  static let silence: Int64 = 60_000_000_000

  func mayBegin(_ now: Int64) -> Bool { isRunning || !isRefused && until.map { now >= $0 } ?? true }

  mutating func began(
    _ plan: PMD.SamplingPlan, _ settings: PMD.StreamSettings, _ tally: PMD.StreamDecoder.Tally, _ now: Int64
  ) {
    (self.plan, self.settings, isRunning, isRefused, until, why) = (plan, settings, true, false, nil, nil)
    (beganAt, heardAt, seen) = (now, now, tally.frames &+ tally.malformed)
  }

  /// By the hub.
  mutating func stopped() { (isRunning, why) = (false, nil) }

  /// By the wearable, or because it is busy: tried again.
  mutating func ended(_ why: String, _ now: Int64) {
    if beganAt > 0, now - beganAt >= Self.proven { failures = 0 }
    let pause: Int64 = failures == 0 ? 0 : min(Self.longestPause, 5_000_000_000 << Int64(min(failures, 10)))
    failures += 1
    (isRunning, until, self.why, beganAt) = (false, now + pause, why, 0)
  }

  /// It is not begun before something else is over.
  mutating func waits(_ why: String) { (isRunning, until, self.why) = (false, nil, why) }

  /// It cannot be had over this link.
  mutating func refused(_ why: String) { (isRunning, isRefused, until, self.why) = (false, true, nil, why) }

  /// Looks whether frames came since the last look.
  mutating func look(_ tally: PMD.StreamDecoder.Tally, _ now: Int64) -> Bool {
    let frames = tally.frames &+ tally.malformed
    if frames != seen { (seen, heardAt) = (frames, now) }
    return isRunning && now - heardAt >= Self.silence
  }

  /// - Parameter shortfall: what of a running one is not as it was ordered.
  func fields(_ tally: PMD.StreamDecoder.Tally, _ shortfall: [ReportRow.Field] = []) -> [ReportRow.Field] {
    var fields = [ReportRow.Field("state", isRunning ? "running" : isRefused ? "refused" : "waiting")]
    if isRefused, !isRunning { fields.append(ReportRow.Field("code", Reason.streamNotBegun.code)) }
    if let why { fields.append(ReportRow.Field("why", why)) }
    if let plan, isRunning {
      if settings.sampleRate > 0 { fields.append(ReportRow.Field("rate_hz", "\(Int(settings.sampleRate))")) }
      for (setting, name) in [(PMD.Setting.range, "range"), (.resolution, "bits")] {
        if let value = plan.selection.values[setting] { fields.append(ReportRow.Field(name, "\(value)")) }
      }
      if plan.isInSDKMode { fields.append(ReportRow.Field("mode", "sdk")) }
    }
    return fields + shortfall
      + [
        ("frames", tally.frames), ("malformed", tally.malformed), ("gaps", tally.gaps),
        ("missing_samples", tally.missing),
      ].map { ReportRow.Field($0.0, "\($0.1)") }
  }
}
