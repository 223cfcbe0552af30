// Who the hub is to a band: bound once, logged in to at every later link, unbound when it is forgotten.

import Bands
import EventLoop
import StateCodec
import TopStepMessages
import Wearable

@LoopActor
final class TopStepBinding {
  private let channel: TopStepChannel
  private let clock: TopStepClock
  private let wearer: TopStepWearer
  private(set) var isBound = false

  /// A band may ask its wearer to confirm, and says itself when nobody does. Less than the hub's patience with a silent
  /// check, a minute.
  nonisolated static let confirmation: Duration = .seconds(45)

  init(_ channel: TopStepChannel, _ clock: TopStepClock, _ wearer: TopStepWearer) {
    (self.channel, self.clock, self.wearer) = (channel, clock, wearer)
  }

  /// Binds a band that this hub does not know, and logs in to one that it does. One that was reset knows nobody: it
  /// refuses the login and says that nobody has bound it before, and is bound anew.
  ///
  /// - Throws: `bindingRefused` where the band says no.
  func begin() async throws(VisitTrouble) {
    if isBound { return }
    let isKnown = channel.link.remembered(BandBinding.self) != nil
    var reply = try await ask(isKnown: isKnown)
    if isKnown, reply.refusal != nil, !reply.boundBefore, reply.result == .otherUser || reply.result == .unknown {
      reply = try await ask(isKnown: false)
    }
    if let why = reply.refusal { throw .bindingRefused(why) }
    isBound = true
    wearer.noteTold()
  }

  private func ask(isKnown: Bool) async throws(VisitTrouble) -> TopStepAuthenticationReply {
    let link = channel.link
    let message = try channel.bytes(authentication())
    try wearer.willTell()
    let answer: [UInt8]
    if isKnown {
      answer = try await channel.ask(.login, message)
    } else {
      // Asked once: a second question would ask the wearer a second time.
      answer = try await channel.ask(.bind, message, within: Self.confirmation, repeats: 0)
    }
    guard let reply = try? TopStepAuthenticationReply(wire: answer) else {
      throw .framing("its answer to \(isKnown ? "a login" : "being bound") is no message")
    }
    if !isKnown, reply.refusal == nil { try link.remember(BandBinding(link.hubTime)) }
    return reply
  }

  /// Nothing that was remembered of it holds after that.
  func end() async throws(VisitTrouble) {
    guard channel.isDone(try await channel.ask(.unbind)) else { throw .unsupported("it refuses to be unbound") }
    isBound = false
    let link = channel.link
    link.forget(BandBinding.self)
    link.forget(ClockSetSince.self)
    link.forget(ZoneGiven.self)
    link.forget(WearerTold.self)
    link.forget(ConfigurationsBefore.self)
    link.forget(BandTold.self)
  }

  private func authentication() -> TopStepAuthentication {
    var message = TopStepAuthentication()
    message.userID = BandBinding.userName(of: channel.link.address)
    // Of the two that the platform knows the one that is a Linux.
    message.system = .android
    message.version = Self.version
    message.brand = "Hearth"
    message.model = "Hub"
    if let user = wearer.user { message.user = user }
    if let time = clock.time() { message.time = time }
    return message
  }

  /// Of the hub as a host. It stays the same: a band may take a changed one for another host.
  private static let version = "1.0"
}

extension TopStepAuthenticationReply {
  /// nil: it accepts. Without a classic link it does as well: that is for calls and music.
  var refusal: BindingRefusal? {
    switch result {
    case .ok, .okWithoutClassic: nil
    case .otherUser: .otherHost
    case .cancelled: .cancelled
    case .timedOut: .notConfirmed
    case .batteryLow: .batteryLow
    case .resetting: .resetting
    case .resetNeeded: .resetNeeded
    case .unknown, .UNRECOGNIZED: .unexplained
    }
  }
}
