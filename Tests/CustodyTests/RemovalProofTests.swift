import Custody
import EventLoop
import Testing

@Suite("The proof without which no item is removed")
struct RemovalProofTests {
  private static let wearable = WearableID(number: 1)
  private static let file = HeldItem(id: "/U/0/A.BPB", mark: "7-1", size: 7)
  private static let other = HeldItem(id: "/U/0/B.BPB", mark: "9-1", size: 9)

  private static func receipt(
    _ source: BatchSource, _ number: UInt64, of wearable: WearableID = wearable
  ) -> Receipt {
    Receipt.minted(
      number: number, wearable: wearable, digest: BatchDigest(first: number, second: 0), source: source,
      committedAt: WallTime(microseconds: 1), visit: 1, items: 1, ranges: [])
  }

  /// Receipts of these parts, numbered from 1.
  private static func receipts(
    _ item: HeldItem, _ parts: [Int], of count: Int, by wearable: WearableID = wearable
  ) throws -> [Receipt] {
    var all: [Receipt] = []
    for part in parts {
      let source = BatchSource.part(try #require(item.part(part, of: count)))
      all.append(receipt(source, UInt64(all.count + 1), of: wearable))
    }
    return all
  }

  private static func isProven(_ receipts: [Receipt], covers: [HeldItem] = [file]) -> Bool {
    RemovalProof(Removal(name: "it", covers: covers), of: wearable, receipts: receipts) != nil
  }

  @Test("is made of a receipt for each part of each item, in any order, and names those alone")
  func whole() throws {
    let parts = try Self.receipts(Self.file, [3, 1, 2], of: 3)
    let others = try Self.receipts(Self.other, [1], of: 1)
    #expect(Self.isProven(parts))
    #expect(Self.isProven(parts + others, covers: [Self.file, Self.other]))
    let proof = RemovalProof(Removal(name: "it", covers: [Self.file]), of: Self.wearable, receipts: others + parts)
    #expect(proof?.receipts == parts)
  }

  @Test("is not made without a receipt, for one item or for one of several")
  func none() throws {
    let parts = try Self.receipts(Self.file, [1], of: 1)
    #expect(!Self.isProven([]))
    #expect(!Self.isProven(parts, covers: [Self.file, Self.other]))
  }

  @Test("is not made of receipts of another wearable, though item, mark and part are the same")
  func anotherWearable() throws {
    #expect(!Self.isProven(try Self.receipts(Self.file, [1], of: 1, by: WearableID(number: 2))))
  }

  @Test("is not made of receipts of another item")
  func anotherItem() throws {
    var sameMark = Self.other
    sameMark.mark = Self.file.mark
    #expect(!Self.isProven(try Self.receipts(sameMark, [1], of: 1)))
  }

  @Test("is not made of receipts of other content at the same place")
  func anotherMark() throws {
    var later = Self.file
    later.mark = "7-2"
    #expect(!Self.isProven(try Self.receipts(later, [1], of: 1)))
    later.mark = ""
    #expect(!Self.isProven(try Self.receipts(later, [1], of: 1)))
  }

  @Test("is not made while a part is missing, whichever it is")
  func missingPart() throws {
    for missing in 1...3 {
      #expect(!Self.isProven(try Self.receipts(Self.file, [1, 2, 3].filter { $0 != missing }, of: 3)), "\(missing)")
    }
  }

  @Test("is not made of parts that do not agree of how many they are")
  func wrongCount() throws {
    let first = try Self.receipts(Self.file, [1], of: 2)
    #expect(!Self.isProven(first + (try Self.receipts(Self.file, [2], of: 3))))
    #expect(!Self.isProven((try Self.receipts(Self.file, [1, 2], of: 2)) + (try Self.receipts(Self.file, [3], of: 3))))
  }

  @Test("is not made if one part is there twice, in the place of another or beside all of them")
  func partTwice() throws {
    #expect(!Self.isProven(try Self.receipts(Self.file, [1, 1], of: 2)))
    #expect(!Self.isProven(try Self.receipts(Self.file, [1, 2, 2], of: 2)))
  }

  @Test("is not made of a batch of no item, whatever its place is called")
  func noItem() {
    #expect(!Self.isProven([Self.receipt(.place("/U/0/A.BPB 7-1 1/1"), 1)]))
    #expect(!Self.isProven([Self.receipt(.place("/U/0/A.BPB"), 1)]))
  }

  @Test("is not made for an item that is open, or has invalid names")
  func noProperItem() throws {
    let parts = try Self.receipts(Self.file, [1], of: 1)
    var open = Self.file
    open.isOpen = true
    #expect(!Self.isProven(parts, covers: [open]))
    #expect(!Self.isProven(parts, covers: [HeldItem(id: "/U/0/A.BPB 7-1", mark: "")]))
  }
}
