// Command channel of a band: requests in sequence, their answers, and unsolicited frames.

import Bands
import Bluetooth
import EventLoop
import Wearable

@LoopActor
final class TopStepChannel {
  let link: any WearableLink
  private let pieces: BandPieces
  private let answer: GATTCharacteristic
  private let inbox = Inbox(limit: 1024)
  private var assembler = FrameAssembler()
  private var ready: [TopStepFrame] = []
  /// Sequence number of the newest request. The first is one that a band's own counter does not reach soon.
  private var sequence: UInt16 = 0x7FFF
  /// Number of requests sent over this link.
  private var asked = 0
  /// Whether answers repeat the sequence number of their request; nil: unknown before the first answer. The vendor says
  /// that the number is for matching, but not that every band repeats it.
  private(set) var echoesSequence: Bool?
  /// Topic and number of the last answer, and whether numbers of answers were seen to change.
  private var newest: (topic: TopStepTopic, number: UInt16)?
  private var numbersMove = false
  /// Newest number of the band's own counter; nil: no unsolicited frame came since the last answer. Some bands count
  /// answers too, and others do not.
  private var ownNumber: UInt16?
  /// Gaps seen in that counter. Each may be a frame that was lost without any other trace.
  private(set) var jumps = 0
  /// Bytes received before the first sound frame, used to recognise the platform.
  private var unproven: [UInt8] = []
  private var isSubscribed = false

  /// Whether a sound frame of the new platform has come.
  private(set) var isCertain = false
  /// Whether a sound frame of FitCloud has come.
  private(set) var isFitCloud = false
  /// Frames rejected since the caller last cleared this list.
  var defects: [TopStepDefect] = []
  /// Whether a transfer or a measurement runs. Streamed frames are then queued for the function that requested them.
  var isStreaming = false {
    didSet { if !isStreaming { streamed = [] } }
  }
  private var streamed: [TopStepFrame] = []
  /// Called with each streamed frame on arrival, even while an answer is awaited: a live value is dated at its arrival.
  var onStreamed: (@LoopActor (TopStepFrame) -> Void)?
  /// Called with each unsolicited frame.
  var onTold: (@LoopActor (TopStepFrame) -> Void)?

  // Timeouts of the vendor's kit.
  /// Time between two pieces of one frame.
  nonisolated static let piecePatience: Duration = .seconds(3)
  /// Time from a request to its answer.
  nonisolated static let patience: Duration = .seconds(5)
  /// Time from the first request to its answer, for a band that may be of another family. Twice this, and the request
  /// in FitCloud's layout, end before a visit counts as stalled.
  nonisolated static let firstPatience: Duration = .seconds(4)
  /// Time for the acknowledgement of a FitCloud band, which acknowledges each request at once.
  nonisolated private static let fitCloudPatience: Duration = .milliseconds(2500)
  /// Time from a request to the end of its last repetition.
  nonisolated static let longestPatience: Duration = .seconds(18)
  nonisolated static let repeats = 2
  /// Pause before a repetition.
  nonisolated static let repeatPause: Duration = .milliseconds(500)
  /// Queue length of streamed frames; each is taken as it comes.
  nonisolated private static let waiting = 64
  /// Pieces lost because the inbox was full.
  var lostPieces: UInt64 { inbox.overflows }

  /// nil if the band lacks one of the two characteristics for frames.
  init?(_ link: any WearableLink) {
    guard let command = link.database.characteristic(Band.command, in: Band.service),
      let answer = link.database.characteristic(Band.answer, in: Band.service)
    else { return nil }
    self.link = link
    self.answer = answer
    pieces = BandPieces(link, command)
  }

  func begin() async throws(VisitTrouble) {
    if isSubscribed { return }
    try await link.subscribe(answer, into: inbox)
    isSubscribed = true
  }

  // MARK: Asking

  /// Sends a request, and repeats it if no answer comes.
  ///
  /// - Parameter isMeant: whether an answer is to this request, for a band that numbers answers on its own.
  /// - Returns: the payload of the answer.
  /// - Throws: `silent` without an answer; `isFitCloud` may then explain why.
  func ask(
    _ topic: TopStepTopic, _ payload: [UInt8] = [], within patience: Duration = patience, repeats: Int = repeats,
    isMeant: @LoopActor ([UInt8]) -> Bool = { _ in true }
  ) async throws(VisitTrouble) -> [UInt8] {
    sequence &+= 1
    asked += 1
    let request = TopStepFrame(topic: topic, sequence: sequence, payload: payload)
    let end = now + max(Self.longestPatience, patience).wholeNanoseconds
    for attempt in 0...repeats {
      if attempt > 0 {
        pieces.noteLost(request.bytes)
        try await link.settle(for: Self.repeatPause)
      }
      try await pieces.write(request.bytes)
      let deadline = min(now + patience.wholeNanoseconds, end)
      while let frame = try await receive(by: deadline) {
        if frame.topic == topic, isAnswer(frame, isMeant) {
          if let newest, newest.number != frame.sequence { numbersMove = true }
          newest = (topic, frame.sequence)
          ownNumber = nil
          return frame.payload
        }
        told(frame)
      }
      if isFitCloud || now >= end { break }
    }
    throw .silent(what: "its answer to \(topic.text)")
  }

  /// Sends a request once, if the visit can go on without its answer.
  ///
  /// - Returns: nil without an answer.
  func askOnce(_ topic: TopStepTopic, _ payload: [UInt8] = []) async throws(VisitTrouble) -> [UInt8]? {
    do throws(VisitTrouble) { return try await ask(topic, payload, repeats: 0) } catch {
      guard case .silent = error else { throw error }
      return nil
    }
  }

  private func isAnswer(_ frame: TopStepFrame, _ isMeant: @LoopActor ([UInt8]) -> Bool) -> Bool {
    if frame.sequence == sequence {
      // On a new link no answer to an earlier request can be outstanding.
      echoesSequence = echoesSequence ?? true
      return true
    }
    // No request had this number, so the band counts its own frames. An earlier match was by chance.
    if echoesSequence == nil || Int(sequence &- frame.sequence) >= asked { echoesSequence = false }
    guard echoesSequence == false else { return false }
    // A repeated frame is no answer: a band that counts gives each answer a new number.
    if numbersMove, let newest, newest == (frame.topic, frame.sequence) { return false }
    return isMeant(frame.payload)
  }

  /// Sends a request in FitCloud's layout, after no answer came in this one. Sets `isFitCloud`.
  func askAsFitCloud() async throws(VisitTrouble) {
    unproven = []
    try await pieces.write(FitCloudAnswer.question)
    let deadline = now + Self.fitCloudPatience.wholeNanoseconds
    while !isFitCloud, !isCertain, let frame = try await receive(by: deadline) { told(frame) }
  }

  // MARK: Receiving

  /// Next streamed frame; nil after a timeout.
  func nextStreamed(within patience: Duration) async throws(VisitTrouble) -> TopStepFrame? {
    let deadline = now + patience.wholeNanoseconds
    while true {
      if !streamed.isEmpty { return streamed.removeFirst() }
      guard let frame = try await receive(by: deadline) else { return nil }
      told(frame)
    }
  }

  /// Discards queued frames of a topic.
  func dropStreamed(_ topic: TopStepTopic) { streamed.removeAll { $0.topic == topic } }

  /// Processes all received pieces without waiting.
  func hear() {
    while let piece = inbox.take() { take(piece) }
    while !ready.isEmpty { told(ready.removeFirst()) }
  }

  private func told(_ frame: TopStepFrame) {
    noteNumber(frame.sequence)
    guard frame.topic.isStreamed else {
      onTold?(frame)
      return
    }
    guard isStreaming else { return }
    onStreamed?(frame)
    if streamed.count == Self.waiting {
      streamed.removeFirst()
      refuse(.incomplete)
    }
    streamed.append(frame)
  }

  /// Next complete frame; nil after a timeout.
  private func receive(by deadline: Int64) async throws(VisitTrouble) -> TopStepFrame? {
    while true {
      if !ready.isEmpty { return ready.removeFirst() }
      let left = deadline - now
      if left <= 0 || isFitCloud { return nil }
      let patience = assembler.isEmpty ? left : min(left, Self.piecePatience.wholeNanoseconds)
      let piece: [UInt8]
      do throws(VisitTrouble) { piece = try await link.next(from: inbox, within: .nanoseconds(patience)) } catch {
        guard case .silent = error else { throw error }
        if assembler.giveUp() { refuse(.incomplete) }
        continue
      }
      take(piece)
    }
  }

  private func take(_ piece: [UInt8]) {
    if !isCertain, unproven.count + piece.count <= FitCloudAnswer.limit {
      unproven += piece
      isFitCloud = FitCloudAnswer.isOne(unproven)
      if isFitCloud { return }
    }
    for event in assembler.take(piece) {
      switch event {
      case .refused(let defect): refuse(defect)
      case .frame(let frame):
        isCertain = true
        if frame.flags != 0 { link.note("frames with flags are taken as they are") }
        ready.append(frame)
      }
    }
  }

  /// Largest gap in numbers; a greater one means that another counter is in use.
  private static let longestJump: UInt16 = 64

  /// Counts gaps in the band's own counter. Frames that the band starts are numbered in sequence. Answers with the
  /// number of their request are not part of it.
  private func noteNumber(_ number: UInt16) {
    if Int(sequence &- number) < asked { return }
    defer { ownNumber = number }
    guard let ownNumber, (2...Self.longestJump).contains(number &- ownNumber) else { return }
    jumps += 1
  }

  private func refuse(_ defect: TopStepDefect) {
    if defects.count < Self.waiting { defects.append(defect) }
    // Not noted before the platform is certain: an answer of another platform looks like a defect.
    if isCertain || defect.isFragment { link.note(defect.text) }
  }

  private var now: Int64 { link.hubTime.monotonic }
}

extension TopStepDefect {
  var isFragment: Bool { if case .fragment = self { true } else { false } }
}
