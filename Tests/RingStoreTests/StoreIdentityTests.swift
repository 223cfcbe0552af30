import EventLoop
import Foundation
import Testing

@testable import RingStore

@Suite("Which store it is")
struct StoreIdentityTests {
  @Test("a store has no identity until somebody asks, then the same one for ever, and a copy at rest tells it too")
  func stays() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in
      #expect(try store.identity() == nil)
      async let one = store.makeIdentity()
      async let two = store.makeIdentity()
      let (first, second) = try await (one, two)
      #expect(first == second && first.value != 0)
      #expect(try store.identity() == first)
      #expect(first.text.count == 16 && UInt64(first.text, radix: 16) == first.value)
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(try again.identity() == first)
      #expect(try await again.makeIdentity() == first)
      await again.close()
    }
    let other = Scratch()
    try inStore(at: other) { _, store, _ in
      let known = try StoreReader(path: scratch.store).identity()
      #expect(known != nil)
      #expect(try await store.makeIdentity() != known)
    }
  }

  @Test("a value that is no identity counts as none, and is made anew")
  func damaged() async throws {
    try inStore(at: Scratch()) { _, store, _ in
      for bytes: [UInt8] in [[], [1, 2, 3], [UInt8](repeating: 0, count: 8)] {
        try await store.disk.change(pages: 8) { transaction throws(DatabaseFailure) in
          try transaction.put(transaction.tables.meta, Array("identity".utf8), bytes)
        }
        #expect(try store.identity() == nil)
      }
      #expect(try await store.makeIdentity().value != 0)
    }
  }
}
