// Command channel of a band over one link: one command in flight, its answer matched by command.

import Bands
import Bluetooth
import EventLoop
import Wearable

/// Sends commands, and receives answers and unsolicited frames. Answers have no sequence number, so late and unrelated
/// ones are skipped. Frames that the band starts by itself (52) are queued.
@LoopActor
final class MoyoungClient {
  private let link: any WearableLink
  private let written: GATTCharacteristic
  private let notified: GATTCharacteristic
  private let pieces: BandPieces
  private let inbox = Inbox()
  private var assembler = MoyoungAssembler()
  /// Framing, from the manufacturer's name or the band's last frame.
  private(set) var framing = MoyoungFraming.fixed
  /// Queued payloads of command 52.
  private var pushed: [[UInt8]] = []
  /// Commands in a row without an answer.
  private var unanswered = 0
  /// Commands answered over this link: the band knows them, so a missing answer was lost.
  private var answered: Set<UInt8> = []
  private var isListening = false
  /// Whether the band knows the request for heart rates; nil: not requested since the visit began.
  private var hasRates: Bool?

  /// Timeout of an answer, as in the vendor's kit for other bands (reply time of b2).
  nonisolated static let patience: Duration = .seconds(5)
  /// Commands without an answer after which the visit ends. A band that does not answer one command does not know it.
  /// After four in a row (the interval, trainings, rates, past days: 20 s) it is absent.
  nonisolated static let unansweredLimit = 4
  /// Queue length of 52: the parts of one training.
  nonisolated static let pushedLimit = TrainingRatesParts.partLimit

  /// nil if the channel does not exist.
  init?(_ link: any WearableLink) {
    guard let written = link.database.characteristic(Moyoung.command, in: Moyoung.service),
      !written.properties.isDisjoint(with: [.write, .writeWithoutResponse]),
      let notified = link.database.characteristic(Moyoung.answer, in: Moyoung.service),
      !notified.properties.isDisjoint(with: [.notify, .indicate])
    else { return nil }
    (self.link, self.written, self.notified) = (link, written, notified)
    pieces = BandPieces(link, written)
  }

  /// Subscribes, and determines the framing.
  ///
  /// - Parameter manufacturer: name from service 180A; nil: not available.
  func begin(manufacturer: String?) async throws(VisitTrouble) {
    if let manufacturer {
      framing = manufacturer == Moyoung.wideName ? .wide : .fixed
      if manufacturer != Moyoung.wideName, manufacturer != Moyoung.fixedName {
        link.note("a maker that this driver does not know: short frames are taken for its own")
      }
    }
    hasRates = nil
    if isListening { return }
    try await link.subscribe(notified, into: inbox)
    isListening = true
  }

  // MARK: Requests

  /// Writes a command that has no answer.
  func tell(_ command: UInt8, _ payload: [UInt8] = []) async throws(VisitTrouble) {
    guard let frame = MoyoungFrame(framing, command, payload) else { throw .unsupported("a frame that is too long") }
    try await pieces.write(frame.bytes)
  }

  /// Writes a command and waits for its answer. Repeats it once if the band answered the same command before.
  ///
  /// - Parameters:
  ///   - isRepeatable: a repetition gets the same answer.
  ///   - isAnswer: distinguishes an answer from a late one to the same command.
  /// - Throws: `silent` after the timeout.
  func ask(
    _ command: UInt8, _ payload: [UInt8] = [], isRepeatable: Bool = true,
    _ isAnswer: ([UInt8]) -> Bool = { _ in true }
  ) async throws(VisitTrouble) -> [UInt8] {
    startOver()
    try await tell(command, payload)
    if let answer = try await answer(command, isAnswer) {
      unanswered = 0
      answered.insert(command)
      return answer
    }
    unanswered += 1
    if isRepeatable, answered.remove(command) != nil { return try await ask(command, payload, isAnswer) }
    throw .silent(what: "an answer to command \(command)")
  }

  private func answer(_ command: UInt8, _ isAnswer: ([UInt8]) -> Bool) async throws(VisitTrouble) -> [UInt8]? {
    let deadline = link.hubTime.monotonic + Self.patience.wholeNanoseconds
    while true {
      let left = deadline - link.hubTime.monotonic
      guard left > 0, let frame = try await next(within: .nanoseconds(left)) else { return nil }
      if frame.command == command, isAnswer(frame.payload) { return frame.payload }
      passOver(frame)
    }
  }

  /// The same for a command that the band may not know.
  ///
  /// - Returns: nil without an answer.
  /// - Throws: `silent` if earlier commands had no answer either.
  func askIfKnown(
    _ command: UInt8, _ payload: [UInt8] = [], isRepeatable: Bool = true,
    _ isAnswer: ([UInt8]) -> Bool = { _ in true }
  ) async throws(VisitTrouble) -> [UInt8]? {
    do throws(VisitTrouble) {
      return try await ask(command, payload, isRepeatable: isRepeatable, isAnswer)
    } catch {
      guard case .silent = error, unanswered < Self.unansweredLimit else { throw error }
      link.note("it does not answer command \(command)")
      return nil
    }
  }

  /// Reads heart rates: first those of yesterday, which are lost at midnight. If the first request is not answered, the
  /// band is not asked for more. After any answer, a missing one was lost on the way, and only that part is missing.
  ///
  /// - Parameter isSameDay: false stops: further answers would count back from another day.
  func rates(_ indices: [UInt8] = [4, 5, 6, 7, 0, 1, 2, 3], while isSameDay: () -> Bool) async throws(VisitTrouble)
    -> [MoyoungRates]
  {
    var answers: [MoyoungRates] = []
    for index in indices where hasRates != false {
      let answer = try await askIfKnown(Moyoung.Command.rates, [index]) { $0.first == index }
      if answer != nil { hasRates = true } else if hasRates == nil { hasRates = false }
      guard isSameDay() else { break }
      guard let answer else { continue }
      guard let rates = MoyoungRates(payload: answer) else {
        link.note("heart rates of less than a quarter of a day")
        continue
      }
      answers.append(rates)
    }
    return answers
  }

  // MARK: Receiving

  /// Discards received frames, which cannot answer the next command, and an incomplete frame.
  func startOver() {
    pump()
    assembler.reset()
  }

  /// Next complete frame; nil after a timeout.
  func next(within limit: Duration) async throws(VisitTrouble) -> MoyoungFrame? {
    let deadline = link.hubTime.monotonic + limit.wholeNanoseconds
    while true {
      let left = deadline - link.hubTime.monotonic
      if left <= 0 { return nil }
      let value: [UInt8]
      do throws(VisitTrouble) { value = try await link.next(from: inbox, within: .nanoseconds(left)) } catch {
        guard case .silent = error else { throw error }
        return nil
      }
      if let frame = take(value) { return frame }
    }
  }

  /// Processes frames that came without a request.
  func pump() {
    while let value = inbox.take() { if let frame = take(value) { passOver(frame) } }
  }

  private func take(_ value: [UInt8]) -> MoyoungFrame? {
    switch assembler.take(value) {
    case .more: return nil
    case .defective(let defect):
      link.note("a notification that is no frame: \(defect.rawValue)")
      return nil
    case .whole(let frame):
      framing = frame.framing
      link.noteProgress(bytes: frame.payload.count)
      return frame
    }
  }

  /// Queues frames that the band started; skips others.
  func passOver(_ frame: MoyoungFrame) {
    guard frame.command == Moyoung.Command.trainingRates else { return }
    if TrainingRatesParts.isFirst(frame.payload) { pushed = [] }
    if pushed.count < Self.pushedLimit { pushed.append(frame.payload) }
  }

  /// Queued payloads of 52, in order.
  func takePushed() -> [[UInt8]] {
    pump()
    defer { pushed = [] }
    return pushed
  }
}
