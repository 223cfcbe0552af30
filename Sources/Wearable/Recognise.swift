// Which driver a wearable belongs to.

extension Recognition {
  /// For drivers that claim whatever carries a standard service. Drivers that know a vendor's family claim above it.
  public static let standardService = 10
}

/// The driver with the highest priority among those that claim the advertiser; the earlier one where priorities are
/// equal, so that a fault in the data never changes the choice from one advertisement to the next.
public func recognise(_ sighting: Sighting, among drivers: [any WearableDriver]) -> (
  driver: any WearableDriver, recognition: Recognition
)? {
  var best: (driver: any WearableDriver, recognition: Recognition)?
  for driver in drivers {
    guard let recognition = driver.recognise(sighting) else { continue }
    if let best, best.recognition.priority >= recognition.priority { continue }
    best = (driver, recognition)
  }
  return best
}
