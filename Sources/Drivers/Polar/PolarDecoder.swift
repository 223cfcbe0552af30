// Decoder of one link to a Polar wearable: heart beats of the standard service, and frames of streams that the session
// began.

import Bluetooth
import GATTServices
import Wearable

/// Decodes the Heart Rate Service like any strap's, and frames once the session has begun a stream. Before that it
/// allocates no memory for them.
final class PolarDecoder: LiveDecoder {
  private let heart = HeartRateStrap.makeDecoder()
  /// nil until a stream was begun.
  private(set) var streams: PMD.StreamDecoder?
  private var said = PSFTP.NotificationAssembly()
  /// True if since the last visit a training ended, or the wearable became idle: refused requests may be repeated.
  private var isFree = false

  /// The last news was that a training began, or that no files are served, which may mean the same.
  private(set) var mayTrain = false

  /// Sets the state that a visit found.
  func met(isBusy: Bool) { mayTrain = isBusy }

  /// Prepares for frames.
  func prepareStreams() -> PMD.StreamDecoder {
    if let streams { return streams }
    let made = PMD.StreamDecoder()
    streams = made
    return made
  }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    if source.characteristic == PMD.data {
      // Frames of streams that this hub did not start cannot be decoded.
      try streams?.decode(value, into: sink)
    } else if source.characteristic == PSFTP.fromDevice {
      if let raw = said.take(value), let event = PSFTP.DeviceEvent(raw) { hear(event, sink) }
    } else {
      try heart.decode(source, value, into: sink)
    }
  }

  /// The end of a training and a sync request are worth a visit.
  private func hear(_ event: PSFTP.DeviceEvent, _ sink: any SampleSink) {
    switch event.content {
    case .trainingSessionStatus(let status) where status.inprogress:
      mayTrain = true
      return
    case .exerciseStatus(let status) where status.hasExerciseState && status.exerciseState != .exerciseStateOff:
      mayTrain = true
      return
    case .trainingSessionStatus(let status) where status.hasInprogress && !status.inprogress: break
    case .exerciseStatus(let status) where status.hasExerciseState && status.exerciseState == .exerciseStateOff: break
    case .syncRequired: return sink.noteNewItem()
    case .nothing where event.kind == .idling: break
    default: return
    }
    isFree = true
    mayTrain = false
    sink.noteNewItem()
  }

  func takeFree() -> Bool {
    defer { isFree = false }
    return isFree
  }

  func begin(_ database: GATTDatabase) { heart.begin(database) }

  /// Capabilities of any strap; the session asks for Polar's own.
  var announced: WearableCapabilities? { heart.announced }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { heart.fact(source, value) }
}
