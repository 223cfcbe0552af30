// The command channel of a band: requests one after the other, their answers, and what the band tells by itself.

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
  /// Of the newest request. The first has a number to which a band's own counter does not come soon.
  private var sequence: UInt16 = 0x7FFF
  /// Requests so far.
  private var asked = 0
  /// Answers bear the sequence of their requests; nil: none has come yet. The vendor says that it is for matching, and
  /// not that every band does it.
  private(set) var echoesSequence: Bool?
  /// What was answered last, by the number that the answer had; and whether numbers of answers were seen to change.
  private var newest: (topic: TopStepTopic, number: UInt16)?
  private var numbersMove = false
  /// Number of the newest frame that bore one of the band's own count; nil: none came since the last answer, which some
  /// bands count, and others do not.
  private var ownNumber: UInt16?
  /// How often that count went on by more than one: frames may be missing that left no trace.
  private(set) var jumps = 0
  /// All that came until the first sound frame, for telling whose it is.
  private var unproven: [UInt8] = []
  private var isSubscribed = false

  /// A sound frame has come: it is of the new platform.
  private(set) var isCertain = false
  /// A sound frame of FitCloud's has come.
  private(set) var isFitCloud = false
  /// What was refused, since somebody looked.
  var defects: [TopStepDefect] = []
  /// Something is handed over or measured: what is streamed is kept for whoever asked for it.
  var isStreaming = false {
    didSet { if !isStreaming { streamed = [] } }
  }
  private var streamed: [TopStepFrame] = []
  /// Is told of what is streamed when it comes, whatever is waited for then: what is measured now has the time of now.
  var onStreamed: (@LoopActor (TopStepFrame) -> Void)?
  /// What the band tells unasked.
  var onTold: (@LoopActor (TopStepFrame) -> Void)?

  // As the vendor's kit has them.
  /// Between two pieces of one frame.
  nonisolated static let piecePatience: Duration = .seconds(3)
  /// From a request to its answer.
  nonisolated static let patience: Duration = .seconds(5)
  /// The same, of one that may be another family's; twice that, and the question in FitCloud's layout, end before a
  /// visit counts as stalled.
  nonisolated static let firstPatience: Duration = .seconds(4)
  /// A band of FitCloud's acknowledges each request at once.
  nonisolated private static let fitCloudPatience: Duration = .milliseconds(2500)
  /// From a request to the end of its last repetition.
  nonisolated static let longestPatience: Duration = .seconds(18)
  nonisolated static let repeats = 2
  /// Before a repetition.
  nonisolated static let repeatPause: Duration = .milliseconds(500)
  /// Messages that wait for whoever asked for them; each is taken as it comes.
  nonisolated private static let waiting = 64
  /// Pieces that were pushed out of the inbox.
  var lostPieces: UInt64 { inbox.overflows }

  /// nil where the band lacks what frames are written to or come by.
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

  /// A request, repeated where no answer comes.
  ///
  /// - Parameter isMeant: whether an answer is to this request, for a band that does not say so by its number.
  /// - Returns: the payload of the answer.
  /// - Throws: `silent` without one; then `isFitCloud` may tell why.
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

  /// The same, of a message whose answer nobody needs to go on.
  ///
  /// - Returns: nil where it does not answer.
  func askOnce(_ topic: TopStepTopic, _ payload: [UInt8] = []) async throws(VisitTrouble) -> [UInt8]? {
    do throws(VisitTrouble) { return try await ask(topic, payload, repeats: 0) } catch {
      guard case .silent = error else { throw error }
      return nil
    }
  }

  private func isAnswer(_ frame: TopStepFrame, _ isMeant: @LoopActor ([UInt8]) -> Bool) -> Bool {
    if frame.sequence == sequence {
      // Over a new link nothing can be left of an earlier request.
      echoesSequence = echoesSequence ?? true
      return true
    }
    // A number that no request had: the band counts its own frames, also where the two were the same by chance before.
    if echoesSequence == nil || Int(sequence &- frame.sequence) >= asked { echoesSequence = false }
    guard echoesSequence == false else { return false }
    // The same frame a second time answers nothing: a band that counts gives each a number of its own.
    if numbersMove, let newest, newest == (frame.topic, frame.sequence) { return false }
    return isMeant(frame.payload)
  }

  /// Asks in FitCloud's layout, where no answer came in this one. Sets `isFitCloud`.
  func askAsFitCloud() async throws(VisitTrouble) {
    unproven = []
    try await pieces.write(FitCloudAnswer.question)
    let deadline = now + Self.fitCloudPatience.wholeNanoseconds
    while !isFitCloud, !isCertain, let frame = try await receive(by: deadline) { told(frame) }
  }

  // MARK: Hearing

  /// The next message of what is streamed; nil where none comes in time.
  func nextStreamed(within patience: Duration) async throws(VisitTrouble) -> TopStepFrame? {
    let deadline = now + patience.wholeNanoseconds
    while true {
      if !streamed.isEmpty { return streamed.removeFirst() }
      guard let frame = try await receive(by: deadline) else { return nil }
      told(frame)
    }
  }

  /// Forgets messages of a topic that nobody has taken yet.
  func dropStreamed(_ topic: TopStepTopic) { streamed.removeAll { $0.topic == topic } }

  /// Takes what has come meanwhile, without waiting.
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

  /// The next frame; nil where none is whole in time.
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

  /// A jump of more than this is another count.
  private static let longestJump: UInt16 = 64

  /// Frames that a band begins are numbered one after the other; answers that bear the numbers of requests are not
  /// among them.
  private func noteNumber(_ number: UInt16) {
    if Int(sequence &- number) < asked { return }
    defer { ownNumber = number }
    guard let ownNumber, (2...Self.longestJump).contains(number &- ownNumber) else { return }
    jumps += 1
  }

  private func refuse(_ defect: TopStepDefect) {
    if defects.count < Self.waiting { defects.append(defect) }
    // What another platform's answer looks like says nothing.
    if isCertain || defect.isFragment { link.note(defect.text) }
  }

  private var now: Int64 { link.hubTime.monotonic }
}

extension TopStepDefect {
  var isFragment: Bool { if case .fragment = self { true } else { false } }
}
