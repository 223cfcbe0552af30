import EventLoop
import Health
import Reasons
import Testing

@testable import Hub
@testable import RingStore

@Suite("What the store's figures say to people")
struct StoreWatchTests {
  private let start = Instant(nanoseconds: 0)
  private let strap = WearableID(number: 3)
  private let band = WearableID(number: 4)

  private func status(_ change: (inout StoreStatus) -> Void = { _ in }) -> StoreStatus {
    var status = StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_500_000_000)
    change(&status)
    return status
  }

  private func ring(_ wearable: WearableID, _ series: Series, evicted: UInt64 = 0, refuses: Bool = false) -> RingStatus
  {
    RingStatus(
      id: RingID(wearable: wearable, seriesNumber: series.id, way: .live), items: 10, chunks: 1, bytes: 4096,
      retention: Retention(),
      oldest: nil, newest: nil, unexported: 10, evicted: evicted, evictedUnexported: evicted,
      evictedFrom: evicted > 0 ? WallTime(microseconds: 0) : nil,
      evictedTo: evicted > 0 ? WallTime(microseconds: 60_000_000) : nil, purged: 0,
      bytesPerDay: nil, refuses: refuses)
  }

  @Test("a healthy store says nothing, whatever was lost before the hub started")
  func healthy() {
    let old = status {
      $0.evictedSamples = 90
      $0.evictedUnexported = 70
    }
    #expect(!StoreWatch.isEvicting(old, start))
    #expect(StoreWatch.troubles(old, [ring(strap, .heartRate, evicted: 70)], now: start).isEmpty)
  }

  @Test("a loss of what nobody had exported is news for a day, with its count, series and times")
  func eviction() {
    let status = status {
      $0.evictedUnexported = 100
      $0.evictedUnexportedSinceStart = 30
      $0.lastUnexportedEviction = start
    }
    let rings = [ring(strap, .heartRate), ring(strap, .ecg, evicted: 5), ring(band, .acc, evicted: 25)]
    let found = StoreWatch.troubles(status, rings, now: start)
    #expect(
      found.map(\.trouble) == [
        HearthError(
          .storeEvicting,
          """
          30 samples that nobody had exported were evicted since the hub started; ever evicted: ecg, acc of \
          1970-01-01T00:00:00.000Z to 1970-01-01T00:01:00.000Z
          """
        )
      ])
    #expect(found.allSatisfy { $0.wearable == nil })
    let end = start + StoreWatch.newsTime
    #expect(StoreWatch.isEvicting(status, end + .nanoseconds(-1)))
    #expect(!StoreWatch.isEvicting(status, end))
    #expect(StoreWatch.troubles(status, rings, now: end).isEmpty)
  }

  @Test("a budget that is passed, damage, and rings that refuse are named; refusals belong to their wearable")
  func others() {
    let worn = status {
      $0.wear = WearStatus(bytesToday: 164_300_000, budgetPerDay: 150_000_000, odometer: 1, forecastPerYear: nil)
      $0.corruptChunks = 2
      $0.corruptRecords = 1
    }
    let rings = [
      ring(strap, .ecg, refuses: true), ring(strap, .acc, refuses: true), ring(band, .heartRate),
      ring(band, .ppg, refuses: true),
    ]
    let found = StoreWatch.troubles(worn, rings, now: start)
    #expect(found.map(\.wearable) == [nil, nil, strap, band])
    #expect(
      found.map(\.trouble) == [
        HearthError(.storeChunkCorrupt, "2 chunks of samples and 1 record with a wrong checksum, not served"),
        HearthError(.storeBudgetExceeded, "164 MB written to the card today, the budget is 150 MB"),
        HearthError(.storeRefusing, "ecg, acc: left on the wearable, there is no room within the bound of the ring"),
        HearthError(.storeRefusing, "ppg: left on the wearable, there is no room within the bound of the ring"),
      ])
    let within = status {
      $0.wear = WearStatus(bytesToday: 150_000_000, budgetPerDay: 150_000_000, odometer: 1, forecastPerYear: nil)
    }
    #expect(StoreWatch.troubles(within, [], now: start).isEmpty)
  }
}
