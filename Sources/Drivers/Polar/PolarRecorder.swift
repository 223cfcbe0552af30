// Recordings in the wearable's own memory: which run, and how one is ended so that its file can be read while recording goes on.

import Bluetooth
import EventLoop
import Wearable

@LoopActor
final class PolarRecorder {
  private let link: any WearableLink
  private let client: PMD.Client
  private let data: GATTCharacteristic
  /// Frames of streams that nobody here asked for.
  private let frames = Inbox(limit: 1)
  private var isReady = false

  /// A recording that is younger goes on: each that is ended is a folder with a file on the wearable, and a moment in which nothing is measured.
  /// Microseconds.
  static let shortest: Int64 = 30 * 60 * 1_000_000

  /// nil where it measures nothing by order.
  init?(_ link: any WearableLink) {
    guard let control = link.database.characteristic(PMD.controlPoint, in: PMD.service), let data = link.database.characteristic(PMD.data, in: PMD.service)
    else { return nil }
    self.link = link
    self.data = data
    client = PMD.Client(link, control)
  }

  /// What is being recorded.
  func running() async throws(VisitTrouble) -> [PMD.MeasurementType] {
    guard try await client.features().recordsOffline else { return [] }
    try await prepare()
    return try await client.status().filter { $0.value.isOffline }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// Ends a recording, which is whole then, and begins another with the same settings.
  func renew(_ type: PMD.MeasurementType, _ selection: PMD.Selection) async throws(VisitTrouble) {
    try await client.stopRecording(type)
    do throws(VisitTrouble) { _ = try await client.start(type, .offline, selection) } catch {
      // Nobody but an operator can mend what does not record any more.
      link.note("\(type) is no longer recorded: it could not be begun again")
      guard case .link = error else { return }
      throw error
    }
  }

  private func prepare() async throws(VisitTrouble) {
    if isReady { return }
    try await link.subscribe(data, into: frames)
    isReady = true
  }
}
