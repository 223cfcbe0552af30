// What hostile peers do to a hub's time: one thing each, at each step of a link's life.

/// One way to take what belongs to others. All keep within what the specifications let a peer do or leave undone, so
/// that nothing tells them from a true one before it begins.
public enum HostileTrick: String, CaseIterable, Sendable, Hashable {
  // MARK: The link
  /// Advertises as connectable and answers no request for a link: an attempt lasts as long as the hub lets it.
  case letsNobodyIn
  /// The link is made, and nothing ever comes over it: gone after six events (0x3E).
  case breaksAtTheFirstEvent
  case hangsUpAtOnce
  /// Says nothing and hangs up after a second.
  case hangsUpAfterASecond
  /// Confirms a subscription and hangs up.
  case hangsUpAtEachSubscription
  /// Does everything right, and its link breaks after three seconds.
  case breaksEachThreeSeconds
  /// Does everything right, hangs up a second after it was subscribed, and is back at once.
  case reconnectsEachSecond
  /// Asks for an interval of 4 s and a timeout of 32 s: each packet takes seconds, and its silence half a minute.
  case stretchesTheLink
  /// Goes out of range as soon as it has the slot, and comes back when the link is given up.
  case vanishesInTheLink

  // MARK: ATT
  case mute
  case muteAfterMTU
  case muteAfterServices
  case muteAtDescriptors
  case muteAtSubscription
  /// Answers discovery and subscriptions, and no read.
  case muteAtReads
  /// Each answer comes 29 s after its request: ATT allows 30.
  case answersAfter29
  /// Each answer comes after 25 s and brings the least that an answer can: one service, one characteristic.
  case oneStepEach25
  /// The first answer at once, the next after a second, and each half as much later as the one before, up to 29 s:
  /// whoever is patient because something came is made to wait ever longer.
  case growsSlower
  /// Services, one an answer, to the last handle there is.
  case endlessServices
  case endlessCharacteristics
  case endlessDescriptors
  /// Every value that is read goes on.
  case endlessReads
  /// Says to each read and write that the database is another one by now (0x12).
  case alwaysOutOfSync
  /// Indicates each second that its services changed.
  case alwaysChanging

  // MARK: Security
  /// Asks for pairing and answers nothing of it.
  case stallsFeatures
  /// Asks for pairing, agrees, and answers nothing of the exchange.
  case stallsExchange
  /// Each of the five answers of the exchange comes after 29 s: SMP allows 30.
  case crawlsExchange
  /// Pairs, and never encrypts with the key again.
  case stallsEncryption
  /// Lets nobody subscribe without encryption, and stalls it.
  case demandsEncryption

  // MARK: Values
  case neverSendsAValue
  /// One value on each link, then not a word.
  case oneValueThenMute
  /// A value each 25 s: a link is held to be alive for 30.
  case oneValueEach25
  /// Four hundred values in two seconds, then not a word.
  case floodsThenMute
  /// Honest for a minute, then not a word, and the link stays.
  case honestForAMinute
  /// A minute honest, a minute mute, and so on.
  case alternates
  /// Honest for its first three links, of a minute at least each; then another trick on each link.
  case earnsThenCheats

  // MARK: Transfers
  /// Takes commands of its family and answers none: a login, a listing, a request.
  case transferMute
  /// Sends a part of what was asked for, and then nothing.
  case transferStalls
  /// A part, and then one byte each ten seconds.
  case transferDribbles
  /// A part, and then frames without content each second, as the protocol allows.
  case transferKeepsAlive
  /// A part, and then its first frame again each second.
  case transferRestarts
  /// Whatever is confirmed, the next indication is there at once.
  case indicatesForEver

  // MARK: All of them
  /// Another one on each link.
  case mixed

  /// Whether one that looks so can do it.
  public func suits(_ guise: HostileGuise) -> Bool {
    switch self {
    case .neverSendsAValue, .oneValueThenMute, .oneValueEach25, .floodsThenMute: guise.streams
    case .transferMute, .transferStalls, .transferDribbles, .transferRestarts, .transferKeepsAlive: guise.transfers
    case .indicatesForEver: guise == .cuff
    default: true
    }
  }
}

/// What a hostile peer looks like: the true twin that speaks for it.
public enum HostileGuise: String, CaseIterable, Sendable, Hashable {
  case strap, polarStrap, polarSensor, insole, fitCloud, nextBand, moyoung, cuff

  var streams: Bool { self == .strap || self == .polarStrap }
  var transfers: Bool { self != .strap && self != .cuff }
}
