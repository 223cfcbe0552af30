// Decoder of unsolicited frames: the battery. The session handles all other frames of the same characteristic.

import Bands
import Bluetooth
import GATTServices
import Health
import Wearable

/// Generation of keys that a band speaks, shared with the decoder.
final class FitCloudSpeech {
  /// The newer generation until the session finds out.
  var generation = FitCloudGeneration.new
}

/// Reads frames beside the session without answering any. Also reads the standard services of some bands.
final class FitCloudDecoder: LiveDecoder {
  private var receiver = FitCloudReceiver()
  private let speech: FitCloudSpeech
  private let companions = ProfileDecoder(companionProfiles)
  private var told: String?
  /// The band reports its charge in frames.
  private var hasFrames = false

  /// Standard services that some bands have: maker and battery.
  static let companionProfiles: [ServiceProfile] = [.battery, .deviceInformation]

  /// Frames of the band. Without them no visit is possible. A whole history comes over them in pieces of 20 bytes,
  /// several per connection event of 15 ms. A lower limit would mistake that for a flood, and disconnect a band with a
  /// week of data.
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

  /// Battery, and standard services. The session reads all other capabilities.
  var announced: WearableCapabilities? {
    let companions = companions.announced
    return hasFrames ? companions?.union(WearableCapabilities(.live, [.battery])) : companions
  }

  private func tell(_ key: FitCloudKey, _ value: [UInt8], _ sink: any SampleSink) {
    // A setting changed on the band may affect what the band stores.
    if key == .configurationChanged { return sink.noteNewItem() }
    guard key == FitCloudQuestion.battery(speech.generation).reply else { return }
    guard let battery = FitCloudBattery(value) else { return sink.noteAnomaly("battery: no charge") }
    sink.append(Sample(.battery, Int64(battery.percent)))
    guard let text = battery.text, text != told else { return }
    told = text
    sink.learn(.charging(text))
  }
}
