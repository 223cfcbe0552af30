// Effects of an insole's commands: the state machine of section 11, a deletion without effect, an erase that works
// once.

import Bluetooth
import EventLoop
import Simulation

/// State in the status word. At most one bit is set; without any the insole is idle.
enum InsoleState {
  case idle, running, foot, orientation, both, paused

  var bits: UInt32 {
    switch self {
    case .idle: 0
    case .running: 1 << 25
    case .foot: 1 << 26
    case .orientation: 1 << 27
    case .both: 1 << 28
    case .paused: 1 << 29
    }
  }

  var isStream: Bool { self == .foot || self == .orientation || self == .both }
}

extension VirtualInsole {
  /// Section 7: one command at a time, 0.5 to 1 s apart. Measured by this clock, from the arrival of one command to
  /// that of the next.
  static let commandSpacing: Duration = .milliseconds(500)

  func noteCommand(_ command: UInt8, _ value: [UInt8]) {
    let now = world.loop.now
    if let last = commands.last, now - last.at < Self.commandSpacing {
      let apart = (now - last.at).wholeNanoseconds / 1_000_000
      forbid("command \(String(command, radix: 16)) \(apart) ms after \(String(last.command, radix: 16))")
    }
    if commands.count == 256 { commands.removeFirst() }
    commands.append((command, value, now))
  }

  /// Section 6.3: the error 0x0E for profile 2 is final for the link. A profile that was accepted without effect counts
  /// as unavailable, too.
  func noteIdle() {
    if idleRefused {
      forbid("profile 2 once more over a link on which it was refused")
    } else if idleTold {
      forbid("profile 2 twice over one link")
    }
    idleTold = true
  }

  /// Result of a command: nil is a Write Response, a number an ATT error.
  func control(_ command: UInt8, _ value: [UInt8]) -> UInt8? {
    switch command {
    case 0x81: return setTime(value)
    case 0x84: return start(value)
    case 0x85: return stop(value)
    case 0x86, 0x8A: return value.count == 1 ? nil : 0x0D
    case 0x87: return deleteFile(value)
    case 0x8B: return writeProfile(value)
    case 0x8D: return weigh(value)
    case 0x8E: return value.count == 20 ? nil : 0x0D
    case 0x8F: return resetBonds(value)
    case 0x90: return value.count == 6 ? nil : 0x0D
    case 0x91: return erase(value)
    default: return nil
    }
  }

  /// The vendor's only big-endian value. The firmware does not check other lengths.
  private func setTime(_ value: [UInt8]) -> UInt8? {
    if value.count != 4 { forbid("a time of \(value.count) octets") }
    let epoch = value.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    clock.set(Int64(epoch), at: world.loop.now)
    if session == nil { clock.forget(before: world.loop.now) }
    noteTimeSet(epoch)
    return nil
  }

  private func weigh(_ value: [UInt8]) -> UInt8? {
    if value.count == 1 { return nil }
    guard value.count == 4 else { return 0x0D }
    let kilograms = Float(
      bitPattern: UInt32(value[0]) | UInt32(value[1]) << 8 | UInt32(value[2]) << 16 | UInt32(value[3]) << 24)
    return kilograms >= 20 && kilograms <= 300 ? nil : 0x13
  }

  /// Every write, even a refused one, first stops the streams; during a recording it does harm.
  private func start(_ value: [UInt8]) -> UInt8? {
    if state != .idle, !(state == .paused && value == [2]) {
      forbidUnlessCrossed("start \(value.first ?? 0) while \(state)")
    }
    endStreams()
    guard value.count == 1 else { return 0x0D }
    switch value[0] {
    case 1:
      switch state {
      case .running: session?.isStuck = true
      case .paused where session != nil: resume()
      default: startSession()
      }
    case 2:
      switch state {
      case .paused where session != nil: resume()
      case .paused: change(to: stateBeforePause == .idle ? .running : stateBeforePause)
      case .running: session?.isStuck = true
      default: change(to: stateBeforePause == .idle ? .running : stateBeforePause)
      }
    case 3: stream(.foot)
    case 4: stream(.orientation)
    case 5: stream(.both)
    default: break
    }
    return nil
  }

  private func stop(_ value: [UInt8]) -> UInt8? {
    // Section 7.2: 3 and 4 leave the other flag undefined and force it on at the left foot; 5 stops any stream.
    let allowed: [UInt8] = state == .running ? [1, 2] : state == .paused ? [1] : state.isStream ? [5] : [1, 5]
    if let first = value.first, !allowed.contains(first) { forbidUnlessCrossed("stop \(first) while \(state)") }
    guard value.count == 1 else { return 0x0D }
    switch (value[0], state) {
    case (1, _):
      if session != nil { stopSession() } else { change(to: .idle) }
    case (2, _):
      if state != .paused { stateBeforePause = state }
      session?.pause(at: world.loop.now)
      change(to: .paused)
    case (5, _), (3, .foot), (4, .orientation): change(to: .idle)
    case (3, .both): change(to: .orientation)
    case (4, .both): change(to: .foot)
    default: session?.isStuck = true
    }
    armStreams()
    return nil
  }

  private func stream(_ stream: InsoleState) {
    if session != nil { session?.isStuck = true }
    change(to: stream)
    armStreams()
  }

  private func endStreams() {
    if state.isStream, session == nil { change(to: .idle) }
    if let streamTimer { world.loop.cancel(streamTimer) }
    streamTimer = nil
  }

  private func resume() {
    session?.resume(at: world.loop.now)
    change(to: .running)
    armRecords()
  }

  /// Builds a name that does not exist, and reports "not found" as success. Closes a running session.
  private func deleteFile(_ value: [UInt8]) -> UInt8? {
    guard value.count == 1 else { return 0x0D }
    forbid("a deletion of one file")
    if session != nil { stopSession() }
    return nil
  }

  private func resetBonds(_ value: [UInt8]) -> UInt8? {
    guard value.count == 1 else { return 0x0D }
    guard value[0] == 1 else { return nil }
    bond = nil
    world.loop.schedule(after: .milliseconds(50)) { [weak self] in self?.hangUp() }
    return nil
  }

  /// Erases all files a moment later. A second time in one boot it only reports success.
  private func erase(_ value: [UInt8]) -> UInt8? {
    guard value.count == 1 else { return 0x0D }
    guard value[0] == 1 else { return nil }
    let works = traits.conduct != .keepsWhatIsErased && !(traits.erasesOncePerBoot && hasErased)
    countErase(effective: works)
    hasErased = true
    let isUnknown = stateIsUnknown
    if state != .idle { forbidUnlessCrossed("an erase while \(state)") }
    guard works else { return nil }
    // A hub must have everything that exists at the command; a running session is lost with it.
    let contents = memory.files.map { file in
      var content = memory.content(of: file)
      if !isUnknown, let session, session.hasFile, session.id == file.id {
        content.append(file.bytes[file.heldSize...] + session.records(until: world.loop.now, clock))
      }
      return (InsoleSMP.path(file.id), content)
    }
    world.onErase?(self, contents)
    session = nil
    change(to: .idle)
    let boot = boots
    world.loop.schedule(after: traits.eraseTime) { [weak self] in
      guard let self, boots == boot else { return }
      memory.eraseAll(at: world.loop.now)
    }
    return nil
  }

  /// Whether the state changed while this command was in flight. The hub had read the status in the request right
  /// before, and got the state before the change. The protocol has no command with a condition, so no hub can avoid
  /// that.
  private var stateIsUnknown: Bool {
    guard let told = statusTold else { return false }
    return told < stateSince && world.loop.now - told <= Self.longestCrossing
  }
  /// Longest time for an answer and the following command together: the longest supervision timeout of a link to an
  /// insole (section 6.3). An insole may skip some events, or be out of range for a while.
  private static let longestCrossing: Duration = .seconds(10)

  private func forbidUnlessCrossed(_ what: String) {
    guard stateIsUnknown else { return forbid(what) }
    let late = (world.loop.now - stateSince).wholeNanoseconds / 1_000_000
    if crossed.count < 64 { crossed.append("\(what), \(late) ms after that began") }
  }

  func change(to new: InsoleState) {
    if state == new { return }
    state = new
    stateSince = world.loop.now
    // Stop 5 after a crossed start 5 leaves the session's file open. The status is then idle, and a reader of the file
    // gets its present content.
    if new == .idle, let session, session.hasFile { memory.noteReadable(session.id) }
    notifyStatus()
  }
}
