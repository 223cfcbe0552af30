// Handling of each frame of the host: permissions, and the time of each answer.

import Bluetooth
import EventLoop
import Simulation

extension VirtualTopStepBand {
  /// Handles a complete frame with a correct checksum.
  func heard(_ frame: TopStepWireFrame) {
    framesHeard += 1
    if traits.ignoresFirstFrame, framesHeard == 1 {
      log.ignored += 1
      return
    }
    log.note(frame, link: ledger.links.count, at: world.loop.now)
    guard let message = TopStepMessage(frame.payload) else {
      blame(.wroteNonsense, frame)
      return reply(to: frame, result: false)
    }
    if isAnswer(frame) { return }
    guard isLoggedIn || !next.owner.refusesStrangers || isForStrangers(frame) else {
      blame(.askedBeforeLogin, frame)
      return reply(to: frame, result: false)
    }
    switch frame.command {
    case TopStepCommand.settings: answerSettings(frame)
    case TopStepCommand.environment: answerEnvironment(frame, message)
    case TopStepCommand.sync: answerSync(frame, message)
    case TopStepCommand.update:
      // A continuation would write its firmware, so it stays silent.
      blame(.touchedForbidden, frame)
    case TopStepCommand.notification, TopStepCommand.files:
      blame(.touchedForbidden, frame)
      reply(to: frame, result: false)
    default: reply(to: frame, result: false)
    }
  }

  /// Whether a host may send this before its login: identification, bind and login.
  private func isForStrangers(_ frame: TopStepWireFrame) -> Bool {
    switch (frame.command, frame.key) {
    case (TopStepCommand.environment, TopStepEnvironmentKey.bind),
      (TopStepCommand.environment, TopStepEnvironmentKey.login),
      (TopStepCommand.environment, TopStepEnvironmentKey.battery),
      (TopStepCommand.environment, TopStepEnvironmentKey.bluetoothInfo),
      (TopStepCommand.settings, TopStepSettingsKey.deviceInfo):
      true
    default: false
    }
  }

  /// Whether the frame is the host's answer to an unsolicited message: no further answer is due.
  private func isAnswer(_ frame: TopStepWireFrame) -> Bool {
    switch frame.command {
    case TopStepCommand.settings:
      frame.key == TopStepSettingsKey.dataChanged || TopStepSetting.allCases.contains { $0.changed == frame.key }
    case TopStepCommand.environment: frame.key == TopStepEnvironmentKey.batteryChanged
    case TopStepCommand.sync:
      frame.key == TopStepSyncKey.end || frame.key == TopStepSyncKey.liveStopped
        || frame.key == TopStepSyncKey.liveValue
        || TopStepKind(rawValue: frame.key) != nil
    default: false
    }
  }

  private func answerSettings(_ frame: TopStepWireFrame) {
    if let setting = TopStepSetting.allCases.first(where: { $0.get == frame.key }) {
      return readSetting(setting, frame)
    }
    if let setting = TopStepSetting.allCases.first(where: { $0.set == frame.key }) {
      return writeSetting(setting, frame)
    }
    switch frame.key {
    case TopStepSettingsKey.deviceInfo: reply(to: frame, deviceMessage)
    case TopStepSettingsKey.find, TopStepSettingsKey.stopFinding: reply(to: frame, result: true)
    default: reply(to: frame, result: false)
    }
  }

  private func answerEnvironment(_ frame: TopStepWireFrame, _ message: TopStepMessage) {
    switch frame.key {
    case TopStepEnvironmentKey.bind: bind(frame, message)
    case TopStepEnvironmentKey.login: login(frame, message)
    case TopStepEnvironmentKey.unbind: unbind(frame)
    case TopStepEnvironmentKey.user: acknowledge(frame, owner.setUser(message))
    case TopStepEnvironmentKey.time: acknowledge(frame, setTime(message))
    case TopStepEnvironmentKey.battery: reply(to: frame, batteryMessage)
    case TopStepEnvironmentKey.language: reply(to: frame, TopStepWriter.make { $0.number(1, 1) })
    case TopStepEnvironmentKey.setLanguage, TopStepEnvironmentKey.hostState: reply(to: frame, result: true)
    case TopStepEnvironmentKey.bluetoothInfo: reply(to: frame, bluetoothMessage)
    case TopStepEnvironmentKey.powerOff, TopStepEnvironmentKey.reboot, TopStepEnvironmentKey.factoryReset:
      blame(.touchedForbidden, frame)
      reply(to: frame, result: false)
    default: reply(to: frame, result: false)
    }
  }

  private func answerSync(_ frame: TopStepWireFrame, _ message: TopStepMessage) {
    switch frame.key {
    case TopStepSyncKey.start: startSync(frame, message)
    case TopStepSyncKey.live: controlLive(frame, message)
    default: reply(to: frame, result: false)
    }
  }

  private func acknowledge(_ frame: TopStepWireFrame, _ isDone: Bool) {
    if !isDone { blame(.wroteNonsense, frame) }
    reply(to: frame, result: isDone)
  }

  // MARK: Answers

  private var deviceMessage: [UInt8] {
    TopStepWriter.make {
      $0.text(1, next.project)
      $0.text(2, next.version)
      $0.text(3, "TopStep")
      $0.text(4, traits.name)
      $0.text(5, next.serial)
      $0.text(6, "BES2700")
      $0.number(7, 1)
      $0.bytes(8, next.capabilities)
      $0.text(14, "TPB")
    }
  }

  private var bluetoothMessage: [UInt8] {
    let digits = Array("0123456789ABCDEF")
    let octets = (0..<6).map { place in
      let byte = Int(address.value >> UInt64(40 - 8 * place) & 0xFF)
      return String([digits[byte >> 4], digits[byte & 15]])
    }
    return TopStepWriter.make {
      $0.text(1, octets.joined(separator: ":"))
      $0.text(2, traits.name)
      $0.number(3, 1)
    }
  }

  /// 1 result: 0 done, encoded as no bytes at all, or 1 failed.
  func reply(to frame: TopStepWireFrame, result isDone: Bool) {
    reply(to: frame, TopStepWriter.make { $0.number(1, isDone ? 0 : 1) })
  }

  /// Sends the answer a moment later, over the same link only. Faults may prevent that.
  ///
  /// - Parameter after: called when it was passed to the air, with its number in the log.
  /// - Returns: false if it is never sent.
  @discardableResult
  func reply(to frame: TopStepWireFrame, _ payload: [UInt8], after: @escaping @LoopActor (Int) -> Void = { _ in })
    -> Bool
  {
    let link = ledger.links.count
    if random.chance(traits.lostAcknowledgements) {
      log.ignored += 1
      return false
    }
    world.loop.schedule(after: random.duration(in: next.air.delay)) { [weak self] in
      guard let self, self.link?.isOpen == true, ledger.links.count == link else { return }
      let sequence = next.air.echoesSequence ? frame.sequence : outbox.nextSequence()
      after(send(TopStepWireFrame(frame.command, frame.key, flags: next.air.answerFlags, sequence: sequence, payload)))
    }
    return true
  }

  /// Sends an unsolicited message. Returns the number of the frame; nil without a host.
  @discardableResult
  func announce(
    _ command: UInt8, _ key: UInt8, _ payload: [UInt8] = [], items: [Int] = [],
    done: @escaping @LoopActor (Bool) -> Void = { _ in }
  ) -> Int? {
    guard let link, link.isOpen else { return nil }
    return send(TopStepWireFrame(command, key, sequence: outbox.nextSequence(), payload), items: items, done: done)
  }
}
