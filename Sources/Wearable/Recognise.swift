// Choice of the driver for a wearable.

extension Recognition {
  /// Priority of drivers that claim any device with a standard service. Drivers of a vendor's family have a higher one.
  public static let standardService = 10
}

/// Driver with the highest priority among those that claim the advertiser. With equal priorities the earlier driver
/// wins, so that a data error never changes the choice between two advertisements.
public func recognise(_ scanResult: ScanResult, among drivers: [any WearableDriver]) -> (
  driver: any WearableDriver, recognition: Recognition
)? {
  var best: (driver: any WearableDriver, recognition: Recognition)?
  for driver in drivers {
    guard let recognition = driver.recognise(scanResult) else { continue }
    if let best, best.recognition.priority >= recognition.priority { continue }
    best = (driver, recognition)
  }
  return best
}
