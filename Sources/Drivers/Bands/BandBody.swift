// What a band is told of its wearer's body: its messages are whole, and have no way to leave a part as it is.

public import CivilTime
import EventLoop
public import Health
public import Wearable

/// A body in whole numbers, and which of them nobody entered.
public struct BandBody: Sendable, Hashable {
  /// cm, kg, years.
  public let height, weight, age: Int
  public let isFemale: Bool
  /// Parts that are assumed.
  public let assumed: [BodyFacts.Part]

  /// Parts that such a message has.
  private static let parts: [BodyFacts.Part] = [.born, .sex, .height, .weight]

  /// What is known, and the rest assumed.
  public init(_ facts: BodyFacts, on today: LocalDate) {
    height = facts.height ?? BodyFacts.middling.height
    weight = facts.weight ?? BodyFacts.middling.weight
    isFemale = (facts.sex ?? BodyFacts.middling.sex) == .female
    age = facts.born?.age(on: today) ?? BodyFacts.middling.age
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

  /// What the band of a link is to be told now; nil: nothing.
  ///
  /// - Parameter told: of the last time; nil: this hub never told it anything.
  @LoopActor
  public static func next(after told: BandBodyTold?, _ link: any WearableLink) -> (body: BandBody, told: BandBodyTold)?
  {
    let today = link.today
    guard let wearer = link.orders.wearer else {
      guard link.orders.takeOff != nil, let told, told.wearer != 0 else { return nil }
      return (BandBody(BodyFacts(), on: today), BandBodyTold(wearer: 0, isAssumed: true))
    }
    let body = BandBody(wearer.facts, on: today)
    if body.assumed.isEmpty { return (body, BandBodyTold(wearer: wearer.number, isAssumed: false)) }
    // What was taken back of one wearer stays as it was told; of another nothing stays.
    guard let told, told.wearer != wearer.number || told.isAssumed else { return nil }
    return (body, BandBodyTold(wearer: wearer.number, isAssumed: true))
  }

  /// What of it nobody entered, for people: `born, sex`; nil where all was.
  @LoopActor
  public func assumedText(_ link: any WearableLink) -> String? {
    guard isAssumed else { return nil }
    let worn = link.orders.wearer.flatMap { $0.number == wearer ? $0.facts : nil }
    return BandBody(worn ?? BodyFacts(), on: link.today).assumedText
  }

  /// The same as a report of a band that says no more of a body; empty where all was entered.
  @LoopActor
  public func assumedRows(_ link: any WearableLink) -> [ReportRow] {
    assumedText(link).map { [ReportRow("wearer", [ReportRow.Field("assumed", $0)])] } ?? []
  }
}
