// What one link to a Polar wearable brings by itself: heart beats over the standard service, frames of the streams that
// the session began.

import Bluetooth
import GATTServices
import Wearable

/// Reads the Heart Rate Service as everybody's, and frames once the session has begun a stream. Without one it holds no
/// memory for them.
final class PolarDecoder: LiveDecoder {
  private let heart = HeartRateStrap.makeDecoder()
  /// nil until a stream was begun.
  private(set) var streams: PMD.StreamDecoder?
  private var said = PSFTP.NotificationAssembly()
  /// Since the last visit began a training ended, or it said that it has nothing to do: what it refused before may be
  /// asked for.
  private var isFree = false

  /// It told that a training began, or serves no files, which may mean the same; and nothing since.
  private(set) var mayTrain = false

  /// As a visit met it.
  func met(isBusy: Bool) { mayTrain = isBusy }

  /// For frames to come.
  func prepareStreams() -> PMD.StreamDecoder {
    if let streams { return streams }
    let made = PMD.StreamDecoder()
    streams = made
    return made
  }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    if source.characteristic == PMD.data {
      // Frames of a stream that was left on, or that somebody else began: nobody here knows what to read them with.
      try streams?.decode(value, into: sink)
    } else if source.characteristic == PSFTP.fromDevice {
      if let raw = said.take(value), let event = PSFTP.DeviceEvent(raw) { hear(event, sink) }
    } else {
      try heart.decode(source, value, into: sink)
    }
  }

  /// The end of a training, and its own wish, are worth a visit.
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

  /// What any strap shows; what is Polar's own is asked by its session.
  var announced: WearableCapabilities? { heart.announced }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { heart.fact(source, value) }
}
