// Known misbehaviour of Polar's wearables, as data. NOTES.md describes what the driver does about each.

public import Wearable

extension Polar {
  /// A known misbehaviour of some models, in a range of firmware versions.
  public struct KnownIssue: Sendable, Hashable {
    public let id: String
    /// Model keys; empty for all models.
    public let models: Set<String>
    /// The first version with the issue; nil if it was there from the beginning.
    public let from: FirmwareVersion?
    /// The first version without the issue; nil if no such version is known.
    public let fixedIn: FirmwareVersion?
    /// Effect for the hub.
    public let effect: String
    /// Source of the knowledge.
    public let source: String

    /// Whether a model with this firmware may have the issue.
    ///
    /// - Parameter firmware: nil if unknown; every issue of the model then applies.
    public func affects(_ modelKey: String, _ firmware: FirmwareVersion?) -> Bool {
      guard models.isEmpty || models.contains(modelKey) else { return false }
      guard let firmware else { return true }
      return firmware >= from ?? FirmwareVersion(0) && fixedIn.map { firmware < $0 } ?? true
    }

    /// Description for messages and logs.
    public var quirk: Quirk {
      let names = models.isEmpty ? "all models" : models.sorted().joined(separator: ", ")
      let versions =
        switch (from, fixedIn) {
        case (nil, nil): "all firmware"
        case (let from?, nil): "\(from) and later"
        case (nil, let fixed?): "before \(fixed)"
        case (let from?, let fixed?): "\(from) until before \(fixed)"
        }
      return Quirk(id, affects: names + ": " + versions, effect: effect, source: source)
    }
  }

  /// Known issues of a model with this firmware.
  public static func issues(of modelKey: String, _ firmware: FirmwareVersion?) -> [KnownIssue] {
    knownIssues.filter { $0.affects(modelKey.lowercased(), firmware) }
  }

  /// Misbehaviour that is known.
  public static let knownIssues: [KnownIssue] = [
    issue(
      "ppg-rate-overstated", ["sense"], from: FirmwareVersion(1, 1, 5), fixedIn: FirmwareVersion(2, 1, 0),
      "its settings say 135 Hz for PPG outside of SDK mode, it measures at 55 Hz: time stamps are made with 55"),
    issue(
      "battery-frozen", ["sense"], fixedIn: FirmwareVersion(2, 2, 6),
      "its battery level stands still while it hangs on USB, which it does not report: shown as it is"),
    issue(
      "stream-clock-late", ["sense", "oh1"],
      """
      time stamps of streams follow a clock that was set only after the next power cycle: streams are timed by their \
      arrival, recordings from the start in their files
      """
    ),
    issue(
      "ppg-rate-understated", ["oh1"],
      "its settings say 130 Hz for PPG, it measures at 135 Hz: time stamps are made with 135"),
    issue(
      "strap-off", ["h10"],
      "off the body it hangs up after 45 s, in the middle of a transfer too: fetching goes on at the next link"),
    issue(
      "stream-left-on", ["h10"],
      """
      a stream of ECG or acceleration that is not stopped goes on without a link until the battery is empty: streams \
      are stopped before every end
      """
    ),
    issue(
      "ppg-drift", ["360"], from: FirmwareVersion(2, 0, 8),
      "the clock of its PPG drifts: samples are spread between the time stamps of frames, not counted by the rate"),
    issue(
      "clock-lost-off-body", ["h10", "h9"],
      "a minute off the body without a link and its clock is at 2019-01-01 again: no stored value depends on it",
      source: documents("explanation of the time system")),
    issue(
      "clock-lost-empty", ["sense", "oh1"], "an empty battery loses the clock",
      source: documents("explanation of the time system")),
    issue(
      "clock-lost-in-storage", ["360", "loop gen 2"],
      "switched off it loses the clock, hibernating after a week: set at the first visit",
      source: documents("product documents of Polar 360")),
    issue(
      "local-time-unread", ["h10"], "it takes the local time and does not report it (`NOT_IMPLEMENTED`)",
      source: documents("time commands")),
    issue(
      "ppi-slows-heart-rate", ["sense", "oh1"],
      """
      while PPI is on, heart rate comes every 5 s and the first intervals after about 25 s; a running training ends: \
      it is not begun then
      """,
      source: documents("product documents of PPI")),
    issue(
      "files-in-sensor-mode-only", ["sense"],
      "files are served in sensor mode only (`SYSTEM_BUSY` else): come back later",
      source: documents("product documents of Verity Sense")),
    issue(
      "exercise-trigger-without-ppi", ["sense"],
      "recordings that begin with an exercise do not take PPI (`ERROR_NOT_SUPPORTED`): not asked for",
      source: documents("product documents of Verity Sense")),
    issue(
      "stream-on-screen-only", ["vantage v3", "vantage m3", "grit x2", "grit x2 pro"],
      """
      streams only while its screen before a training is shown, intervals end with the training's begin: begun as \
      soon as it lets
      """,
      source: documents("product documents of watches")),
    issue(
      "bonds-once", ["360", "loop gen 2"], "it bonds with one host; another needs a factory reset",
      source: documents("product documents of Polar 360")),
    issue(
      "recording-appears-late", ["sense", "360", "loop gen 2"],
      "the file of a recording may appear five minutes after its start",
      source: documents("documents of offline recording")),
  ]

  private static func issue(
    _ id: String, _ models: Set<String>, from: FirmwareVersion? = nil, fixedIn: FirmwareVersion? = nil,
    _ effect: String, source: String = documents("known issues")
  ) -> KnownIssue {
    KnownIssue(id: id, models: models, from: from, fixedIn: fixedIn, effect: effect, source: source)
  }

  private static func documents(_ which: String) -> String { "polar-ble-sdk 8.0.0, " + which }
}
