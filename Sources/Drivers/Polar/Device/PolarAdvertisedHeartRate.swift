// The heart rate in advertisements of Polar's straps, bands and watches, as samples. No link is needed.

public import Bluetooth
import Health
public import Wearable

extension Polar {
  /// Whether a wearable has proved over a link that it is Polar's. Services that only Polar's have prove it, and so
  /// does the manufacturer name (`Polar Electro Oy`) that straps without streams report.
  public static func isShown(_ shown: ShownWearable) -> Bool {
    if shown.services.contains(PSFTP.service) || shown.services.contains(PMD.service) { return true }
    return shown.manufacturer?.lowercased().hasPrefix("polar electro") ?? false
  }

  /// Samples from one wearable's manufacturer data (see `HeartRateBlock`): one whenever the frame counter changes.
  ///
  /// Manufacturer data without a heart rate does not affect the one before: wearables alternate them, and a scan
  /// response has its own. A rate of 0 is not a measurement. The contact bit is ignored: models without a contact
  /// sensor leave it clear, and cannot be distinguished.
  public final class AdvertisedHeartRate: AdvertisementListener {
    private var listener = HeartRateListener()

    /// A listener for one wearable.
    public init() {}

    /// ns. The counter wraps after eight measurements, one a second. After a silence of seven seconds the same counter
    /// may mean a new measurement.
    static let roundTrip: Int64 = 7_000_000_000

    /// Takes manufacturer data. `quiet`: nanoseconds since the last advertisement; after a round of the counter it
    /// starts again.
    public func hear(company: UInt16, _ data: RawBytes, quiet: Int64, into sink: any SampleSink) {
      guard company == Polar.company, let block = Polar.heartRateBlock(in: data) else { return }
      if quiet >= Self.roundTrip { listener.reset() }
      guard let news = listener.take(block), news.heartRate != 0 else { return }
      if news.isUncertain { sink.noteAnomaly("advertised heart rate: a block of more than four bytes") }
      sink.append(Sample(.heartRate, Int64(news.heartRate)))
    }
  }
}
