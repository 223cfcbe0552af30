// Names of the phases of a visit.

/// Names of the kinds of data that wearables store, as people type them. A configuration file that selects among them
/// is checked without the drivers. A test compares this list with theirs.
public enum Phases {
  /// Names, ascending.
  public static let names: [String] = [
    "activity", "automatic-samples", "blood-pressure", "blood-pressure-manual", "exercises", "heart-rate",
    "heart-rate-manual", "nightly-recharge", "observations", "oxygen-tests", "recordings", "respiration",
    "respiration-manual", "resting-heart-rate", "sessions", "skin-temperature", "sleep", "spo2", "spo2-manual",
    "sport", "spot-checks", "steps", "stress", "stress-manual", "temperature", "temperature-manual",
    "training-rates", "trainings",
  ]
}
