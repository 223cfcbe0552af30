// What a band notifies beside its standard services: looked at, and kept nowhere.

import Bluetooth
import GATTServices
import Wearable

extension ServiceProfile {
  /// The family's own service. Totals of today are shown when somebody asks (`today`) and fetched by visits: as live
  /// values they would count twice. Answers are the session's; a training's rates make the next visit come sooner.
  static let moyoung = ServiceProfile(
    service: Moyoung.service, kind: nil,
    sources: [
      // All of its days come by it, in pieces of 20 bytes, several in a connection event of 15 ms.
      LiveSource(
        service: Moyoung.service, characteristic: Moyoung.answer, mode: .subscribe, isRequired: true,
        valuesPerSecond: 200),
      LiveSource(service: Moyoung.service, characteristic: Moyoung.totals, mode: .readAndSubscribe, isRequired: false),
    ],
    capabilities: [], makeDecoder: { MoyoungDecoder() })

  /// The standard service of heart rate (180D) is there and reported not to work: it is not listened to.
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
