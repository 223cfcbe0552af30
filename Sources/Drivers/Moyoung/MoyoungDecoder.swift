// Notifications besides the standard services: examined, but not stored.

import Bluetooth
import GATTServices
import Wearable

extension ServiceProfile {
  /// Service of the family. Totals of today are shown on request (`today`) and fetched by visits; stored as live values
  /// they would count twice. The session reads the answers. Rates of a training make the next visit come sooner.
  static let moyoung = ServiceProfile(
    service: Moyoung.service, kind: nil,
    sources: [
      // All days come over this characteristic, in pieces of 20 bytes, several per connection event of 15 ms.
      LiveSource(
        service: Moyoung.service, characteristic: Moyoung.answer, mode: .subscribe, isRequired: true,
        valuesPerSecond: 200),
      LiveSource(service: Moyoung.service, characteristic: Moyoung.totals, mode: .readAndSubscribe, isRequired: false),
    ],
    capabilities: [], makeDecoder: { MoyoungDecoder() })

  /// The standard heart rate service (180D) exists but is reported not to work, so it is not subscribed to.
  static let ofBand: [ServiceProfile] = [.moyoung, .battery, .deviceInformation]
}

final class MoyoungDecoder: LiveDecoder {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    if value.isEmpty { throw .empty }
    if source.characteristic == Moyoung.totals {
      guard let totals = DailyTotals(value) else { throw .truncated }
      if !totals.isPlausible { throw .outOfRange }
      return
    }
    // Marker, form, length, command, and the first part of a training's rates.
    guard value.count > 5, value[0] == MoyoungFrame.marker[0], value[1] == MoyoungFrame.marker[1] else { return }
    if value[4] == Moyoung.Command.trainingRates, value[5] == 0 { sink.noteNewItem() }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
