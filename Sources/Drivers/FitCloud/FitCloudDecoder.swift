// What a band says by itself: its battery. Everything else over the same characteristic is the session's.

import Bands
import Bluetooth
import GATTServices
import Health
import Wearable

/// Which keys a band speaks, for whoever only listens to it.
final class FitCloudSpeech {
  /// The newer ones until somebody knows better.
  var generation = FitCloudGeneration.new
}

/// Reads frames beside the session and answers none of them; and the standard services that some bands have.
final class FitCloudDecoder: LiveDecoder {
  private var receiver = FitCloudReceiver()
  private let speech: FitCloudSpeech
  private let companions = ProfileDecoder(companionProfiles)
  private var told: String?
  /// It tells its charge in frames, where it has them.
  private var hasFrames = false

  /// Who made it, and its battery, where it tells them so as well.
  static let companionProfiles: [ServiceProfile] = [.battery, .deviceInformation]

  /// Frames of the band. A visit could stay on nothing that did not have them. All of a history comes by them, in
  /// pieces of 20 bytes, several in a connection event of 15 ms: a lower bound would take that for a flood, and a band
  /// that has a week to tell would be hung up on.
  static let frames = LiveSource(
    service: Band.service, characteristic: Band.answer, mode: .subscribe, isRequired: true, valuesPerSecond: 200)

  static let sources = [frames] + ServiceProfile.sources(of: companionProfiles)

  init(_ speech: FitCloudSpeech = FitCloudSpeech()) { self.speech = speech }

  func begin(_ database: GATTDatabase) {
    receiver = FitCloudReceiver()
    hasFrames = database.characteristic(Band.answer, in: Band.service) != nil
    companions.begin(database)
  }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    guard source.characteristic == Band.answer else { return try companions.decode(source, value, into: sink) }
    guard !value.isEmpty else { throw .empty }
    for case .message(let message) in receiver.take(value) {
      for item in message.items { tell(FitCloudKey(message.command, item.key), item.value, sink) }
    }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    source.characteristic == Band.answer ? nil : companions.fact(source, value)
  }

  /// What else it has is asked for, by the session.
  var announced: WearableCapabilities? {
    let companions = companions.announced
    return hasFrames ? companions?.union(WearableCapabilities(.live, [.battery])) : companions
  }

  private func tell(_ key: FitCloudKey, _ value: [UInt8], _ sink: any SampleSink) {
    // What was set at the band may be what it keeps.
    if key == .configurationChanged { return sink.noteNewItem() }
    guard key == FitCloudQuestion.battery(speech.generation).reply else { return }
    guard let battery = FitCloudBattery(value) else { return sink.noteAnomaly("battery: no charge") }
    sink.append(Sample(.battery, Int64(battery.percent)))
    guard let text = battery.text, text != told else { return }
    told = text
    sink.learn(.charging(text))
  }
}
