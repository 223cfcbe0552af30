// The measurement service: what can be asked of it and what it answers.

import Bluetooth
import EventLoop

/// What a kind offers: values of each setting by its number.
struct PolarOffer {
  var rates: [UInt16] = []
  var bits: UInt16 = 0
  var ranges: [UInt16] = []
  var channels: UInt8 = 0
  /// What values are to be multiplied with; nil: with one, and nothing is said.
  var factor: Float?

  var settings: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ type: UInt8, _ values: [UInt16]) {
      if values.isEmpty { return }
      bytes += [type, UInt8(values.count)]
      for value in values { bytes.append(littleEndian: value) }
    }
    append(0, rates)
    if bits != 0 { append(1, [bits]) }
    append(2, ranges)
    if channels != 0 { bytes += [4, 1, channels] }
    return bytes
  }
}

/// Settings as they were chosen.
struct PolarChoice {
  var rate: UInt16?
  var bits: UInt16?
  var range: UInt16?
  var channels: UInt8?
  /// 0 none, 1 XOR, 2 AES-128, 3 AES-256.
  var strategy: UInt8 = 0
  var key: [UInt8] = []

  /// nil for what is no list of settings.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let type = rest.popFirst() {
      guard let count = rest.popFirst(), count == 1 else { return nil }
      switch type {
      case 0, 1, 2:
        guard rest.count >= 2, let low = rest.popFirst(), let high = rest.popFirst() else { return nil }
        let value = UInt16(low) | UInt16(high) << 8
        if type == 0 { rate = value } else if type == 1 { bits = value } else { range = value }
      case 4:
        guard let value = rest.popFirst() else { return nil }
        channels = value
      case 6:
        guard let value = rest.popFirst() else { return nil }
        strategy = value
        // The strategy says how long the key is; of XOR it is whatever follows.
        let size = [0: 0, 1: rest.count, 2: 16, 3: 32][value] ?? 0
        guard rest.count >= size else { return nil }
        key = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
      default: return nil
      }
    }
  }
}

extension VirtualPolar {
  enum Status {
    static let success: UInt8 = 0, invalidOpCode: UInt8 = 1, invalidType: UInt8 = 2, notSupported: UInt8 = 3,
      invalidLength: UInt8 = 4, invalidParameter: UInt8 = 5
    static let alreadyInState: UInt8 = 6, invalidResolution: UInt8 = 7, invalidRate: UInt8 = 8, invalidRange: UInt8 = 9,
      invalidChannels: UInt8 = 11
    static let invalidState: UInt8 = 12, inCharger: UInt8 = 13, diskFull: UInt8 = 14
  }

  /// What this model offers; nil if it does not measure that.
  func offer(_ kind: PolarKind, isRecording: Bool, inSDKMode: Bool) -> PolarOffer? {
    switch (traits.model, kind) {
    case (.h10, .ecg): isRecording ? nil : PolarOffer(rates: [130], bits: 14)
    case (.h10, .acc): isRecording ? nil : PolarOffer(rates: [25, 50, 100, 200], bits: 16, ranges: [2, 4, 8])
    case (.h10, _): nil
    case (.oh1, .acc): isRecording ? nil : PolarOffer(rates: [50], bits: 16, ranges: [8], channels: 3, factor: 1)
    // 130 Hz is what it says, and not what it measures.
    case (.oh1, .ppg): isRecording ? nil : PolarOffer(rates: [130], bits: 22, channels: 4)
    case (.oh1, .ppi): isRecording ? nil : PolarOffer()
    case (.veritySense, .acc):
      PolarOffer(
        rates: inSDKMode ? isRecording ? [13, 26, 52] : [26, 52, 104, 208, 416] : [52], bits: 16,
        ranges: inSDKMode ? [2, 4, 8, 16] : [8], channels: 3, factor: 1)
    case (.veritySense, .gyro): PolarOffer(rates: [52], bits: 16, ranges: [2000], channels: 3, factor: 0.061)
    case (.veritySense, .magnetometer):
      PolarOffer(
        rates: isRecording ? [10, 20, 50] : [10, 20, 50, 100], bits: 16, ranges: [50], channels: 3, factor: 0.0015)
    // 135 Hz is what older firmware says, and not what it measures.
    case (.veritySense, .ppg):
      PolarOffer(rates: [traits.firmware.isOlder(than: "2.1.0") && !inSDKMode ? 135 : 55], bits: 22, channels: 4)
    case (.band360, .acc):
      PolarOffer(rates: isRecording ? [1, 10, 50] : [50], bits: 16, ranges: [8], channels: 3, factor: 1)
    case (.band360, .ppg): PolarOffer(rates: [22], bits: 24, channels: 4)
    case (.band360, .skinTemperature): PolarOffer(rates: [1, 2, 4], bits: 32, channels: 1)
    case (.veritySense, .ppi), (.band360, .ppi): inSDKMode ? nil : PolarOffer()
    case (.veritySense, .heartRate), (.band360, .heartRate): isRecording && !inSDKMode ? PolarOffer() : nil
    case (.watch, .acc): isRecording ? nil : PolarOffer(rates: [50], bits: 16, ranges: [8], channels: 3, factor: 1)
    case (.watch, .ppi): isRecording ? nil : PolarOffer()
    default: nil
    }
  }

  /// What it measures at, whatever it says.
  func trueRate(_ kind: PolarKind, _ said: UInt16) -> Int {
    switch kind {
    case .ppg where traits.model == .veritySense && said == 135: 55
    case .ppg where traits.model == .oh1: 135
    // The clock of its light sensor runs away from the wearable's own.
    case .ppg where traits.model == .band360 && traits.firmware == "2.0.8": 23
    case .heartRate: 1
    case .ppi: 0
    default: Int(said)
    }
  }

  // MARK: Commands

  /// One write of the control point; the answer follows as an indication.
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
    // What does not fit a packet comes in further ones of the same head.
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
    // Intervals take the sensor for themselves.
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
    // One model encrypts, in the one way that hosts ask for; what should be encrypted and is not would be refused,
    // never written in the clear.
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

  /// Loses the next frames in a queue that is full.
  public func skipFrames(_ count: Int) { framesToSkip = count }

  /// - Returns: it was running.
  func stopStream(_ kind: PolarKind) -> Bool { streams.removeValue(forKey: kind) != nil }
}

extension String {
  /// By numbers between dots.
  func isOlder(than other: String) -> Bool {
    let (own, others) = (
      split(separator: ".").compactMap { Int($0) }, other.split(separator: ".").compactMap { Int($0) }
    )
    return own.lexicographicallyPrecedes(others)
  }
}
