// Settings that a Polar wearable offers for streams, in SDK mode and in the usual mode.

import EventLoop
import Wearable

/// Offers are queried once over a link.
@LoopActor
final class PolarStreamOffers {
  private let client: PMD.Client
  private var known: [Offer: PMD.Settings] = [:]

  private struct Offer: Hashable {
    let type: PMD.MeasurementType
    let isInSDKMode: Bool
  }

  init(_ client: PMD.Client) { self.client = client }

  func offer(_ type: PMD.MeasurementType, inSDKMode: Bool) async throws(VisitTrouble) -> PMD.Settings {
    let key = Offer(type: type, isInSDKMode: inSDKMode)
    if let offer = known[key] { return offer }
    let asked = try await client.settings(type, .online, isFull: inSDKMode)
    known[key] = asked
    return asked
  }

  private func offerIfAny(_ type: PMD.MeasurementType, inSDKMode: Bool) async throws(VisitTrouble) -> PMD.Settings? {
    do throws(VisitTrouble) { return try await offer(type, inSDKMode: inSDKMode) } catch {
      switch error {
      case .unsupported, .busy: return nil
      default: throw error
      }
    }
  }

  /// Whether SDK mode offers a rate nearer to the ordered one than the usual mode does.
  func needsSDKMode(_ type: PMD.MeasurementType, for ordered: Int?) async throws(VisitTrouble) -> Bool {
    guard type.hasSettings, let rate = ordered, rate > 0 else { return false }
    guard let near = try await offerIfAny(type, inSDKMode: false)?.distance(toRate: rate), near > 0 else {
      return false
    }
    return try await offerIfAny(type, inSDKMode: true)?.distance(toRate: rate).map { $0 < near } ?? false
  }
}
