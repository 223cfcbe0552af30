import EventLoop
import HubProtocol
import StoreDocuments
import Testing

@testable import hearth

@Suite("What hearth store says of each wearable's share")
struct StoreShareTests {
  private static func ring(_ device: String, _ series: String, _ samples: Int, _ bytes: Int) -> JSON {
    [
      "device": .string(device), "series": .string(series), "way": "live", "samples": .integer(Int64(samples)),
      "chunks": 1, "bytes": .integer(Int64(bytes)), "evict": "oldest", "unexported": 0, "evicted_samples": 0,
      "evicted_unexported": 0, "purged_samples": 0, "refuses": false, "oldest": "2026-11-22T08:00:00.000Z",
      "newest": "2026-11-22T09:00:00.000Z",
    ]
  }

  private func store(_ rings: [JSON], journal: Int) throws -> StoreDocument {
    let wear: JSON = ["bytes_today": 0, "over_budget": false, "odometer": 0]
    let none = [
      "samples", "chunks", "file_bytes", "used_bytes", "free_bytes", "limit_bytes", "pending_samples",
      "pending_bytes", "commits", "failed_commits", "unexported", "evicted_samples", "evicted_unexported",
      "dropped_samples", "corrupt_chunks", "corrupt_records", "staged_bytes", "staged_given_up", "custody_given_way",
      "reader_slots_used", "reader_slots", "wearables",
    ].map { JSON.Member($0, 0) }
    let waiting: JSON = ["samples": .integer(Int64(journal)), "chunks": 0, "bytes": 0]
    let others = [
      JSON.Member("schema", "io.hearth.store/1"), JSON.Member("path", "/s"), JSON.Member("journal", waiting),
      JSON.Member("rings", .array(rings)), JSON.Member("wear", wear), JSON.Member("daemon", true),
    ]
    return try JSON.object(none + others).decoded(StoreDocument.self)
  }

  @Test("the largest comes first with all its series, and what is in no ring yet is said besides")
  func shares() throws {
    let rings = [
      Self.ring("strap-01", "heart_rate", 10, 1000), Self.ring("strap-02", "heart_rate", 30, 2000),
      Self.ring("strap-02", "rr_interval", 50, 1000),
    ]
    let document = try store(rings, journal: 7)
    let shares = storeShares(document)
    #expect(shares.map(\.device) == ["strap-02", "strap-01"] && shares.map(\.share) == [0.75, 0.25])
    #expect(shares[0].samples == 80 && shares[0].series == ["heart_rate", "rr_interval"])
    let text = renderShares(shares, document, HubTime(zone: .utc, now: WallTime(microseconds: 0)), .plain)
    #expect(text.hasPrefix("strap-02") && text.contains("75 %") && text.contains("80 samples of 2 series"), "\(text)")
    #expect(text.hasSuffix("besides 7 samples that came live and are in no ring yet\n"))
  }

  @Test("a store without rings has no shares")
  func empty() throws {
    let document = try store([], journal: 0)
    #expect(storeShares(document).isEmpty)
    let text = renderShares([], document, HubTime(zone: .utc, now: WallTime(microseconds: 0)), .plain)
    #expect(text == "no wearable has samples in a ring\n")
  }
}
