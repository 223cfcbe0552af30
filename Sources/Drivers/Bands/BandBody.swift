// The wearer's body as a band receives it. The message is always complete: no field of it can be left unchanged.

public import CivilTime
import EventLoop
public import Health
public import Wearable

/// Height, weight, age and sex of a wearer in whole numbers, and the list of parts that were not entered.
public struct BandBody: Sendable, Hashable {
  /// cm, kg, years.
  public let height, weight, age: Int
  /// True for a woman.
  public let isFemale: Bool
  /// Parts that the hub assumed.
  public let assumed: [BodyFacts.Part]

  /// Parts that the message has.
  private static let parts: [BodyFacts.Part] = [.born, .sex, .height, .weight]

  /// Takes the known facts, and assumes the rest.
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

  /// Assumed parts for display: `born, sex`; nil if all were entered.
  public var assumedText: String? {
    assumed.isEmpty ? nil : assumed.map(\.rawValue).joined(separator: ", ")
  }
}

/// Record of the body that a band received last.
public struct BandBodyTold: Sendable, Hashable {
  /// Number of the wearer. 0: no wearer, since the band was taken off; nil: unknown, since that was not stored.
  public var wearer: UInt32?
  /// Some parts were assumed.
  public var isAssumed: Bool

  /// Record of a body that was sent. `wearer`: number of the person, if any. `isAssumed`: parts of it were not
  /// entered.
  public init(wearer: UInt32?, isAssumed: Bool) { (self.wearer, self.isAssumed) = (wearer, isAssumed) }

  /// Body to send over this link now; nil if the band has the right one, or should keep what it has.
  ///
  /// - Parameter told: record of the last body sent; nil if this hub never sent one.
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
    // Parts deleted for the same wearer stay on the band as they were sent. Of another wearer no part stays.
    guard let told, told.wearer != wearer.number || told.isAssumed else { return nil }
    return (body, BandBodyTold(wearer: wearer.number, isAssumed: true))
  }

  /// Parts that were assumed, for display: `born, sex`; nil if all were entered.
  @LoopActor
  public func assumedText(_ link: any WearableLink) -> String? {
    guard isAssumed else { return nil }
    let worn = link.orders.wearer.flatMap { $0.number == wearer ? $0.facts : nil }
    return BandBody(worn ?? BodyFacts(), on: link.today).assumedText
  }

  /// The same as report rows, for a band that reports no more of a body; empty if all parts were entered.
  @LoopActor
  public func assumedRows(_ link: any WearableLink) -> [ReportRow] {
    assumedText(link).map { [ReportRow("wearer", [ReportRow.Field("assumed", $0)])] } ?? []
  }
}
