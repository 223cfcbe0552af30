// Requests about one file of an insole: its length, and its content at an offset.

import Bluetooth
import EventLoop
import Wearable

/// Requests files by their numbers, without any state.
@LoopActor
struct FileInquiry {
  private let link: any WearableLink
  private let channel: SMPChannel

  /// Repetitions after a wrong chunk.
  private static let retries = 3

  init(_ link: any WearableLink, _ channel: SMPChannel) {
    self.link = link
    self.channel = channel
  }

  /// Length of a file, bytes; nil if there is no such file.
  ///
  /// - Throws: `unsupported` if the insole does not report it, or refuses for this file.
  func size(of number: Botz.FileNumber) async throws(VisitTrouble) -> Int? {
    switch try await sizeIfTold(of: number) {
    case .success(let size): return size
    case .failure(let untold): throw .unsupported(untold.why)
    }
  }

  /// The same. If only this file is not reported, the reason: it cannot be opened, or its status has no length.
  func sizeIfTold(of number: Botz.FileNumber) async throws(VisitTrouble) -> Result<Int?, Untold> {
    switch try await channel.ask(.status(name: number.path)) {
    case .content(let payload):
      guard let size = payload["len"]?.integer else {
        return .failure(Untold(why: "\(number.name): a status without its length"))
      }
      return .success(size)
    case .failure(.notFound): return .success(nil)
    case .failure(.file(let code)):
      return .failure(Untold(why: "\(number.name): \(FileManagement.Failure.file(code).text)"))
    case .failure(let failure): throw trouble(failure, number)
    }
  }

  struct Untold: Error {
    let why: String
  }

  private func trouble(_ failure: FileManagement.Failure, _ number: Botz.FileNumber) -> VisitTrouble {
    failure == .busy
      ? .busy(what: "file transfer", retryAfter: .seconds(5)) : .unsupported("\(number.name): \(failure.text)")
  }

  /// Chunk at an offset of the file; nil if there is no such file. A chunk of another offset is requested again.
  func chunk(_ number: Botz.FileNumber, at offset: Int) async throws(VisitTrouble) -> FileManagement.Chunk? {
    for _ in 0...Self.retries {
      switch try await channel.ask(.download(name: number.path, offset: offset)) {
      case .content(let payload):
        guard let chunk = FileManagement.Chunk(payload), chunk.offset == offset else {
          link.note("a chunk of a file from another offset than was asked for")
          continue
        }
        link.noteProgress(bytes: chunk.data.count)
        return chunk
      case .failure(let failure):
        if failure == .notFound { return nil }
        throw trouble(failure, number)
      }
    }
    throw .framing("\(number.name): chunks from other offsets than \(offset)")
  }

  /// Reads at least `count` bytes of a file from an offset on; nil if they do not exist.
  func bytes(of number: Botz.FileNumber, from offset: Int, atLeast count: Int) async throws(VisitTrouble) -> [UInt8]? {
    var bytes: [UInt8] = []
    // The insole chooses the length of a chunk.
    for _ in 0..<8 where bytes.count < count {
      guard let chunk = try await chunk(number, at: offset + bytes.count), !chunk.data.isEmpty else { return nil }
      bytes += chunk.data
    }
    return bytes.count >= count ? bytes : nil
  }

  /// End of the last session in a file, seconds on the insole's clock; nil if it is open, truncated or missing.
  func lastEnd(of number: Botz.FileNumber) async throws(VisitTrouble) -> UInt32? {
    guard let size = try await size(of: number), size >= Botz.ActivityHeader.size + Botz.ActivityFooter.size,
      let chunk = try await chunk(number, at: size - Botz.ActivityFooter.size),
      chunk.data.count == Botz.ActivityFooter.size
    else { return nil }
    return chunk.data.withUnsafeBytes { (try? Botz.ActivityFooter($0))?.end }
  }
}

extension ActivityDomain {
  /// Length of a file; nil if it does not exist or the insole does not report it. In the latter case the other files
  /// are listed all the same, and the hub does not erase.
  func size(of number: Botz.FileNumber) async throws(VisitTrouble) -> Int? {
    switch try await inquiry.sizeIfTold(of: number) {
    case .success(let size): return size
    case .failure(let failure):
      insole.link.note(failure.why)
      isIncomplete = true
      untold = untold ?? failure.why
      return nil
    }
  }
}
