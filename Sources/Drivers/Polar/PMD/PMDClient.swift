// Client of the PMD control point over an open link: one command at a time.

import Bluetooth
import EventLoop
import Wearable

extension PMD {
  /// Sends commands, and assembles the packets of their answers.
  @LoopActor
  final class Client {
    /// Timeout of a packet of an answer.
    static let patience: Duration = .seconds(30)
    /// Pause between checks whether a recording has ended, and the number of checks.
    static let stopPause: Duration = .milliseconds(200)
    static let stopLooks = 25
    /// Maximum unrelated packets while waiting for an answer. A wearable that sends more is considered faulty.
    static let foreignLimit = 16

    private let link: any WearableLink
    private let characteristic: GATTCharacteristic
    private let data: GATTCharacteristic
    /// Keeps frames subscribed, as the wearable accepts commands only then. Consumers of frames have their own inboxes.
    private let frames = Inbox(limit: 0)
    private let inbox = Inbox(limit: 64)
    private var isListening = false
    /// Streams that the wearable itself ended since the last `takeEnded`.
    private var ended: [MeasurementType] = []
    /// Features as last read.
    private(set) var told: Features?

    /// nil if the wearable has no PMD service.
    init?(_ link: any WearableLink) {
      guard let control = link.database.characteristic(PMD.controlPoint, in: PMD.service),
        let data = link.database.characteristic(PMD.data, in: PMD.service)
      else { return nil }
      self.link = link
      self.data = data
      characteristic = control
    }

    /// - Throws: `unsupported` for an unreadable value; the visit can go on without it.
    func features() async throws(VisitTrouble) -> Features {
      let bytes = try await link.read(characteristic)
      guard let features = bytes.withUnsafeBytes({ try? Features($0) }) else {
        throw .unsupported("features of \(bytes.count) bytes that cannot be read")
      }
      told = features
      return features
    }

    /// The answer to a query; nil if this model does not support it.
    func ifKnown<Value>(_ question: () async throws(VisitTrouble) -> Value) async throws(VisitTrouble) -> Value? {
      do throws(VisitTrouble) { return try await question() } catch {
        guard case .unsupported = error else { throw error }
        return nil
      }
    }

    /// - Returns: the answer, whatever its status.
    func ask(_ command: Command) async throws(VisitTrouble) -> ResponseAssembler.Answer {
      if !isListening {
        try await link.subscribe(data, into: frames)
        try await link.subscribe(characteristic, into: inbox)
        isListening = true
      }
      while let late = inbox.take() { note(late) }
      try await link.write(characteristic, command.encode())
      var assembler = ResponseAssembler(of: command)
      var foreign = 0
      while true {
        let packet = try await link.next(from: inbox, within: Self.patience)
        switch packet.withUnsafeBytes({ assembler.take($0) }) {
        case .more: continue
        case .whole(let answer): return answer
        case .defective:
          // A command that changes state may have taken effect or not; only a new link shows which.
          let what = "an answer to command \(command.op) that is malformed"
          throw command.isQuestion ? .unsupported(what) : .framing(what)
        case .foreign:
          note(packet)
          foreign += 1
          if foreign > Self.foreignLimit {
            throw .framing("no answer to command \(command.op) among \(foreign) packets")
          }
        }
      }
    }

    /// - Returns: the parameters of a successful answer.
    func require(_ command: Command, _ what: String, accepting also: Status? = nil) async throws(VisitTrouble)
      -> [UInt8]
    {
      let answer = try await ask(command)
      if answer.status == .success || (also != nil && answer.status == also) { return answer.parameters }
      throw Self.trouble(answer, what)
    }

    static func trouble(_ answer: ResponseAssembler.Answer, _ what: String) -> VisitTrouble {
      let text = "\(what): \(answer.status?.text ?? "status \(answer.statusOctet)")"
      return switch answer.status {
      case .invalidState, .inCharger, .diskFull, .alreadyInState: .busy(what: text, retryAfter: nil)
      default: .unsupported(text)
      }
    }

    /// Handles an unsolicited packet.
    private func note(_ packet: [UInt8]) {
      guard case .onlineStopped(let types)? = packet.withUnsafeBytes({ try? Notification($0) }) else {
        return link.note("an unexpected answer")
      }
      ended += types
    }

    /// Streams that the wearable itself ended since the last call.
    func takeEnded() -> [MeasurementType] {
      while let packet = inbox.take() { note(packet) }
      defer { ended = [] }
      return ended
    }

    // MARK: settings

    /// The settings that a measurement offers; empty for measurements without settings.
    func settings(_ type: MeasurementType, _ delivery: Delivery, isFull: Bool = false) async throws(VisitTrouble)
      -> Settings
    {
      guard let query = Command.settingsQuery(type, delivery, isFull: isFull) else { return Settings() }
      let parameters = try await require(query, "settings of \(type)")
      let (settings, isWhole) = parameters.withUnsafeBytes { Settings.reading($0) }
      if !isWhole { link.note("settings of \(type) that could be read in part") }
      return settings
    }

    // MARK: start and stop

    /// - Returns: the settings for decoding the frames.
    /// - Throws: `unsupported` if the wearable refuses or the settings are unreadable. Numbers cannot be interpreted
    ///   without their factor, so the stream is then ended.
    func start(_ type: MeasurementType, _ delivery: Delivery, _ selection: Selection, secret: Secret? = nil)
      async throws(VisitTrouble) -> StreamSettings
    {
      let command: Command
      do { command = try .start(type, delivery, selection, secret: secret) } catch {
        throw .unsupported("\(error.setting) of \(error.value)")
      }
      let parameters = try await require(command, "start of \(type)")
      let (answered, isWhole) = parameters.withUnsafeBytes { Settings.reading($0) }
      if delivery == .online, !isWhole, answered.single(.factor) == nil {
        try await stop(type)
        throw .unsupported("start of \(type): settings that cannot be read")
      }
      return StreamSettings(selection, answered: answered)
    }

    /// Ends a stream or a recording. If it is not running, that is no error.
    func stop(_ type: MeasurementType) async throws(VisitTrouble) {
      _ = try await require(.stop(type), "end of \(type)", accepting: .alreadyInState)
    }

    /// Ends a recording, and waits until the wearable reports its end: only then is the file complete.
    func stopRecording(_ type: MeasurementType) async throws(VisitTrouble) {
      try await stop(type)
      for _ in 0..<Self.stopLooks {
        if try await status()[type]?.isOffline != true { return }
        try await link.settle(for: Self.stopPause)
      }
      throw .busy(what: "\(type) is still recorded", retryAfter: nil)
    }

    func status() async throws(VisitTrouble) -> [MeasurementType: MeasurementStatus.State] {
      MeasurementStatus.all(try await require(.measurementStatus, "what is measured"))
    }

    // MARK: SDK mode

    func isInSDKMode() async throws(VisitTrouble) -> Bool {
      let parameters = try await require(.sdkModeStatus, "SDK mode")
      guard let octet = parameters.first else { throw .unsupported("an SDK mode without a state") }
      return octet != 0
    }

    /// Switches SDK mode. Every live stream ends.
    func setSDKMode(_ isOn: Bool) async throws(VisitTrouble) {
      _ = try await require(.sdkMode(isOn), "SDK mode", accepting: .alreadyInState)
    }

    // MARK: triggers

    func triggers() async throws(VisitTrouble) -> TriggerStatus {
      let parameters = try await require(.triggerStatus, "triggers")
      guard let status = parameters.withUnsafeBytes({ try? TriggerStatus($0) }) else {
        throw .unsupported("triggers: mode \(parameters.first.map { "\($0)" } ?? "none")")
      }
      if !status.isWhole { link.note("triggers in a state that is not known: \(status.text)") }
      return status
    }

    /// Sets the trigger mode and what it records, and disables all other triggers.
    ///
    /// - Parameter kept: wanted triggers that are already armed as they should be. If the change of mode leaves one
    ///   unchanged, it is not written again.
    /// - Returns: the triggers as read back.
    func setTriggers(
      _ mode: TriggerMode, _ wanted: [MeasurementType: Trigger], keeping kept: [MeasurementType: Settings] = [:]
    ) async throws(VisitTrouble) -> TriggerStatus {
      _ = try await require(.setTriggerMode(mode), "trigger mode")
      if mode != .disabled {
        let listed = try await triggers()
        let still = Set(kept.filter { listed.triggers[$0.key] == .some(.some($0.value)) }.keys)
        for command in PMD.triggerCommands(wanted, listed: listed, except: still) {
          _ = try await require(command, "trigger")
        }
      }
      return try await triggers()
    }
  }
}
