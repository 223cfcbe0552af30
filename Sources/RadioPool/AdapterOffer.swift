// Which adapter a link goes to: one sum for each, in decibels.

/// An adapter as one that could make a link to a certain wearable.
struct AdapterOffer: Sendable {
  var place: Int
  /// How loud it hears the wearable, dBm; nil: not at all.
  var loudness: Double?
  var links: Int
  var slots: Int
  /// Attempts that wait there.
  var attempts: Int
  /// Failures with this wearable there, those of long ago counting less.
  var misses = 0.0
  /// The same with others.
  var otherMisses = 0.0
  /// The last link of this wearable was there.
  var wasLast = false

  /// Louder than this a link is as good as links are: then load alone decides. dBm.
  private static let loudEnough = -60.0
  /// As loud as what is not heard at all counts, below the sensitivity of any receiver (-90 dBm or so). dBm.
  private static let unheard = -100.0
  /// A full adapter against an empty one: as much as a wall between them. dB.
  private static let load = 24.0
  /// Links are made one after the other, each in 1.5 s or so; its turn is worth a little loudness. dB.
  private static let attempt = 4.0
  /// A failure may be the adapter's or the wearable's. dB.
  private static let miss = 10.0
  private static let otherMiss = 3.0
  /// So that two adapters that are alike do not take turns. dB.
  private static let last = 5.0

  var hasRoom: Bool { links + attempts < slots }

  /// dB; the greatest is chosen.
  var worth: Double {
    min(loudness ?? Self.unheard, Self.loudEnough)
      - Self.load * Double(links) / Double(max(slots, 1))
      - Self.attempt * Double(attempts)
      - Self.miss * min(misses, 3) - Self.otherMiss * min(otherMisses, 5)
      + (wasLast ? Self.last : 0)
  }

  /// The best one with room; the first of equals.
  static func best(of offers: [AdapterOffer]) -> AdapterOffer? {
    var best: AdapterOffer?
    for offer in offers where offer.hasRoom { if best.map({ offer.worth > $0.worth }) ?? true { best = offer } }
    return best
  }
}
