import EventLoop
import Foundation
import Testing

@testable import RingStore

@Suite("Which store it is")
struct StoreIdentityTests {
  @Test("a store has no identity until the first request, then the same one for ever, and a copy at rest has it too")
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

  @Test("an invalid identity counts as missing, and is made again")
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

  private static let home = MachineMarks(machine: "one", processor: "1000", radio: "B8:27:EB:00:00:01")

  @Test("a copy on another machine gets another identity, and the store itself keeps its own")
  func copied() throws {
    try inStore(at: Scratch()) { _, store, _ in
      let first = try await store.makeIdentity()
      #expect(try await store.makeIdentity(on: Self.home) == first, "a store from before is bound to where it is")
      // A new adapter, or a system that was made again.
      for same in [
        MachineMarks(machine: "one", processor: "1000", radio: "00:1A:7D:00:00:02"),
        MachineMarks(machine: "new image", processor: "1000", radio: "00:1A:7D:00:00:02"),
        MachineMarks(machine: "new image", processor: "1000", radio: nil),
        MachineMarks(machine: nil, processor: nil, radio: nil),
      ] { #expect(try await store.makeIdentity(on: same) == first) }
      // The card alone was copied: the system calls itself the same.
      let copy = MachineMarks(machine: "new image", processor: "2000", radio: "B8:27:EB:00:00:09")
      let second = try await store.makeIdentity(on: copy)
      #expect(second != first)
      #expect(try await store.makeIdentity(on: copy) == second && store.identity() == second)
      #expect(try await store.makeIdentity(on: Self.home) != second)
    }
  }

  @Test("a radio that is not there yet makes no copy of a store, and hides no copy")
  func radioLater() throws {
    try inStore(at: Scratch()) { _, store, _ in
      let first = try await store.makeIdentity(on: Self.home)
      #expect(try await store.makeIdentity(on: MachineMarks(machine: "one", processor: "1000", radio: nil)) == first)
      #expect(try await store.makeIdentity(on: Self.home) == first)
      // The card alone was moved to another board: its system calls itself the same, and the radio comes later.
      #expect(try await store.makeIdentity(on: MachineMarks(machine: "one", processor: "2000", radio: nil)) == first)
      let copy = MachineMarks(machine: "one", processor: "2000", radio: "B8:27:EB:00:00:09")
      #expect(try await store.makeIdentity(on: copy) != first)
    }
  }

  @Test("a machine with two marks keeps its store when one of them changes, and a copy of both is another")
  func twoMarks() throws {
    try inStore(at: Scratch()) { _, store, _ in
      let home = MachineMarks(machine: "pc", processor: nil, radio: "00:1A:7D:00:00:02")
      let first = try await store.makeIdentity(on: home)
      for same in [
        MachineMarks(machine: "pc", processor: nil, radio: "00:1A:7D:00:00:03"),
        MachineMarks(machine: "made anew", processor: nil, radio: "00:1A:7D:00:00:02"),
        MachineMarks(machine: "made anew", processor: nil, radio: nil),
      ] { #expect(try await store.makeIdentity(on: same) == first) }
      let copy = MachineMarks(machine: "other", processor: nil, radio: "00:1A:7D:00:00:03")
      #expect(try await store.makeIdentity(on: copy) != first)
    }
  }
}
