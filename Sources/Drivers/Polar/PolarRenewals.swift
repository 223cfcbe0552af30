// Recordings that a visit ends and begins anew: remembered before they end, so that a link that is lost in between
// costs minutes and not the rest of the recording.

import EventLoop
import Wearable

/// What is to run and was ended by this hub. Remembered until it was seen to run.
@LoopActor
final class PolarRenewals {
  /// One recording, as it was and will be.
  struct Renewal: Sendable, Hashable {
    let type: PMD.MeasurementType
    let selection: PMD.Selection
    /// It is not begun in the clear.
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

  /// What was not seen to run since, by number of its kind.
  var pending: [Renewal] { link.remembered(PolarPendingRenewals.self)?.all ?? [] }

  /// Before they are ended.
  ///
  /// - Throws: where they cannot be remembered: then they are not to be ended.
  func note(_ renewals: [Renewal]) throws(VisitTrouble) {
    if renewals.isEmpty { return }
    try link.remember(
      PolarPendingRenewals(pending.filter { old in !renewals.contains { $0.type == old.type } } + renewals))
  }

  /// They run, whether anew or still; or nobody wants them any more.
  func forget(_ types: some Sequence<PMD.MeasurementType>) throws(VisitTrouble) {
    let pending = pending
    let left = pending.filter { !types.contains($0.type) }
    if left.count < pending.count { try link.remember(PolarPendingRenewals(left)) }
  }

  /// Ends a recording, which is whole then.
  ///
  /// - Returns: false where it goes on: the wearable refused.
  func end(_ renewal: Renewal) async throws(VisitTrouble) -> Bool {
    do throws(VisitTrouble) { try await client.stopRecording(renewal.type) } catch {
      guard let text = error.refusal else { throw error }
      link.note("\(renewal.type) goes on: \(text)")
      return false
    }
    return true
  }

  /// Begins another one with the same settings as the one that was ended.
  func beginAnew(_ renewal: Renewal) async throws(VisitTrouble) {
    do throws(VisitTrouble) { try await begin(renewal) } catch {
      guard let text = error.refusal else { throw error }
      // Nobody but an operator can mend what does not record any more.
      link.note("\(renewal.type) is no longer recorded: \(text)")
    }
  }

  /// - Throws: why it was not begun. What the wearable does not take at all is not tried again; what it does not take
  ///   now is, at each visit.
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
