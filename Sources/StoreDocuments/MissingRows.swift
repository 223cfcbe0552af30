// Rows that an export could not give, as text for its reader.

public import Export
public import HubProtocol
public import RingStore

extension MissingRowsDocument {
  /// Converts a gap, with the name of its wearable.
  public init(_ gap: SampleGap, _ names: SampleExport) {
    let place = gap.place
    self.init(
      device: place.map { names.name(of: $0.wearable) }, address: place.map { names.address(of: $0.wearable) },
      enrolment: place.map { Int($0.wearable.number) }, series: place.map { $0.series.name },
      way: place.map { $0.way.name }, from: place.map { $0.ordinals.lowerBound }.map { Int(clamping: $0) },
      to: place.map { $0.ordinals.upperBound }.map { Int(clamping: $0) }, cause: gap.cause.rawValue)
  }
}
