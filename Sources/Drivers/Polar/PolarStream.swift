// An ordered stream: whether it runs, since when and with which settings, and when it is tried again.

import EventLoop
import Reasons
import Wearable

/// State of one stream over one link. Times are the hub's monotonic ones, ns.
struct PolarStream {
  private(set) var plan: PMD.SamplingPlan?
  private var settings = PMD.StreamSettings()
  private(set) var isRunning = false
  /// Time of the next try; nil to try at once, or never again.
  private(set) var until: Int64?
  private var isRefused = false
  /// Reason why it does not run.
  private var why: String?
  private var failures = 0
  private var beganAt: Int64 = 0
  /// Number of frames at the last look, and the time of the last increase.
  private var seen: UInt64 = 0
  private var heardAt: Int64 = 0

  /// Longest pause, ns. After it ended a stream is restarted at once, then after 10, 20, 40 s …, at most this.
  static let longestPause: Int64 = 600_000_000_000
  /// Time of running after which earlier failures no longer count, ns.
  static let proven: Int64 = 60_000_000_000
  /// Time without a frame, ns, after which the stream counts as ended, whatever the wearable reports. Pulse intervals
  /// are the slowest to begin, after some 25 s.
  static let silence: Int64 = 60_000_000_000

  func mayBegin(_ now: Int64) -> Bool { isRunning || !isRefused && until.map { now >= $0 } ?? true }

  mutating func began(
    _ plan: PMD.SamplingPlan, _ settings: PMD.StreamSettings, _ tally: PMD.StreamDecoder.Tally, _ now: Int64
  ) {
    (self.plan, self.settings, isRunning, isRefused, until, why) = (plan, settings, true, false, nil, nil)
    (beganAt, heardAt, seen) = (now, now, tally.frames &+ tally.malformed)
  }

  /// Stopped by the hub.
  mutating func stopped() { (isRunning, why) = (false, nil) }

  /// Ended by the wearable, or refused because it is busy: tried again.
  mutating func ended(_ why: String, _ now: Int64) {
    if beganAt > 0, now - beganAt >= Self.proven { failures = 0 }
    let pause: Int64 = failures == 0 ? 0 : min(Self.longestPause, 5_000_000_000 << Int64(min(failures, 10)))
    failures += 1
    (isRunning, until, self.why, beganAt) = (false, now + pause, why, 0)
  }

  /// Notes that it is not begun until another activity is over.
  mutating func waits(_ why: String) { (isRunning, until, self.why) = (false, nil, why) }

  /// Notes that it is not available over this link.
  mutating func refused(_ why: String) { (isRunning, isRefused, until, self.why) = (false, true, nil, why) }

  /// Checks for new frames.
  ///
  /// - Returns: whether the stream fell silent.
  mutating func look(_ tally: PMD.StreamDecoder.Tally, _ now: Int64) -> Bool {
    let frames = tally.frames &+ tally.malformed
    if frames != seen { (seen, heardAt) = (frames, now) }
    return isRunning && now - heardAt >= Self.silence
  }

  /// - Parameter shortfall: how a running stream differs from its order.
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
