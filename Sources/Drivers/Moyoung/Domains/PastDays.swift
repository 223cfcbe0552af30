// Meaning of the day arguments of command 51: the vendor's names contradict a band that was observed.

import EventLoop
import StateCodec
import Wearable

/// Order in which a band counts the two days before today. Steps have the arguments 1 and 2, sleep 3 and 4.
enum PastDayOrder: UInt8, Sendable, Hashable, CaseIterable {
  /// Numbers as observed on a watch: 1 and 3 are two days ago, 2 and 4 yesterday.
  case observed = 1
  /// According to the vendor's names: 1 and 3 are yesterday.
  case named = 2

  /// - Parameter daysAgo: 1 or 2.
  func steps(_ daysAgo: Int64) -> UInt8 { (daysAgo == 1) == (self == .observed) ? 2 : 1 }
  func sleep(_ daysAgo: Int64) -> UInt8 { steps(daysAgo) + 2 }

  /// Determines the order by comparing two answers with what is stored of the two days.
  ///
  /// - Parameters:
  ///   - answers: the answers to the first and the second argument.
  ///   - fits: whether an answer can belong to the day that lies so many days back.
  /// - Returns: nil if both orders fit, or neither.
  static func judge<Answer>(_ answers: (Answer, Answer), _ fits: (Answer, _ daysAgo: Int64) -> Bool) -> PastDayOrder? {
    let isObserved = fits(answers.0, 2) && fits(answers.1, 1)
    let isNamed = fits(answers.0, 1) && fits(answers.1, 2)
    return isObserved == isNamed ? nil : isObserved ? .observed : .named
  }
}

/// Order found for a band, or its last answers until it is found.
struct MoyoungPastDayOrder: RememberedState {
  static let name = "moyoung-past-days"

  /// Steps that the band sent on one day, by argument.
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

/// Order of one band: assumed until its own answers prove it.
@LoopActor
final class PastDays {
  private let link: any WearableLink

  init(_ link: any WearableLink) { self.link = link }

  private var told: PastDayOrder? { link.remembered(MoyoungPastDayOrder.self)?.order }
  var isCertain: Bool { told != nil }
  var order: PastDayOrder { told ?? .observed }

  /// Stores the order. Once found it stays: days that are stored by it cannot disprove it later.
  func learn(_ order: PastDayOrder?) throws(VisitTrouble) {
    guard told == nil, let order else { return }
    try link.remember(MoyoungPastDayOrder(order))
    if order == .named { link.note("it counts its past days as its vendor's names say") }
  }

  /// Compares with the answers of a day ago. Yesterday's total of then is now that of two days ago.
  func compare(_ now: MoyoungPastDayOrder.Answers) throws(VisitTrouble) {
    guard told == nil else { return }
    let before = link.remembered(MoyoungPastDayOrder.self)?.answers
    if let before, before.day == now.day - 1 {
      let (isObserved, isNamed) = (now.first == before.second, now.second == before.first)
      if isObserved != isNamed { return try learn(isObserved ? .observed : .named) }
    }
    if before?.day != now.day { try link.remember(MoyoungPastDayOrder(now)) }
  }
}
