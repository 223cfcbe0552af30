// The heart rate that Polar's straps, bands and watches advertise, as samples: no link is needed for it.

public import Bluetooth
import Health
public import Wearable

extension Polar {
  /// A wearable is one of Polar's: it serves what only these do, or names their maker, as straps without streams do
  /// (`Polar Electro Oy`).
  public static func isShown(_ shown: ShownWearable) -> Bool {
    if shown.services.contains(PSFTP.service) || shown.services.contains(PMD.service) { return true }
    return shown.manufacturer?.lowercased().hasPrefix("polar electro") ?? false
  }

  /// What one wearable says in its manufacturer data (see `HeartRateBlock`): a sample whenever the frame counter says
  /// that it measured anew.
  ///
  /// Manufacturer data without a heart rate says nothing about the one before: wearables alternate them, and a scan
  /// response has its own. A rate of 0 is no measurement. The contact bit decides nothing: models without that sensor
  /// leave it clear, and nothing tells them apart.
  public final class AdvertisedHeartRate: AdvertisementListener {
    private var listener = HeartRateListener()

    public init() {}

    /// The counter goes round in eight measurements, one a second: whoever was not heard for seven of them may say the
    /// same of another one.
    static let roundTrip: Int64 = 7_000_000_000

    public func hear(company: UInt16, _ data: RawBytes, quiet: Int64, into sink: any SampleSink) {
      guard company == Polar.company, let block = Polar.heartRateBlock(in: data) else { return }
      if quiet >= Self.roundTrip { listener.reset() }
      guard let news = listener.take(block), news.heartRate != 0 else { return }
      if news.isUncertain { sink.noteAnomaly("advertised heart rate: a block of more than four bytes") }
      sink.append(Sample(.heartRate, Int64(news.heartRate)))
    }
  }
}
