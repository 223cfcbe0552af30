// The command channel of a band over one link: one command in flight, its answer matched by command.

import Bands
import Bluetooth
import EventLoop
import Wearable

/// Asks a band and hears what it says by itself. Answers have no sequence number, so whatever is late or of another
/// command is passed over; what the band begins by itself (52) is kept aside.
@LoopActor
final class MoyoungClient {
  private let link: any WearableLink
  private let written: GATTCharacteristic
  private let notified: GATTCharacteristic
  private let pieces: BandPieces
  private let inbox = Inbox()
  private var assembler = MoyoungAssembler()
  /// As its manufacturer name says, or its last frame.
  private(set) var framing = MoyoungFraming.fixed
  /// Payloads of command 52 that nobody has taken yet.
  private var pushed: [[UInt8]] = []
  /// Commands in a row that were not answered.
  private var unanswered = 0
  /// Commands that it answered on this link: it knows them, and an answer that does not come was lost.
  private var answered: Set<UInt8> = []
  private var isListening = false
  /// It was asked for heart rates since the visit began, and knows that; nil: it was not asked.
  private var hasRates: Bool?

  /// From a command to its answer: the vendor's kit gives others of its bands as long (b2's reply time).
  nonisolated static let patience: Duration = .seconds(5)
  /// A band that leaves a command unanswered does not know it; one that leaves four in a row (the interval, trainings,
  /// rates, past days: 20 s) is not there.
  nonisolated static let unansweredLimit = 4
  /// Parts of 52 that wait: those of one training.
  nonisolated static let pushedLimit = TrainingRatesParts.partLimit

  /// nil where the channel is not there.
  init?(_ link: any WearableLink) {
    guard let written = link.database.characteristic(Moyoung.command, in: Moyoung.service),
      !written.properties.isDisjoint(with: [.write, .writeWithoutResponse]),
      let notified = link.database.characteristic(Moyoung.answer, in: Moyoung.service),
      !notified.properties.isDisjoint(with: [.notify, .indicate])
    else { return nil }
    (self.link, self.written, self.notified) = (link, written, notified)
    pieces = BandPieces(link, written)
  }

  /// Listens, and learns the framing.
  ///
  /// - Parameter manufacturer: its name by 180A; nil: it has none.
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

  // MARK: Asking

  /// Writes a command that has no answer.
  func tell(_ command: UInt8, _ payload: [UInt8] = []) async throws(VisitTrouble) {
    guard let frame = MoyoungFrame(framing, command, payload) else { throw .unsupported("a frame that is too long") }
    try await pieces.write(frame.bytes)
  }

  /// Writes a command and waits for the frame that answers it; once more where it answered the same command before.
  ///
  /// - Parameters:
  ///   - isRepeatable: asked again, the band says the same again.
  ///   - isAnswer: tells an answer from a late one to the same command.
  /// - Throws: `silent` without one in time.
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

  /// The same of what a band need not know.
  ///
  /// - Returns: nil where it does not answer.
  /// - Throws: `silent` where it answered nothing before either.
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

  /// Heart rates: those of yesterday first, which midnight takes. One that does not answer the first is asked for no
  /// more; if it answered others, what is missing was lost on its way, and costs no more than itself.
  ///
  /// - Parameter isSameDay: false ends it: what is answered then counts days from another one.
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

  // MARK: Hearing

  /// What came so far is no answer to what is asked next, and what was begun comes to no end.
  func startOver() {
    pump()
    assembler.reset()
  }

  /// The next whole frame; nil where none came.
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

  /// Looks at what came while nobody asked.
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

  /// Keeps what was begun by the band.
  func passOver(_ frame: MoyoungFrame) {
    guard frame.command == Moyoung.Command.trainingRates else { return }
    if TrainingRatesParts.isFirst(frame.payload) { pushed = [] }
    if pushed.count < Self.pushedLimit { pushed.append(frame.payload) }
  }

  /// Payloads of 52 that came by themselves, in order.
  func takePushed() -> [[UInt8]] {
    pump()
    defer { pushed = [] }
    return pushed
  }
}
