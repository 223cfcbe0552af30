// Choice of the adapter for a link: a score for each, in decibels.

/// Candidate adapter for a link to a certain wearable.
struct AdapterOffer: Sendable {
  var place: Int
  /// Signal strength of the wearable at this adapter, dBm; nil: not heard.
  var loudness: Double?
  var links: Int
  var slots: Int
  /// Attempts that wait at this adapter.
  var attempts: Int
  /// Slots that the hub keeps for other wearables.
  var kept = 0
  /// Failures of this adapter with this wearable; older ones count less.
  var misses = 0.0
  /// The same with other wearables.
  var otherMisses = 0.0
  /// Whether the wearable's last link was here.
  var wasLast = false

  /// Strength above which every link is equally good, dBm: then load alone decides.
  private static let loudEnough = -60.0
  /// Strength that an unheard wearable counts as, below the sensitivity of any receiver (about -90 dBm). dBm.
  private static let unheard = -100.0
  /// Malus of a full adapter against an empty one: as much as a wall between them. dB.
  private static let load = 24.0
  /// Links are made one after the other, in about 1.5 s each; an earlier turn is worth a little strength. dB.
  private static let attempt = 4.0
  /// A failure may be the adapter's or the wearable's fault. dB.
  private static let miss = 10.0
  private static let otherMiss = 3.0
  /// Bonus that keeps two equal adapters from alternating. dB.
  private static let last = 5.0

  var hasRoom: Bool { links + attempts + kept < slots }

  /// Score in dB; the highest is chosen.
  var worth: Double {
    min(loudness ?? Self.unheard, Self.loudEnough)
      - Self.load * Double(links) / Double(max(slots, 1))
      - Self.attempt * Double(attempts)
      - Self.miss * min(misses, 3) - Self.otherMiss * min(otherMisses, 5)
      + (wasLast ? Self.last : 0)
  }

  /// The best adapter with a free slot; the first of equals.
  static func best(of offers: [AdapterOffer]) -> AdapterOffer? {
    var best: AdapterOffer?
    for offer in offers where offer.hasRoom { if best.map({ offer.worth > $0.worth }) ?? true { best = offer } }
    return best
  }
}
