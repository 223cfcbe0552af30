// Names of the phases of a visit.

/// The kinds of data that wearables keep, by the names under which people ask for them. A file that chooses among them
/// is checked without the families; a test compares the list with what these say.
public enum Phases {
  public static let names: [String] = [
    "activity", "automatic-samples", "blood-pressure", "blood-pressure-manual", "exercises", "heart-rate",
    "heart-rate-manual", "nightly-recharge", "observations", "oxygen-tests", "recordings", "respiration",
    "respiration-manual", "resting-heart-rate", "sessions", "skin-temperature", "sleep", "spo2", "spo2-manual",
    "sport", "spot-checks", "steps", "stress", "stress-manual", "temperature", "temperature-manual",
    "training-rates", "trainings",
  ]
}
