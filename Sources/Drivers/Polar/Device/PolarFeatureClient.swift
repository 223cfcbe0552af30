// Client of the feature configuration service: reads and sets the wearable's radio switches over a link.

import Bluetooth
import EventLoop
import Wearable

extension Polar {
  /// The feature configuration of one wearable while its link is up. Commands are sent one at a time.
  @LoopActor
  final class FeatureClient {
    /// Timeout of an answer (polar-ble-sdk 8.0.0).
    static let patience: Duration = .seconds(30)
    /// Maximum number of answers to earlier commands that are skipped.
    static let staleLimit = 8

    private let link: any WearableLink
    private let features: GATTCharacteristic?
    private let controlPoint: GATTCharacteristic
    private let inbox = Inbox(limit: 16)
    private var isListening = false

    /// nil if the wearable does not have the service.
    init?(_ link: any WearableLink) {
      let service = FeatureConfiguration.service
      guard let controlPoint = link.database.characteristic(FeatureConfiguration.controlPoint, in: service) else {
        return nil
      }
      self.link = link
      self.controlPoint = controlPoint
      features = link.database.characteristic(FeatureConfiguration.features, in: service)
    }

    /// The switches that the wearable has; empty if it does not report them.
    func readFeatures() async throws(VisitTrouble) -> Features {
      guard let features else { return [] }
      let bytes = try await link.read(features)
      guard let value = bytes.withUnsafeBytes({ try? Features($0) }) else {
        link.note("features of no bytes")
        return []
      }
      return value
    }

    /// Whether a switch is on; nil if the wearable does not have it.
    func isOn(_ which: Switch) async throws(VisitTrouble) -> Bool? {
      let response = try await ask(.ask(which))
      if response.status == .notSupported { return nil }
      guard let isOn = response.isOn else {
        throw .framing("an answer \(response.status) to what the switch \(which) says")
      }
      return isOn
    }

    /// Sets a switch unless it is set already, and reads it back.
    ///
    /// - Returns: whether the switch has the wanted state; false if the wearable lacks it or refused.
    func set(_ which: Switch, to wanted: Bool) async throws(VisitTrouble) -> Bool {
      guard let before = try await isOn(which) else { return false }
      if before == wanted { return true }
      let response = try await ask(.set(which, wanted))
      guard response.status == .success else {
        link.note("the switch \(which) is not taken: \(response.status)")
        return false
      }
      return try await isOn(which) == wanted
    }

    /// - Throws: `silent` after 30 s, `framing` if only answers to other commands come, and all errors of the link.
    func ask(_ command: FeatureCommand) async throws(VisitTrouble) -> ControlResponse {
      if !isListening {
        try await link.subscribe(controlPoint, into: inbox)
        isListening = true
      }
      inbox.removeAll()
      try await link.write(controlPoint, command.encode())
      let deadline = link.hubTime.monotonic + Self.patience.wholeNanoseconds
      for _ in 0..<Self.staleLimit {
        let left = Duration.nanoseconds(deadline - link.hubTime.monotonic)
        if left <= .zero { throw .silent(what: "feature configuration") }
        let bytes = try await link.next(from: inbox, within: left)
        if let response = bytes.withUnsafeBytes({ try? ControlResponse($0) }), response.opCode == command.opCode {
          return response
        }
      }
      throw .framing("answers to other commands of the feature configuration")
    }
  }
}
