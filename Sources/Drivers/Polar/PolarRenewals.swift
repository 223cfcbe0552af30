// Recordings that a visit ends and restarts. Each is stored before its end, so that a lost link costs minutes and not
// the rest of the recording.

import EventLoop
import Wearable

/// Recordings that this hub ended and that should run. Each stays stored until it was seen running.
@LoopActor
final class PolarRenewals {
  /// A recording with its settings, before and after the restart.
  struct Renewal: Sendable, Hashable {
    let type: PMD.MeasurementType
    let selection: PMD.Selection
    /// An encrypted recording must not be restarted without encryption.
    var wasEncrypted = false

    init(_ type: PMD.MeasurementType, _ selection: PMD.Selection, wasEncrypted: Bool) {
      (self.type, self.selection, self.wasEncrypted) = (type, selection, wasEncrypted)
    }
  }

  private let link: any WearableLink
  private let client: PMD.Client

  init(_ link: any WearableLink, _ client: PMD.Client) {
    self.link = link
    self.client = client
  }

  /// Recordings that have not been seen running since, by number of their kind.
  var pending: [Renewal] { link.remembered(PolarPendingRenewals.self)?.all ?? [] }

  /// Stores recordings before they are ended.
  ///
  /// - Throws: if they cannot be stored; they must then not be ended.
  func note(_ renewals: [Renewal]) throws(VisitTrouble) {
    if renewals.isEmpty { return }
    try link.remember(
      PolarPendingRenewals(pending.filter { old in !renewals.contains { $0.type == old.type } } + renewals))
  }

  /// Forgets recordings that run again, that never ended, or that are no longer wanted.
  func forget(_ types: some Sequence<PMD.MeasurementType>) throws(VisitTrouble) {
    let pending = pending
    let left = pending.filter { !types.contains($0.type) }
    if left.count < pending.count { try link.remember(PolarPendingRenewals(left)) }
  }

  /// Ends a recording; its file is then complete.
  ///
  /// - Returns: false if the wearable refused and the recording goes on.
  func end(_ renewal: Renewal) async throws(VisitTrouble) -> Bool {
    do throws(VisitTrouble) { try await client.stopRecording(renewal.type) } catch {
      guard let text = error.refusal else { throw error }
      link.note("\(renewal.type) goes on: \(text)")
      return false
    }
    return true
  }

  /// Restarts a recording with the settings that it had.
  func beginAnew(_ renewal: Renewal) async throws(VisitTrouble) {
    do throws(VisitTrouble) { try await begin(renewal) } catch {
      guard let text = error.refusal else { throw error }
      // Only an operator can fix a recording that no longer starts.
      link.note("\(renewal.type) is no longer recorded: \(text)")
    }
  }

  /// - Throws: why it was not begun. If the wearable does not support it, it is not tried again. If it refuses for now,
  ///   each visit tries again.
  func begin(_ renewal: Renewal) async throws(VisitTrouble) {
    let (type, secret) = (renewal.type, link.orders.polarSecret)
    if renewal.wasEncrypted, secret == nil {
      throw .busy(what: "its key is not there any more, and it was encrypted", retryAfter: nil)
    }
    let encrypts = Polar.streams(of: link.known.polarModel)?.encrypts ?? false
    if let secret, encrypts, !renewal.wasEncrypted {
      do throws(VisitTrouble) {
        _ = try await client.start(type, .offline, renewal.selection, secret: secret)
        return
      } catch {
        guard case .unsupported = error else { throw error }
        link.note("it takes no key: \(type) is recorded in the clear, as before")
      }
    }
    do throws(VisitTrouble) {
      _ = try await client.start(type, .offline, renewal.selection, secret: renewal.wasEncrypted ? secret : nil)
    } catch {
      if case .unsupported = error { try forget([type]) }
      throw error
    }
  }
}
