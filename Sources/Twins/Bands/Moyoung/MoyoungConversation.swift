// Reaction of a Moyoung band to each command: settings, requests, measurements on demand, and the rates of a training,
// which it sends unsolicited.

import EventLoop
import Health

/// Settings by the hub. A reset deletes them.
struct MoyoungSettings: Sendable, Hashable {
  var goal: UInt32 = 8000
  /// 0: 12 hours, 1: 24 hours.
  var timeSystem: UInt8 = 0
  /// 0: metric.
  var units: UInt8 = 0
  var rateInterval: UInt8
  /// Height in cm, weight in kg, age, sex (0 male, 1 female).
  var user: [UInt8] = []
}

/// Request of the hub, with its argument.
struct MoyoungQuestion: Hashable {
  let command: MoyoungCommand
  let payload: [UInt8]
}

extension VirtualMoyoungBand {
  /// Carries out a complete frame of the hub.
  func obey(_ number: UInt8, _ payload: [UInt8]) {
    if commands.count == 512 { commands.removeFirst() }
    commands.append((number, payload, world.loop.now))
    if traits.ignoresFirstFrame, !heardFirstFrame {
      heardFirstFrame = true
      return
    }
    heardFirstFrame = true
    guard let command = MoyoungCommand(rawValue: number) else { return }
    switch command {
    case .setTime, .setUserInformation, .setGoal, .setTimeSystem, .setUnits, .setRateInterval:
      set(command, payload)
    case .measureRate, .measureOxygen, .measurePressure, .continuousRate:
      order(command, payload)
    case .extendedQuery:
      // Only later firmware answers it.
      break
    case .trainingRates: tellNextPart(payload)
    default:
      guard let reply = reply(to: command, payload) else { return ledger.faults.append(.malformed) }
      let question = MoyoungQuestion(command: command, payload: payload)
      noteQuestion(question)
      answer(reply, to: question)
    }
  }

  // MARK: Settings

  private func set(_ command: MoyoungCommand, _ payload: [UInt8]) {
    let length: [MoyoungCommand: Int] = [.setTime: 5, .setUserInformation: 4, .setGoal: 4]
    guard payload.count == length[command] ?? 1 else { return ledger.faults.append(.malformed) }
    switch command {
    case .setTime:
      guard payload[4] == 8 else { return ledger.faults.append(.malformed) }
      setClock(MoyoungMemory.shown(bigEndian(payload)))
    case .setUserInformation: settings.user = payload
    case .setGoal: settings.goal = bigEndian(payload)
    case .setTimeSystem: settings.timeSystem = payload[0]
    case .setUnits: settings.units = payload[0]
    default:
      guard payload[0] <= 12 else { return ledger.faults.append(.malformed) }
      settings.rateInterval = payload[0]
      recorder.setSchedule(Self.schedule(payload[0]), of: .heartRate, at: world.loop.now)
    }
  }

  private func bigEndian(_ bytes: [UInt8]) -> UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

  // MARK: Requests

  /// nil: no such request.
  private func reply(to command: MoyoungCommand, _ payload: [UInt8]) -> MoyoungReply? {
    let argument = payload.first
    switch (command, payload.count) {
    case (.askGoal, 0):
      var bytes: [UInt8] = []
      bytes.append(littleEndian: settings.goal)
      return MoyoungReply(command, bytes)
    case (.askTimeSystem, 0): return MoyoungReply(command, [settings.timeSystem])
    case (.askUnits, 0): return MoyoungReply(command, [settings.units])
    case (.askVersion, 0): return MoyoungReply(command, [1])
    case (.askRateInterval, 0): return MoyoungReply(command, [settings.rateInterval])
    case (.askTrainings, 0): return memory.trainingsReply()
    case (.askSleep, 0): return memory.nightReply(command, argument: nil, endingOn: sleepDay)
    case (.askPastDay, 1):
      guard let argument else { return nil }
      switch argument {
      // As observed: the first number of either pair is two days ago, the second yesterday.
      case 1, 2: return memory.stepsReply(argument: argument, daysAgo: argument == 1 ? 2 : 1)
      case 3, 4:
        return memory.nightReply(command, argument: argument, endingOn: sleepDay - (argument == 3 ? 2 : 1))
      default: return nil
      }
    case (.askFiveMinuteRates, 1): return argument.flatMap { $0 < 8 ? memory.fiveMinuteReply($0) : nil }
    case (.askMinuteRates, 1): return argument.flatMap { $0 < 20 ? memory.minuteReply($0) : nil }
    default: return nil
    }
  }

  /// Day on which the night ends that the band reports as today's.
  private var sleepDay: Int64 {
    let shown = recorder.clock.seconds(at: world.loop.now)
    let isEvening = shown - shown.floored(by: 86_400) * 86_400 >= 20 * 3600
    return memory.today + (isEvening && make.nightsBeginInTheEvening ? 1 : 0)
  }

  private func noteQuestion(_ question: MoyoungQuestion) {
    // By the time of sending: the air may delay two so that both arrive at once.
    let sentAt = link?.carriedSince ?? world.loop.now
    if let unanswered, sentAt - unanswered.sentAt < .milliseconds(4500), !isAnsweredLate(unanswered) {
      ledger.faults.append(.askedDuringSync)
    }
    unanswered = (question, sentAt)
  }

  /// Whether the answer was so late that the hub has repeated its request. A hub waits for 5 s by its own clock, and
  /// accepts the late answer for the repetition. The answer may have been in flight for the supervision timeout of 6 s.
  private func isAnsweredLate(_ asked: (question: MoyoungQuestion, sentAt: Instant)) -> Bool {
    answeredAt[asked.question].map { asked.sentAt - $0 <= .seconds(11) } ?? false
  }

  // MARK: Measurements on demand

  private func order(_ command: MoyoungCommand, _ payload: [UInt8]) {
    let size = command == .measurePressure ? 3 : 1
    guard payload.count == size, payload.allSatisfy({ $0 == payload[0] }), payload[0] == 0 || payload[0] == 0xFF
    else { return ledger.faults.append(.malformed) }
    if command == .measurePressure { ledger.faults.append(.dangerous(UInt16(command.rawValue))) }
    if payload[0] == 0xFF {
      if measuring?.command == command { endMeasuring() }
      return
    }
    // Other orders are ignored while a measurement runs.
    if measuring != nil { return }
    measuring = (command, nil)
    waitForResult(command)
  }

  private func waitForResult(_ command: MoyoungCommand) {
    let wait = command == .continuousRate ? make.continuousPeriod : random.duration(in: make.measurementTime)
    let timer = world.loop.schedule(after: wait) { [weak self] in self?.tellResult(command) }
    measuring = (command, timer)
  }

  private func tellResult(_ command: MoyoungCommand) {
    let series: Series = command == .measureOxygen ? .spo2 : .heartRate
    // Zero: not worn, or no result.
    let now = world.loop.now
    let value =
      recorder.life.habits.isWorn
      ? recorder.life.values(
        of: series, at: recorder.clock.seconds(at: now), stretch: recorder.clock.stretch, isManual: true)?.first ?? 0
      : 0
    switch command {
    case .measurePressure:
      // An optical estimate: two numbers that were never measured.
      answer(MoyoungReply(command, [0, UInt8(random.integer(in: 108...131)), UInt8(random.integer(in: 66...84))]))
    default:
      tellLive(MoyoungReply(command, [UInt8(clamping: value)]), series, value)
    }
    if command == .continuousRate { return waitForResult(command) }
    measuring = nil
  }

  func endMeasuring() {
    if let timer = measuring?.timer { world.loop.cancel(timer) }
    measuring = nil
  }

  // MARK: Rates of a training

  /// Offered after the training, or on the next link with a subscription.
  func offerTrainingRates() {
    guard make.tellsTrainingRates, partsTold == nil, isHeard,
      let part = memory.trainingPart(from: nil, size: make.ratesInPart)
    else { return }
    partsTold = part.told
    answer(part.reply)
  }

  /// The hub's empty command requests the next part. After the end the band deletes them.
  private func tellNextPart(_ payload: [UInt8]) {
    guard payload.isEmpty else { return ledger.faults.append(.malformed) }
    guard let told = partsTold, let part = memory.trainingPart(from: told, size: make.ratesInPart) else { return }
    answer(part.reply)
    partsTold = part.told
    if part.told == nil { gone(memory.forgetTrainingRates()) }
  }
}
