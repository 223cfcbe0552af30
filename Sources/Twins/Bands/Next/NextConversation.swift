// Handling of each frame of the host: permissions, and the time of each answer.

import Bluetooth
import EventLoop
import Simulation

extension VirtualNextBand {
  /// Handles a complete frame with a correct checksum.
  func heard(_ frame: NextFrame) {
    framesHeard += 1
    if traits.ignoresFirstFrame, framesHeard == 1 {
      log.ignored += 1
      return
    }
    log.note(frame, link: ledger.links.count, at: world.loop.now)
    guard let message = NextMessage(frame.payload) else {
      blame(.wroteNonsense, frame)
      return reply(to: frame, result: false)
    }
    if isAnswer(frame) { return }
    guard isLoggedIn || !next.owner.refusesStrangers || isForStrangers(frame) else {
      blame(.askedBeforeLogin, frame)
      return reply(to: frame, result: false)
    }
    switch frame.command {
    case NextCommand.settings: answerSettings(frame)
    case NextCommand.environment: answerEnvironment(frame, message)
    case NextCommand.sync: answerSync(frame, message)
    case NextCommand.update:
      // A continuation would write its firmware, so it stays silent.
      blame(.touchedForbidden, frame)
    case NextCommand.notification, NextCommand.files:
      blame(.touchedForbidden, frame)
      reply(to: frame, result: false)
    default: reply(to: frame, result: false)
    }
  }

  /// Whether a host may send this before its login: identification, bind and login.
  private func isForStrangers(_ frame: NextFrame) -> Bool {
    switch (frame.command, frame.key) {
    case (NextCommand.environment, NextEnvironmentKey.bind), (NextCommand.environment, NextEnvironmentKey.login),
      (NextCommand.environment, NextEnvironmentKey.battery),
      (NextCommand.environment, NextEnvironmentKey.bluetoothInfo),
      (NextCommand.settings, NextSettingsKey.deviceInfo):
      true
    default: false
    }
  }

  /// Whether the frame is the host's answer to an unsolicited message: no further answer is due.
  private func isAnswer(_ frame: NextFrame) -> Bool {
    switch frame.command {
    case NextCommand.settings:
      frame.key == NextSettingsKey.dataChanged || NextSetting.allCases.contains { $0.changed == frame.key }
    case NextCommand.environment: frame.key == NextEnvironmentKey.batteryChanged
    case NextCommand.sync:
      frame.key == NextSyncKey.end || frame.key == NextSyncKey.liveStopped || frame.key == NextSyncKey.liveValue
        || NextKind(rawValue: frame.key) != nil
    default: false
    }
  }

  private func answerSettings(_ frame: NextFrame) {
    if let setting = NextSetting.allCases.first(where: { $0.get == frame.key }) { return readSetting(setting, frame) }
    if let setting = NextSetting.allCases.first(where: { $0.set == frame.key }) { return writeSetting(setting, frame) }
    switch frame.key {
    case NextSettingsKey.deviceInfo: reply(to: frame, deviceMessage)
    case NextSettingsKey.find, NextSettingsKey.stopFinding: reply(to: frame, result: true)
    default: reply(to: frame, result: false)
    }
  }

  private func answerEnvironment(_ frame: NextFrame, _ message: NextMessage) {
    switch frame.key {
    case NextEnvironmentKey.bind: bind(frame, message)
    case NextEnvironmentKey.login: login(frame, message)
    case NextEnvironmentKey.unbind: unbind(frame)
    case NextEnvironmentKey.user: acknowledge(frame, owner.setUser(message))
    case NextEnvironmentKey.time: acknowledge(frame, setTime(message))
    case NextEnvironmentKey.battery: reply(to: frame, batteryMessage)
    case NextEnvironmentKey.language: reply(to: frame, NextWriter.make { $0.number(1, 1) })
    case NextEnvironmentKey.setLanguage, NextEnvironmentKey.hostState: reply(to: frame, result: true)
    case NextEnvironmentKey.bluetoothInfo: reply(to: frame, bluetoothMessage)
    case NextEnvironmentKey.powerOff, NextEnvironmentKey.reboot, NextEnvironmentKey.factoryReset:
      blame(.touchedForbidden, frame)
      reply(to: frame, result: false)
    default: reply(to: frame, result: false)
    }
  }

  private func answerSync(_ frame: NextFrame, _ message: NextMessage) {
    switch frame.key {
    case NextSyncKey.start: startSync(frame, message)
    case NextSyncKey.live: controlLive(frame, message)
    default: reply(to: frame, result: false)
    }
  }

  private func acknowledge(_ frame: NextFrame, _ isDone: Bool) {
    if !isDone { blame(.wroteNonsense, frame) }
    reply(to: frame, result: isDone)
  }

  // MARK: Answers

  private var deviceMessage: [UInt8] {
    NextWriter.make {
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
    return NextWriter.make {
      $0.text(1, octets.joined(separator: ":"))
      $0.text(2, traits.name)
      $0.number(3, 1)
    }
  }

  /// 1 result: 0 done, encoded as no bytes at all, or 1 failed.
  func reply(to frame: NextFrame, result isDone: Bool) {
    reply(to: frame, NextWriter.make { $0.number(1, isDone ? 0 : 1) })
  }

  /// Sends the answer a moment later, over the same link only. Faults may prevent that.
  ///
  /// - Parameter after: called when it was passed to the air, with its number in the log.
  /// - Returns: false if it is never sent.
  @discardableResult
  func reply(to frame: NextFrame, _ payload: [UInt8], after: @escaping @LoopActor (Int) -> Void = { _ in }) -> Bool {
    let link = ledger.links.count
    if random.chance(traits.lostAcknowledgements) {
      log.ignored += 1
      return false
    }
    world.loop.schedule(after: random.duration(in: next.air.delay)) { [weak self] in
      guard let self, self.link?.isOpen == true, ledger.links.count == link else { return }
      let sequence = next.air.echoesSequence ? frame.sequence : outbox.nextSequence()
      after(send(NextFrame(frame.command, frame.key, flags: next.air.answerFlags, sequence: sequence, payload)))
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
    return send(NextFrame(command, key, sequence: outbox.nextSequence(), payload), items: items, done: done)
  }
}
