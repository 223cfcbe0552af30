// Binding between hub and band: bound once, logged in at every later link, unbound when the band is forgotten.

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

  /// Time for the wearer to confirm, if the band asks for that. The band itself reports when no confirmation came. The
  /// limit is less than a minute, after which the hub abandons a silent check.
  nonisolated static let confirmation: Duration = .seconds(45)

  init(_ channel: TopStepChannel, _ clock: TopStepClock, _ wearer: TopStepWearer) {
    (self.channel, self.clock, self.wearer) = (channel, clock, wearer)
  }

  /// Binds a band that is new to this hub, and logs in to one that is known. A band that was reset refuses the login
  /// and reports that it was never bound. The hub then binds it again.
  ///
  /// - Throws: `bindingRefused` if the band refuses.
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
      // Requested once: a second request would ask the wearer a second time.
      answer = try await channel.ask(.bind, message, within: Self.confirmation, repeats: 0)
    }
    guard let reply = try? TopStepAuthenticationReply(wire: answer) else {
      throw .framing("its answer to \(isKnown ? "a login" : "being bound") is no message")
    }
    if !isKnown, reply.refusal == nil { try link.remember(BandBinding(link.hubTime)) }
    return reply
  }

  /// Unbinds. Records about the band are invalid after that.
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
    // The platform knows two systems; this is the one based on Linux.
    message.system = .android
    message.version = Self.version
    message.brand = "Hearth"
    message.model = "Hub"
    if let user = wearer.user { message.user = user }
    if let time = clock.time() { message.time = time }
    return message
  }

  /// Version of the hub as a host, which never changes: a band may take another version for another host.
  private static let version = "1.0"
}

extension TopStepAuthenticationReply {
  /// nil: the band accepts, also without a classic link, which serves calls and music.
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
