// The control point over an open link: asked one command at a time.

import Bluetooth
import EventLoop
import Wearable

extension PMD {
  /// Asks, and puts the packets of an answer together.
  @LoopActor
  final class Client {
    /// For one packet of an answer.
    static let patience: Duration = .seconds(30)
    /// From one look whether a recording has ended to the next, and how often.
    static let stopPause: Duration = .milliseconds(200)
    static let stopLooks = 25
    /// Packets that belong to no question of ours; a wearable that sends more without an answer has lost its way.
    static let foreignLimit = 16

    private let link: any WearableLink
    private let characteristic: GATTCharacteristic
    private let data: GATTCharacteristic
    /// The wearable obeys only while frames are on. Who reads them has subscribed for himself.
    private let frames = Inbox(limit: 0)
    private let inbox = Inbox(limit: 64)
    private var isListening = false
    /// Streams that the wearable ended by itself, since the last look.
    private var ended: [MeasurementType] = []
    /// What it said last that it measures.
    private(set) var told: Features?

    /// nil where it measures nothing by order.
    init?(_ link: any WearableLink) {
      guard let control = link.database.characteristic(PMD.controlPoint, in: PMD.service),
        let data = link.database.characteristic(PMD.data, in: PMD.service)
      else { return nil }
      self.link = link
      self.data = data
      characteristic = control
    }

    /// - Throws: `unsupported` for what cannot be read: it only describes.
    func features() async throws(VisitTrouble) -> Features {
      let bytes = try await link.read(characteristic)
      guard let features = bytes.withUnsafeBytes({ try? Features($0) }) else {
        throw .unsupported("features of \(bytes.count) bytes that cannot be read")
      }
      told = features
      return features
    }

    /// Not every model knows every question: nil where this one does not.
    func ifKnown<Value>(_ question: () async throws(VisitTrouble) -> Value) async throws(VisitTrouble) -> Value? {
      do throws(VisitTrouble) { return try await question() } catch {
        guard case .unsupported = error else { throw error }
        return nil
      }
    }

    /// - Returns: the answer, whatever it says.
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
          // What a command that changes something came to is not known: a new link looks.
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

    /// - Returns: the parameters of an answer that says success.
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

    /// What came unasked.
    private func note(_ packet: [UInt8]) {
      guard case .onlineStopped(let types)? = packet.withUnsafeBytes({ try? Notification($0) }) else {
        return link.note("an answer that nobody waits for")
      }
      ended += types
    }

    /// Streams that the wearable ended by itself since the last call.
    func takeEnded() -> [MeasurementType] {
      while let packet = inbox.take() { note(packet) }
      defer { ended = [] }
      return ended
    }

    // MARK: settings

    /// What can be set of a measurement; nothing for those without settings.
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

    /// - Returns: what the frames are to be read with.
    /// - Throws: `unsupported` also where that cannot be told: numbers without their factor are other numbers. The
    ///   stream is ended then.
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

    /// Ends a stream or a recording; one that does not run is ended already.
    func stop(_ type: MeasurementType) async throws(VisitTrouble) {
      _ = try await require(.stop(type), "end of \(type)", accepting: .alreadyInState)
    }

    /// Ends a recording, and waits until the wearable says that it ended: only then is its file whole.
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

    /// Ends every live stream.
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

    /// Sets the mode, and what is recorded by it; what is not wanted is switched off.
    ///
    /// - Parameter kept: of what is wanted, what is armed as it should be. It is not written where it still is after
    ///   the mode was set.
    /// - Returns: as read back.
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
