// Requests and answers of the management protocol over an open link.

import Bluetooth
import EventLoop
import Wearable

/// Sends one request at a time. Pieces of an answer can be lost, so a request is repeated up to `retries` times.
@LoopActor
final class SMPChannel {
  /// Timeout of a whole answer.
  static let patience: Duration = .seconds(10)
  static let retries = 3
  /// Timeout after a piece shorter than the first: normally the frame has no further piece then.
  static let brokenPatience: Duration = .milliseconds(500)
  /// Silence after which no older answer can be in transit.
  static let quiet: Duration = .milliseconds(200)
  /// Answers to older requests that are skipped.
  static let staleLimit = 16
  /// Time until the connection parameters are settled: 5 s after the last frame the insole requests its own.
  static let settling: Duration = .seconds(6)

  enum Answer {
    case content(CBOR)
    case failure(FileManagement.Failure)
  }

  private let link: any WearableLink
  private let characteristic: GATTCharacteristic
  /// 4,096 bytes in pieces of 20 are 205.
  private let inbox = Inbox(limit: 256)
  private var isListening = false
  private var sequence: UInt8 = 0
  private var reassembler = SMPReassembler()

  init(_ link: any WearableLink, _ characteristic: GATTCharacteristic) {
    self.link = link
    self.characteristic = characteristic
  }

  /// - Throws: `silent` after all repetitions, `framing` if no valid answer comes, and all errors of the link.
  func ask(_ request: FileManagement.Request) async throws(VisitTrouble) -> Answer {
    if !isListening {
      try await link.subscribe(characteristic, into: inbox)
      isListening = true
    }
    var trouble = VisitTrouble.silent(what: "file transfer")
    for attempt in 0...Self.retries {
      if attempt > 0 { try await waitForQuiet() }
      do throws(VisitTrouble) { return try await askOnce(request) } catch {
        switch error {
        case .silent: trouble = .silent(what: "file transfer")
        case .framing: trouble = error
        default: throw error
        }
      }
    }
    throw trouble
  }

  private func askOnce(_ request: FileManagement.Request) async throws(VisitTrouble) -> Answer {
    inbox.removeAll()
    reassembler.reset()
    sequence &+= 1
    let frame = request.frame(sequence: sequence).encode()
    // Reported in advance, so that it is known even if the link ends in between.
    link.profileWasDisturbed(settlesAfter: Self.settling)
    defer { link.profileWasDisturbed(settlesAfter: Self.settling) }
    let piece = max(20, link.mtu - 3)
    var rest = frame[...]
    while !rest.isEmpty {
      try await link.writeCommand(characteristic, Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    let deadline = link.hubTime.monotonic + Self.patience.wholeNanoseconds
    for _ in 0..<Self.staleLimit {
      let answer = try await nextFrame(deadline)
      guard answer.header.sequence == sequence else { continue }
      guard answer.header.group == FileManagement.group, answer.header.command == request.command,
        answer.header.operation == (request.operation == .write ? .writeReply : .readReply)
      else { throw .framing("a response to another request") }
      if let failure = FileManagement.Failure(answer.payload) { return .failure(failure) }
      return .content(answer.payload ?? .map([]))
    }
    throw .framing("answers to other questions")
  }

  private func nextFrame(_ deadline: Int64) async throws(VisitTrouble) -> SMPFrame {
    while true {
      var left = Duration.nanoseconds(deadline - link.hubTime.monotonic)
      if left <= .zero { throw .silent(what: "file transfer") }
      if reassembler.isBroken { left = min(left, Self.brokenPatience) }
      switch reassembler.take(try await link.next(from: inbox, within: left)) {
      case .more: continue
      case .defective(let why): throw .framing(why)
      case .whole(let bytes):
        switch bytes.withUnsafeBytes({ bytes in Result { () throws(SMPFrame.Defect) in try SMPFrame(bytes) } }) {
        case .success(let frame): return frame
        case .failure(let defect): throw .framing("an answer that cannot be read: \(defect)")
        }
      }
    }
  }

  /// Waits until the rest of an older answer has arrived, so that it is not mixed with the next one.
  private func waitForQuiet() async throws(VisitTrouble) {
    for _ in 0..<inbox.limit {
      do throws(VisitTrouble) { _ = try await link.next(from: inbox, within: Self.quiet) } catch {
        if case .silent = error { return }
        throw error
      }
    }
  }
}
