// Ownership of a band: its reactions to bind, login and unbind.

internal import EventLoop

/// Owner that a band remembers.
public struct TopStepOwner: Sendable, Hashable {
  /// Nil: unbound.
  public internal(set) var user: String?
  /// Time of the first binding since the last reset, Unix seconds by its own clock; nil: never bound.
  public internal(set) var firstBoundAt: Int64?
  /// Facts about the wearer, as the host sent them.
  public internal(set) var gender: Int64?
  /// Age in years.
  public internal(set) var age: Int64 = 0
  /// Height in cm.
  public internal(set) var height: Int64 = 0
  /// Weight in kg.
  public internal(set) var weight: Float = 0

  var wasEverBound: Bool { firstBoundAt != nil }

  mutating func setUser(_ message: TopStepMessage) -> Bool {
    let (age, height, weight) = (message.number(2), message.number(3), message.float(4))
    guard (0...1).contains(message.number(1)), (3...120).contains(age), (80...220).contains(height),
      weight >= 20, weight <= 200
    else { return false }
    (gender, self.age, self.height, self.weight) = (message.number(1), age, height, weight)
    return true
  }
}

/// Binding that waits for the wearer's confirmation.
struct PendingBind {
  var request: TopStepWireFrame
  let user: String
  let timer: LoopTimer
}

extension VirtualTopStepBand {
  // MARK: Bind and login

  func bind(_ frame: TopStepWireFrame, _ message: TopStepMessage) {
    let user = message.text(1)
    // A repeated request while the wearer looks for the button gets one answer: to the newest request.
    if let pending, pending.user == user {
      self.pending?.request = frame
      return
    }
    if pending != nil { return answerAuth(frame, user, .cancelled, isBind: true) }
    guard !user.isEmpty else {
      blame(.wroteNonsense, frame)
      return answerAuth(frame, user, .unknown, isBind: true)
    }
    if let refusal = refusal(of: user) { return answerAuth(frame, user, refusal, isBind: true) }
    if owner.user == user { return accept(frame, user, message, isBind: true) }
    guard next.owner.asksWearer else { return accept(frame, user, message, isBind: true) }
    let (delay, result) = wearersAnswer()
    let timer = world.loop.schedule(after: delay) { [weak self] in
      guard let self, let request = pending?.request else { return }
      pending = nil
      if result == .ok {
        accept(request, user, message, isBind: true)
      } else {
        answerAuth(request, user, result, isBind: true)
      }
    }
    pending = PendingBind(request: frame, user: user, timer: timer)
  }

  /// Reaction of the wearer and its delay: refuses, ignores, or presses the button.
  private func wearersAnswer() -> (Duration, TopStepAuthResult) {
    let band = traits
    let asked = timesAsked
    timesAsked += 1
    if asked < band.cancelsBindings { return (band.wearerTakes, .cancelled) }
    if asked < band.cancelsBindings + band.ignoresBindings { return (band.asksFor, .timedOut) }
    return (band.wearerTakes, .ok)
  }

  func login(_ frame: TopStepWireFrame, _ message: TopStepMessage) {
    let user = message.text(1)
    if let result = next.owner.result, !result.isAccepted { return answerAuth(frame, user, result, isBind: false) }
    if isResetting { return answerAuth(frame, user, .resetting, isBind: false) }
    guard !user.isEmpty, owner.user == user else { return answerAuth(frame, user, .otherUser, isBind: false) }
    accept(frame, user, message, isBind: false)
  }

  func unbind(_ frame: TopStepWireFrame) {
    reply(to: frame, result: true)
    owner.user = nil
    isLoggedIn = false
    ledger.unbindings += 1
  }

  private func refusal(of user: String) -> TopStepAuthResult? {
    if let result = next.owner.result, !result.isAccepted { return result }
    if isResetting { return .resetting }
    if let owned = owner.user, owned != user { return .otherUser }
    if next.owner.needsResetToRebind, owner.user == nil, owner.wasEverBound { return .resetNeeded }
    if batteryLevel < next.owner.leastBattery, owner.user == nil { return .lowBattery }
    return nil
  }

  private func accept(_ frame: TopStepWireFrame, _ user: String, _ message: TopStepMessage, isBind: Bool) {
    owner.user = user
    if let information = message.message(7) { _ = owner.setUser(information) }
    if let time = message.message(8) { _ = setTime(time) }
    isLoggedIn = true
    startWatching()
    noteEntered()
    if next.air.pieces == .wholeMTUOnceKnown { sendsWholeMTU = true }
    let result = next.owner.lacksClassicLink ? TopStepAuthResult.okWithoutClassicLink : .ok
    answerAuth(frame, user, result, isBind: isBind)
    if owner.firstBoundAt == nil { owner.firstBoundAt = unixTime }
  }

  private func answerAuth(_ frame: TopStepWireFrame, _ user: String, _ result: TopStepAuthResult, isBind: Bool) {
    log.auths.append((isBind, user, result, world.loop.now))
    if !result.isAccepted {
      ledger.refusals += 1
    } else if isBind {
      ledger.bindings += 1
    } else {
      ledger.logins += 1
    }
    reply(
      to: frame,
      TopStepWriter.make {
        $0.number(1, Int(result.rawValue))
        $0.truth(2, owner.wasEverBound)
        $0.number(3, owner.firstBoundAt ?? 0)
      })
  }

  // MARK: Actions of other devices

  /// Binds it as another person's phone, after a reset if it was bound.
  func phoneBinds(_ user: String) {
    hangUp()
    if owner.user != nil { recorder.reset(at: world.loop.now) }
    owner = TopStepOwner()
    owner.user = user
    owner.firstBoundAt = unixTime
  }

  /// Deletes owner and settings. For a moment no host can bind it.
  func forgetOwner() {
    owner = TopStepOwner()
    settings = TopStepSettings(next.settings, hasPressure: next.days.hasOpticalPressure)
    monitorsChanged()
    isResetting = true
    world.loop.schedule(after: .seconds(20)) { [weak self] in self?.isResetting = false }
  }
}
