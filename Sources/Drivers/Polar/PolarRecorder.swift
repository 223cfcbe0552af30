// Recordings in the wearable's own memory: which run, and how one is ended so that its file can be read while recording goes on.

import EventLoop
import Wearable

@LoopActor
final class PolarRecorder {
  private let link: any WearableLink
  let client: PMD.Client

  /// A recording that is younger goes on: each that is ended is a folder with a file on the wearable, and a moment in which nothing is measured.
  /// Microseconds.
  static let shortest: Int64 = 30 * 60 * 1_000_000

  init(_ link: any WearableLink, _ client: PMD.Client) {
    self.link = link
    self.client = client
  }

  /// What is being recorded.
  func running() async throws(VisitTrouble) -> [PMD.MeasurementType] {
    guard try await client.features().recordsOffline else { return [] }
    return try await client.status().filter { $0.value.isOffline }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// Ends a recording, which is whole then, and begins another with the same settings.
  ///
  /// - Parameters:
  ///   - secret: what the next one is encrypted with; nil: nothing.
  ///   - wasEncrypted: the one that ends is. Then none is begun in the clear.
  func renew(_ type: PMD.MeasurementType, _ selection: PMD.Selection, _ secret: PMD.Secret?, wasEncrypted: Bool) async throws(VisitTrouble) {
    try await client.stopRecording(type)
    if let secret, !wasEncrypted {
      do throws(VisitTrouble) {
        _ = try await client.start(type, .offline, selection, secret: secret)
        return
      } catch {
        guard case .unsupported = error else { return try tell(type, error) }
        link.note("it takes no key: \(type) is recorded in the clear, as before")
      }
    }
    do throws(VisitTrouble) { _ = try await client.start(type, .offline, selection, secret: wasEncrypted ? secret : nil) } catch { try tell(type, error) }
  }

  private func tell(_ type: PMD.MeasurementType, _ error: VisitTrouble) throws(VisitTrouble) {
    // Nobody but an operator can mend what does not record any more.
    link.note("\(type) is no longer recorded: it could not be begun again")
    guard case .link = error else { return }
    throw error
  }
}
