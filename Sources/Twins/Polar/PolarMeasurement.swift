// Measurement service: its commands and answers.

import Bluetooth
import EventLoop

extension VirtualPolar {
  enum Status {
    static let success: UInt8 = 0, invalidOpCode: UInt8 = 1, invalidType: UInt8 = 2, notSupported: UInt8 = 3,
      invalidLength: UInt8 = 4, invalidParameter: UInt8 = 5
    static let alreadyInState: UInt8 = 6, invalidResolution: UInt8 = 7, invalidRate: UInt8 = 8, invalidRange: UInt8 = 9,
      invalidChannels: UInt8 = 11
    static let invalidState: UInt8 = 12, inCharger: UInt8 = 13, diskFull: UInt8 = 14
  }

  // MARK: Commands

  /// Handles a write of the control point; the answer follows as an indication.
  func command(_ bytes: [UInt8]) {
    guard let operation = bytes.first else { return }
    let subject = bytes.count > 1 ? bytes[1] : 0
    let isRecording = subject & 0x80 != 0
    let kind = PolarKind(rawValue: subject & 0x3F)
    switch operation {
    case 1, 4:
      guard let kind, bytes.count == 2 else { return answer(operation, subject, Status.invalidType) }
      guard let offer = offer(kind, isRecording: isRecording, inSDKMode: operation == 4 || isSDKMode) else {
        return answer(operation, subject, Status.notSupported)
      }
      answer(operation, subject, Status.success, offer.settings)
    case 2:
      if subject == 9 { return setSDKMode(true, operation) }
      guard let kind else { return answer(operation, subject, Status.invalidType) }
      start(kind, isRecording: isRecording, bytes[2...], operation, subject)
    case 3:
      if subject == 9 { return setSDKMode(false, operation) }
      guard let kind else { return answer(operation, subject, Status.invalidType) }
      let wasRunning = stopStream(kind) || stopRecording(kind)
      answer(operation, subject, wasRunning ? Status.success : Status.alreadyInState)
    case 5:
      let kinds = PolarKind.allCases.filter {
        offer($0, isRecording: false, inSDKMode: false) != nil || offer($0, isRecording: true, inSDKMode: false) != nil
      }
      answer(
        operation, 0, Status.success,
        kinds.map { $0.rawValue | (streams[$0] == nil ? 0 : 0x40) | (recordings[$0] == nil ? 0 : 0x80) })
    case 6:
      traits.hasSDKMode
        ? answer(operation, 0, Status.success, [isSDKMode ? 1 : 0]) : answer(operation, 0, Status.notSupported)
    case 7, 8, 9: trigger(operation, bytes)
    default: answer(operation, subject, Status.invalidOpCode)
    }
  }

  private func answer(_ operation: UInt8, _ subject: UInt8, _ status: UInt8, _ parameters: [UInt8] = []) {
    if commandLog.count == 256 { commandLog.removeFirst() }
    commandLog.append((operation, subject, status))
    // Parameters beyond one packet follow in further ones with the same head.
    let room = max(1, server.mtu - 3 - 5)
    var rest = parameters[...]
    repeat {
      let part = rest.prefix(room)
      rest = rest.dropFirst(room)
      let head: [UInt8] =
        status == Status.success
        ? [0xF0, operation, subject, status, rest.isEmpty ? 0 : 1] : [0xF0, operation, subject, status]
      indicate(PolarUUID.pmdControl, head + part)
    } while !rest.isEmpty
  }

  private func setSDKMode(_ wanted: Bool, _ operation: UInt8) {
    guard traits.hasSDKMode else { return answer(operation, 9, Status.notSupported) }
    if isSDKMode == wanted { return answer(operation, 9, Status.alreadyInState) }
    guard recordings.isEmpty, streams.isEmpty else { return answer(operation, 9, Status.invalidState) }
    isSDKMode = wanted
    answer(operation, 9, Status.success)
  }

  private func start(
    _ kind: PolarKind, isRecording: Bool, _ settings: ArraySlice<UInt8>, _ operation: UInt8, _ subject: UInt8
  ) {
    guard let offer = offer(kind, isRecording: isRecording, inSDKMode: isSDKMode) else {
      return answer(operation, subject, Status.notSupported)
    }
    guard let choice = PolarChoice(settings) else { return answer(operation, subject, Status.invalidParameter) }
    if let refusal = refusal(kind, choice, offer, isRecording: isRecording) {
      return answer(operation, subject, refusal)
    }
    // Intervals need the sensor exclusively.
    if kind == .ppi, traits.isOpticalSensor, isTraining {
      trainingsAborted += 1
      endTraining()
    }
    if isRecording {
      record(kind, choice)
    } else {
      stream(kind, choice)
    }
    var parameters: [UInt8] = []
    if let factor = offer.factor {
      parameters = [5, 1]
      parameters.append(littleEndian: factor.bitPattern)
    }
    answer(operation, subject, Status.success, parameters)
  }

  func refusal(_ kind: PolarKind, _ choice: PolarChoice, _ offer: PolarOffer, isRecording: Bool) -> UInt8? {
    if streams[kind] != nil || recordings[kind] != nil { return Status.alreadyInState }
    if traits.isCharging || isInCharger { return Status.inCharger }
    if traits.model == .watch, !isRecording, !showsTrainingScreen { return Status.invalidState }
    // A single model encrypts, with the single strategy that hosts request. Other requests for encryption are refused;
    // the data is never written unencrypted instead.
    if choice.strategy != 0 {
      guard isRecording, traits.model == .veritySense else { return Status.notSupported }
      guard choice.strategy == 2 else { return Status.invalidParameter }
    }
    if let rate = choice.rate ?? (offer.rates.isEmpty ? nil : 0), !offer.rates.contains(rate) {
      return Status.invalidRate
    }
    if let bits = choice.bits, bits != offer.bits { return Status.invalidResolution }
    if let range = choice.range, !offer.ranges.contains(range) { return Status.invalidRange }
    if let channels = choice.channels, channels != offer.channels { return Status.invalidChannels }
    if isRecording, files.free < traits.memoryLimits.begin { return Status.diskFull }
    return nil
  }

  // MARK: Triggers

  private func trigger(_ operation: UInt8, _ bytes: [UInt8]) {
    guard traits.recordsOffline else { return answer(operation, 0, Status.notSupported) }
    switch operation {
    case 7:
      var parameters = [triggerMode]
      for kind in PolarKind.allCases where offer(kind, isRecording: true, inSDKMode: false) != nil {
        if let settings = triggers[kind] {
          parameters += [1, kind.rawValue, UInt8(settings.count)] + settings
        } else {
          parameters += [0, kind.rawValue]
        }
      }
      answer(operation, 0, Status.success, parameters)
    case 8:
      guard bytes.count == 2, bytes[1] <= 2 else { return answer(operation, 0, Status.invalidParameter) }
      if bytes[1] != 0, files.free < traits.memoryLimits.begin { return answer(operation, 0, Status.diskFull) }
      triggerMode = bytes[1]
      answer(operation, 0, Status.success)
    default:
      guard bytes.count >= 3, bytes[1] <= 1, let kind = PolarKind(rawValue: bytes[2]) else {
        return answer(operation, 0, Status.invalidParameter)
      }
      guard let offer = offer(kind, isRecording: true, inSDKMode: false), kind != .ppi || triggerMode != 2 else {
        return answer(operation, kind.rawValue, Status.notSupported)
      }
      if bytes[1] == 0 {
        triggers[kind] = nil
      } else {
        guard bytes.count >= 4, bytes.count == 4 + Int(bytes[3]), let choice = PolarChoice(bytes[4...]),
          refusal(kind, choice, offer, isRecording: true) == nil || recordings[kind] != nil
        else { return answer(operation, kind.rawValue, Status.invalidParameter) }
        triggers[kind] = Array(bytes[4...])
      }
      answer(operation, kind.rawValue, Status.success)
    }
  }

  // MARK: Streams

  private func stream(_ kind: PolarKind, _ choice: PolarChoice) {
    let now = world.loop.now
    let run = PolarRun(
      PolarSignal(kind: kind, seed: random.next()), rate: trueRate(kind, choice.rate ?? 0), streamClock, at: now,
      model: traits.model)
    streams[kind] = (run, now)
    liveRuns.append(run)
    scheduleFrames(kind, run)
  }

  private func scheduleFrames(_ kind: PolarKind, _ run: PolarRun) {
    world.loop.schedule(after: .nanoseconds(run.frameInterval)) { [weak self] in
      guard let self, streams[kind]?.run === run else { return }
      for frame in run.frames(at: world.loop.now) { send(frame, of: run) }
      scheduleFrames(kind, run)
    }
  }

  private func send(_ frame: (bytes: [UInt8], samples: Range<Int>), of run: PolarRun) {
    guard let link, link.isOpen, let handle = server.valueHandle(of: PolarUUID.pmdData),
      server.subscription(at: handle) & 1 != 0
    else { return }
    var bytes = frame.bytes
    if traits.conduct == .brokenFrames {
      for place in bytes.indices where place > 0 { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
    }
    guard bytes.count <= server.mtu - 3 else { return }
    if framesToSkip > 0 {
      framesToSkip -= 1
      return
    }
    let piece = nextPiece(.frame(run, frame.samples))
    link.carry(server.notification(at: handle, value: bytes), .piece(piece), direct: true)
  }

  /// Drops the next frames, as a full queue does.
  public func skipFrames(_ count: Int) { framesToSkip = count }

  /// - Returns: whether it was running.
  func stopStream(_ kind: PolarKind) -> Bool { streams.removeValue(forKey: kind) != nil }
}
