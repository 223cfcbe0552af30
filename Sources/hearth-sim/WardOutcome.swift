// Results of a run of the ward, besides those of every run.

/// Results for the values that the sensors of a ward sent.
struct WardOutcome: Sendable {
  /// Readings of cuffs that were offered, and those of them that are in the store.
  var readings = 0
  var stored = 0
  /// Readings for which a cuff had no memory left, before they were fetched.
  var lost = 0
  /// Readings that a sensor sent again, because the confirmation never arrived.
  var repeated = 0
  /// Values that are stored twice, because the hub was killed after the commit and before the confirmation.
  var doubled = 0
  /// Records that were fetched; those of an unsure time; the worst error of a sure one, µs.
  var records = 0
  var unsure = 0
  var worstError: Int64 = 0
  /// Steps of the hub's clock.
  var wallSteps = 0

  /// Percent of the readings of cuffs, rounded down to a hundredth: 100 is all of them.
  var share: Double { readings == 0 ? 100 : Double(stored * 10_000 / readings) / 100 }

  var text: String {
    var text = "\n  cuffs: \(stored) of \(readings) readings are in the store: \(share) %"
    text += "; \(repeated) were sent more than once, \(doubled) values are there twice for a kill in between"
    text += "\n  \(records) records fetched, at most \(worstError / 1000) ms from when they were measured"
    text += "; \(unsure) values of an unsure time, the hub's clock stepped \(wallSteps) times"
    return text
  }

  var fields: [(String, String)] {
    [
      ("cuff_readings", "\(readings)"), ("cuff_stored", "\(stored)"), ("cuff_percent", "\(share)"),
      ("cuff_lost", "\(lost)"), ("repeated", "\(repeated)"), ("doubled", "\(doubled)"), ("records", "\(records)"),
      ("unsure", "\(unsure)"),
      ("worst_error_ms", "\(worstError / 1000)"), ("wall_steps", "\(wallSteps)"),
    ]
  }
}
