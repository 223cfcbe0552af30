import EventLoop
import StateCodec
import Testing

@testable import RingStore

@Suite("Why an item is unread")
struct UnreadReasonTests {
  /// As the first writers of custody wrote it, or with a field of now.
  private func stored(_ remark: String, isFinal: Bool = false, unread: UInt8? = nil) -> CustodyRecord? {
    var fields = FieldWriter()
    fields.put(1, "m1")
    fields.put(2, UInt64(9))
    fields.put(3, UInt64(9))
    fields.put(6, Int64(7))
    fields.put(8, UInt8(isFinal ? 3 : 2))
    fields.put(9, UInt64(1))
    fields.put(11, remark)
    fields.put(12, UInt64(4))
    if let unread { fields.put(15, unread) }
    return FieldCodecTests.decode(CustodyRecord.self, CustodyTable.key(one, "a"), fields.finish())
  }

  @Test(
    "is given by the remark in a record of an earlier writer, which had no other place for it",
    arguments: [
      ("locked: an encrypted recording, and no key", UnreadReason.locked), ("unknown version: 9", .unknownVersion),
      ("defective: byte 3", .defective), ("3,600 records", nil), ("unlocked: 3 records", nil), ("locked", nil),
      ("", nil),
    ] as [(String, UnreadReason?)])
  func former(remark: String, reason: UnreadReason?) throws {
    let record = try #require(stored(remark))
    #expect(record.unread == reason && record.remark == remark)
    #expect(try #require(stored(remark, isFinal: true)).unread == nil, "what is final was understood")
  }

  @Test("has a field of its own since, and the remark no longer counts")
  func field() throws {
    for reason in [nil] + UnreadReason.allCases.map({ Optional($0) }) {
      for remark in ["", "locked: no key", "3 records"] {
        var record = CustodyRecord(wearable: one, id: "a", mark: "m", remark: remark, visit: 1)
        record.unread = reason
        #expect(FieldCodecTests.decode(CustodyRecord.self, record.key, record.encode()) == record)
      }
    }
    #expect(try #require(stored("locked: no key", unread: 0)).unread == nil)
    #expect(try #require(stored("3 records", unread: 1)).unread == .locked)
  }

  @Test("is a defect if a later writer knows another one")
  func later() throws {
    #expect(try #require(stored("torn by hand", unread: 200)).unread == .defective)
  }

  @Test("lies in the store as a number, and is the one it was after an earlier record was written again")
  func rewritten() throws {
    #expect(UnreadReason.allCases.map(\.rawValue) == [1, 2, 3])
    let old = try #require(stored("unknown version: 9"))
    let again = try #require(FieldCodecTests.decode(CustodyRecord.self, old.key, old.encode()))
    #expect(again == old && again.unread == .unknownVersion)
  }
}
