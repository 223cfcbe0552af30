// The hub as its control socket sees it: the hub itself, its store, its lights and its settings behind one protocol.

import Configuration
import Control
import EventLoop
import Hub
import Lights
import Reasons
import RingStore

/// Hands every call on to whom it belongs; decides nothing.
@LoopActor
final class HubDoor: HubService {
  private let hub: Hearth
  private let store: Store
  private let lights: LightDriver
  private let currentSettings: @LoopActor () -> Configuration

  init(_ hub: Hearth, store: Store, lights: LightDriver, settings: @escaping @LoopActor () -> Configuration) {
    self.hub = hub
    self.store = store
    self.lights = lights
    currentSettings = settings
  }

  func snapshot() -> HubSnapshot { hub.snapshot() }
  func wearables() -> [WearableSnapshot] { hub.wearables() }
  func wearable(named which: String) throws(HearthError) -> WearableSnapshot { try hub.wearable(named: which) }

  func enrolmentSnapshot() -> EnrolmentSnapshot { hub.enrolmentSnapshot() }
  func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot { try hub.openEnrolment(for: duration) }
  func closeEnrolment() { hub.closeEnrolment() }
  func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot { try await hub.accept(which, name: name) }
  func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot { try await hub.rename(which, to: name) }
  func forget(_ which: String) async throws(HearthError) { try await hub.forget(which) }

  func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int {
    try hub.subscribeLive(which, handler)
  }
  func unsubscribeLive(_ token: Int) { hub.unsubscribeLive(token) }

  func storeStatus() -> StoreStatus { store.status }
  func wearableRecords() -> [WearableRecord] { store.wearables + store.retiredWearables }

  /// The first page commits what is pending: what leaves the hub must be durable here first, and the reader gets all there is.
  func readSamples(_ query: SampleQuery, after cursor: JournalCursor?, limit: Int) async throws(HearthError) -> SamplePage {
    if cursor == nil { try await store.flush() }
    return try store.read(query, after: cursor, limit: limit)
  }

  func lightMeanings() -> [LightMeaning] { lights.meanings }
  func locate(_ on: Bool) { hub.locate(on) }

  func settings() -> [SettingDocument] {
    currentSettings().entries.map { SettingDocument(key: $0.key, value: $0.value, origin: $0.origin) }
  }
}
