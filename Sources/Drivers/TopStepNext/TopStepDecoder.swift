// Decoder of unsolicited frames while a link stays: charge, and changed settings.

import Bands
import Bluetooth
import Health
import TopStepMessages
import Wearable

/// Reads the notifications that the session reads too. Answers and transfers are left to the session.
final class TopStepDecoder: LiveDecoder {
  private var assembler = FrameAssembler()
  private var wasCharging: Bool?
  /// Settings changed by the wearer or another host since the session last took them.
  private(set) var changes: Set<TopStepTopic> = []

  func takeChanges() -> Set<TopStepTopic> {
    defer { changes = [] }
    return changes
  }

  /// Battery, which the band reports in its frames. The session reads all other capabilities.
  private(set) var announced: WearableCapabilities?

  func begin(_ database: GATTDatabase) {
    let hasFrames = database.characteristic(Band.answer, in: Band.service) != nil
    announced = hasFrames ? WearableCapabilities(.live, [.battery]) : WearableCapabilities()
  }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    if value.isEmpty { throw .empty }
    for event in assembler.take(value) {
      switch event {
      case .refused: sink.noteAnomaly("a frame of no use")
      case .frame(let frame): tell(frame, sink)
      }
    }
  }

  private func tell(_ frame: TopStepFrame, _ sink: any SampleSink) {
    if frame.topic.isChange { changes.insert(frame.topic) }
    if frame.topic == .dataChanged { sink.noteNewItem() }
    guard frame.topic == .batteryChanged else { return }
    guard let battery = try? TopStepBattery(wire: frame.payload) else { return sink.noteAnomaly("a charge of no use") }
    if let percent = battery.percent {
      sink.append(Sample(.battery, Int64(percent)))
    } else {
      sink.noteAnomaly("a charge out of its range")
    }
    if battery.charging == wasCharging { return }
    wasCharging = battery.charging
    sink.learn(.charging(battery.chargingText))
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}

extension TopStepBattery {
  /// nil if the level is 0: zero is omitted on the wire, so it looks like a missing level.
  var percent: Int? { (1...100).contains(level) ? Int(level) : nil }

  /// Charging state for display.
  var chargingText: String { charging ? "charging" : "not charging" }
}
