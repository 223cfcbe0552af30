// Tricks with which hostile peers waste a hub's time: one at each step of a link's life.

/// Way to take time that belongs to other wearables. All tricks stay within the specifications, so that a hostile peer
/// cannot be recognised before it begins.
public enum HostileTrick: String, CaseIterable, Sendable, Hashable {
  // MARK: The link
  /// Advertises as connectable and answers no connection request: an attempt lasts as long as the hub permits.
  case letsNobodyIn
  /// The link is created without a single packet, and lost after six events (0x3E).
  case breaksAtTheFirstEvent
  case hangsUpAtOnce
  /// Stays silent and disconnects after a second.
  case hangsUpAfterASecond
  /// Confirms a subscription and disconnects.
  case hangsUpAtEachSubscription
  /// Behaves correctly, but its link breaks after three seconds.
  case breaksEachThreeSeconds
  /// Behaves correctly, disconnects a second after the subscription, and returns at once.
  case reconnectsEachSecond
  /// Requests an interval of 4 s and a timeout of 32 s: each packet takes seconds, and a silence half a minute.
  case stretchesTheLink
  /// Goes out of range as soon as it has the slot, and returns when the link is given up.
  case vanishesInTheLink

  // MARK: ATT
  case mute
  case muteAfterMTU
  case muteAfterServices
  case muteAtDescriptors
  case muteAtSubscription
  /// Answers discovery and subscriptions, but no read.
  case muteAtReads
  /// Sends each answer 29 s after its request: ATT allows 30.
  case answersAfter29
  /// Sends each answer after 25 s, with the minimum of content: one service, one characteristic.
  case oneStepEach25
  /// Sends the first answer at once and the next after a second. Each delay is half as much longer than the one before,
  /// up to 29 s. A hub that extends its timeout after each answer waits ever longer.
  case growsSlower
  /// Lists services, one per answer, up to the last possible handle.
  case endlessServices
  case endlessCharacteristics
  case endlessDescriptors
  /// Every value that is read has a continuation.
  case endlessReads
  /// Reports to each read and write that the database has changed (0x12).
  case alwaysOutOfSync
  /// Indicates every second that its services changed.
  case alwaysChanging

  // MARK: Security
  /// Requests pairing and does not answer the first message.
  case stallsFeatures
  /// Requests pairing, agrees, and does not answer the exchange.
  case stallsExchange
  /// Sends each of the five answers of the exchange after 29 s: SMP allows 30.
  case crawlsExchange
  /// Pairs, but never encrypts with the key again.
  case stallsEncryption
  /// Permits no subscription without encryption, and stalls the encryption.
  case demandsEncryption

  // MARK: Values
  case neverSendsAValue
  /// Sends one value on each link, then falls silent.
  case oneValueThenMute
  /// Sends a value every 25 s: a link counts as alive for 30.
  case oneValueEach25
  /// Sends four hundred values in two seconds, then falls silent.
  case floodsThenMute
  /// Behaves honestly for a minute, then falls silent while the link stays.
  case honestForAMinute
  /// Alternates between an honest minute and a silent one.
  case alternates
  /// Behaves honestly on its first three links, of a minute at least each; then plays another trick on each link.
  case earnsThenCheats

  // MARK: Transfers
  /// Accepts commands of its family but never answers: a login, a listing, a request.
  case transferMute
  /// Sends a part of the requested data, then falls silent.
  case transferStalls
  /// Sends a part, then one byte every ten seconds.
  case transferDribbles
  /// Sends a part, then frames without content every second, as the protocol permits.
  case transferKeepsAlive
  /// Sends a part, then repeats its first frame every second.
  case transferRestarts
  /// Sends the next indication immediately after each confirmation.
  case indicatesForEver

  // MARK: All of them
  /// Plays another one on each link.
  case mixed

  /// Whether a peer of this guise can play the trick.
  public func suits(_ guise: HostileGuise) -> Bool {
    switch self {
    case .neverSendsAValue, .oneValueThenMute, .oneValueEach25, .floodsThenMute: guise.streams
    case .transferMute, .transferStalls, .transferDribbles, .transferRestarts, .transferKeepsAlive: guise.transfers
    case .indicatesForEver: guise == .cuff
    default: true
    }
  }
}

/// Appearance of a hostile peer: the genuine twin that speaks for it.
public enum HostileGuise: String, CaseIterable, Sendable, Hashable {
  case strap, polarStrap, polarSensor, insole, fitCloud, nextBand, moyoung, cuff

  var streams: Bool { self == .strap || self == .polarStrap }
  var transfers: Bool { self != .strap && self != .cuff }
}
