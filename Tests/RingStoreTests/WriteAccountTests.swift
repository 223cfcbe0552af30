import Foundation
import Testing

@testable import RingStore

struct WriteAccountTests {
  private func account(_ text: String) -> WriteAccount? { Array(text.utf8).withUnsafeBytes { WriteAccount($0) } }

  @Test("of the kernel's account the smaller of what was handed over, with a root page, and what was made dirty counts")
  func smaller() {
    let before = account(
      "rchar: 9\nwchar: 1000\nsyscr: 1\nsyscw: 2\nread_bytes: 0\nwrite_bytes: 4096\ncancelled_write_bytes: 5\n")
    let after = account(
      "rchar: 9\nwchar: 9312\nsyscr: 1\nsyscw: 2\nread_bytes: 0\nwrite_bytes: 528384\ncancelled_write_bytes: 77777\n")
    #expect(before != nil)
    #expect(WriteAccount.flash(from: before, to: after, pageSize: 4096) == 8312 + 4096)
    #expect(WriteAccount.flash(from: after, to: before, pageSize: 4096) == 0)
    #expect(WriteAccount.flash(from: nil, to: after, pageSize: 4096) == 0)
  }

  @Test(
    "a text that is no account gives nil",
    arguments: ["", "wchar: 1\n", "write_bytes: 1\n", "wchar: 99999999999999999999999\nwrite_bytes: 1\n", "\n\n\n"])
  func strange(text: String) { #expect(account(text) == nil) }

  @Test("an account that is kept open counts for the calling thread, whichever opened it")
  func threads() async throws {
    let scratch = Scratch()
    let kept = WriteAccountFile(isThreadOfItsOwn: false)
    _ = try #require(kept.read(), "this kernel keeps no accounts")
    let (seen, isWritten): ((UInt64, UInt64), Bool) = await withCheckedContinuation { continuation in
      Thread {
        let own = WriteAccountFile(isThreadOfItsOwn: false)
        let before = (kept.read(), own.read())
        let isWritten = FileManager.default.createFile(
          atPath: scratch.path + "/page", contents: Data(repeating: 1, count: 8192))
        let after = (kept.read(), own.read())
        let seen = (
          WriteAccount.flash(from: before.0, to: after.0, pageSize: 4096),
          WriteAccount.flash(from: before.1, to: after.1, pageSize: 4096)
        )
        continuation.resume(returning: (seen, isWritten))
      }.start()
    }
    #expect(isWritten && seen.0 == seen.1)
  }
}
