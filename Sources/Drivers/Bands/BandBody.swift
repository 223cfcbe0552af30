// What a band is told of its wearer's body: its messages are whole, and have no way to leave a part as it is.

public import Health

/// A body in whole numbers, and which of them nobody entered.
public struct BandBody: Sendable, Hashable {
  /// cm, kg, years.
  public let height, weight, age: Int
  public let isFemale: Bool
  /// Parts that are assumed.
  public let assumed: [BodyFacts.Part]

  /// Of a wearer of whom nothing is known, after another whose body was told. No vendor publishes what a band has that
  /// was never told anything, and it cannot be asked: so it is told an adult of middling size, which is nobody's.
  public static let middling = (height: 170, weight: 65, age: 30, isFemale: false)

  /// Parts that such a message has.
  private static let parts: [BodyFacts.Part] = [.born, .sex, .height, .weight]

  /// What is known, and the rest assumed.
  public init(_ facts: BodyFacts, on today: LocalDate) {
    height = facts.height ?? Self.middling.height
    weight = facts.weight ?? Self.middling.weight
    isFemale = facts.sex.map { $0 == .female } ?? Self.middling.isFemale
    age =
      facts.born.map { born in
        today.year - born.year - ((today.month, today.day) >= (born.month, born.day) ? 0 : 1)
      } ?? Self.middling.age
    let known: [BodyFacts.Part: Bool] = [
      .born: facts.born != nil, .sex: facts.sex != nil, .height: facts.height != nil, .weight: facts.weight != nil,
    ]
    assumed = Self.parts.filter { known[$0] != true }
  }

  /// For people: `born, sex`; nil where everything was entered.
  public var assumedText: String? {
    assumed.isEmpty ? nil : assumed.map(\.rawValue).joined(separator: ", ")
  }
}

/// Whose body a band was told last.
public struct BandBodyTold: Sendable, Hashable {
  /// Number of the wearer; 0: nobody's, it was taken off; nil: that was not kept.
  public var wearer: UInt32?
  /// Some of it was assumed.
  public var isAssumed: Bool

  public init(wearer: UInt32?, isAssumed: Bool) { (self.wearer, self.isAssumed) = (wearer, isAssumed) }

  /// What a band is to be told now; nil: nothing.
  ///
  /// - Parameters:
  ///   - told: of the last time; nil: this hub never told it anything.
  ///   - orders: who wears it now, and whose body is to be taken off it where nobody does.
  public static func next(
    after told: BandBodyTold?, _ orders: (wearer: UInt32?, facts: BodyFacts?, takeOff: UInt32?), on today: LocalDate
  ) -> (body: BandBody, told: BandBodyTold)? {
    guard let wearer = orders.wearer, let facts = orders.facts else {
      guard orders.takeOff != nil, let told, told.wearer != 0 else { return nil }
      return (BandBody(BodyFacts(), on: today), BandBodyTold(wearer: 0, isAssumed: true))
    }
    let body = BandBody(facts, on: today)
    if body.assumed.isEmpty { return (body, BandBodyTold(wearer: wearer, isAssumed: false)) }
    // What was taken back of one wearer stays as it was told; of another nothing stays.
    guard let told, told.wearer != wearer || told.isAssumed else { return nil }
    return (body, BandBodyTold(wearer: wearer, isAssumed: true))
  }
}
