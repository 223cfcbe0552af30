// Which argument of command 51 is which day: the vendor's names say one thing, a band that was watched another.

import EventLoop
import StateCodec
import Wearable

/// How a band counts the two days before today. Steps have the arguments 1 and 2, sleep 3 and 4.
enum PastDayOrder: UInt8, Sendable, Hashable, CaseIterable {
  /// As it was observed on a watch: 1 and 3 are two days ago, 2 and 4 yesterday.
  case observed = 1
  /// As the vendor's names say: 1 and 3 yesterday.
  case named = 2

  /// - Parameter daysAgo: 1 or 2.
  func steps(_ daysAgo: Int64) -> UInt8 { (daysAgo == 1) == (self == .observed) ? 2 : 1 }
  func sleep(_ daysAgo: Int64) -> UInt8 { steps(daysAgo) + 2 }

  /// What two answers tell, beside what is stored of the two days.
  ///
  /// - Parameters:
  ///   - answers: by argument, of the first and of the second one.
  ///   - fits: whether an answer can be that of a day, by how many days it is back.
  /// - Returns: nil where both orders fit, or none.
  static func judge<Answer>(_ answers: (Answer, Answer), _ fits: (Answer, _ daysAgo: Int64) -> Bool) -> PastDayOrder? {
    let isObserved = fits(answers.0, 2) && fits(answers.1, 1)
    let isNamed = fits(answers.0, 1) && fits(answers.1, 2)
    return isObserved == isNamed ? nil : isObserved ? .observed : .named
  }
}

/// What a band was seen to mean, or its last answers while that is open.
struct MoyoungPastDays: RememberedState {
  static let name = "moyoung-past-days"

  /// What it said of steps on one day, by argument.
  struct Answers: Sendable, Hashable {
    /// Days since 1970.
    let day: Int64
    let first, second: DailyTotals
  }

  var order: PastDayOrder?
  var answers: Answers?

  init(_ order: PastDayOrder) { self.order = order }
  init(_ answers: Answers) { self.answers = answers }

  var isEmpty: Bool { order == nil && answers == nil }

  func write(to fields: inout FieldWriter) {
    if let order { fields.put(1, order.rawValue) }
    guard let answers else { return }
    fields.put(2, answers.day)
    for (place, totals) in [answers.first, answers.second].enumerated() {
      let tag = UInt8(3 + 3 * place)
      fields.put(tag, totals.steps)
      fields.put(tag + 1, totals.metres)
      fields.put(tag + 2, totals.kilocalories)
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var order: UInt8?
    var day: Int64?
    var numbers = [UInt32?](repeating: nil, count: 6)
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&order)
      case 2: fields.read(&day)
      case 3...8: fields.read(&numbers[Int(tag) - 3])
      default: break
      }
    }
    self.order = order.flatMap { PastDayOrder(rawValue: $0) }
    let found = numbers.compactMap { $0 }
    if let day, found.count == 6 {
      answers = Answers(
        day: day, first: DailyTotals(steps: found[0], metres: found[1], kilocalories: found[2]),
        second: DailyTotals(steps: found[3], metres: found[4], kilocalories: found[5]))
    }
    if isEmpty { return nil }
  }
}

/// The order of one band: guessed until its own answers tell.
@LoopActor
final class PastDays {
  private let link: any WearableLink

  init(_ link: any WearableLink) { self.link = link }

  private var told: PastDayOrder? { link.remembered(MoyoungPastDays.self)?.order }
  var isCertain: Bool { told != nil }
  var order: PastDayOrder { told ?? .observed }

  /// Once it is told it stays: days that are judged by it later cannot tell otherwise.
  func learn(_ order: PastDayOrder?) throws(VisitTrouble) {
    guard told == nil, let order else { return }
    try link.remember(MoyoungPastDays(order))
    if order == .named { link.note("it counts its past days as its vendor's names say") }
  }

  /// What was yesterday's total a day ago is now that of two days ago: the two days' answers tell the order.
  func compare(_ now: MoyoungPastDays.Answers) throws(VisitTrouble) {
    guard told == nil else { return }
    let before = link.remembered(MoyoungPastDays.self)?.answers
    if let before, before.day == now.day - 1 {
      let (isObserved, isNamed) = (now.first == before.second, now.second == before.first)
      if isObserved != isNamed { return try learn(isObserved ? .observed : .named) }
    }
    if before?.day != now.day { try link.remember(MoyoungPastDays(now)) }
  }
}
