// Start of a generic health sensor's live observations, which some sensors send only on request.

import Bluetooth
import EventLoop
import Wearable

/// The control point of the Generic Health Sensor Service (2BF4).
///
///     request    01 live observations begin, 02 they end
///     response   80 done, 81 busy, 82 already in that state
@LoopActor
final class ObservationStart {
  private let link: any WearableLink
  private let control: GATTCharacteristic
  private let answers = Inbox(limit: 4)

  private static let begin: [UInt8] = [1]
  /// Timeout of the answer. No other request is pending then.
  private static let patience: Duration = .seconds(5)

  private enum Answer {
    static let done: UInt8 = 0x80
    static let already: UInt8 = 0x82
  }

  /// nil if live observations need no start, or do not exist.
  init?(_ link: any WearableLink) {
    guard let control = link.database.characteristic(GenericHealth.controlPoint, in: GenericHealth.service),
      control.properties.contains(.write),
      link.database.characteristic(GenericHealth.liveObservations, in: GenericHealth.service) != nil
    else { return nil }
    (self.link, self.control) = (link, control)
  }

  /// Starts live observations. A refusal or a missing answer is only noted: they may come anyway.
  func begin() async throws(VisitTrouble) {
    do throws(VisitTrouble) {
      if control.properties.contains(.indicate) { try await link.subscribe(control, into: answers) }
      answers.removeAll()
      try await link.write(control, Self.begin)
      guard control.properties.contains(.indicate) else { return }
      let answer = try await link.next(from: answers, within: Self.patience).first
      if answer != Answer.done, answer != Answer.already { link.note("it does not begin its live observations") }
    } catch {
      switch error {
      case .refused, .silent: link.note("its live observations: \(error)")
      default: throw error
      }
    }
  }
}
