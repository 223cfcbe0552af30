// A client that orders one measurement of vital signs of a simulated hub. It checks each report against the earlier
// ones. The rules are those of the session's published life cycle, written down here once more.

import EventLoop
import Hub
import Reasons
import Vitals

@LoopActor
final class VitalsEar {
  let number: Int
  let wearable: String
  let order: VitalsOrder
  /// The life of the hub that it belongs to.
  let life: Int
  let ordered: Instant
  /// The client stays so long; nil: to the end.
  var staysUntil: Instant?
  private(set) var session: VitalsSession?
  private(set) var state: SessionState?
  private(set) var record: MeasurementRecord?
  private(set) var ended: Instant?
  private(set) var refusal: HearthError?
  private(set) var result: VitalsResult?
  /// True if the hub was killed during the measurement: reports stop.
  var wasKilled = false
  private(set) var faults: [String] = []
  private(set) var values = 0
  private(set) var notices: [SessionCode] = []
  private var news = 0
  /// An error befell the measurement.
  private var failed: SessionCode?
  /// Results came, the state that follows did not.
  private var owesState = false
  private let loop: any Loop

  /// As the life cycle has them. If a sensor is lost in starting there is one more, to stopping.
  private static let successors: [SessionState: [SessionState]] = [
    .initializing: [.ready, .terminating],
    .ready: [.starting, .initializing, .terminating],
    .starting: [.processing, .stopping],
    .processing: [.stopping],
    .stopping: [.ready, .initializing],
    .terminating: [.terminated],
    .terminated: [],
  ]
  /// A first connection is waited for so long, with the first batch of an optical sensor.
  private static let connection: Duration = .seconds(120)
  /// The return of a sensor after a measurement that failed.
  private static let comeback: Duration = .seconds(60)
  /// Reading and writing of the disk, ticks of a second, the last batch of an optical sensor.
  private static let margin: Duration = .seconds(15)

  init(_ number: Int, _ wearable: String, _ order: VitalsOrder, life: Int, _ loop: any Loop) {
    self.number = number
    self.wearable = wearable
    self.order = order
    self.life = life
    self.loop = loop
    ordered = loop.now
  }

  var label: String { "order \(number) of \(wearable)" }
  /// A session that is not over.
  var isOpen: Bool { session != nil && state != .terminated && ended == nil && !wasKilled }
  var isOver: Bool { ended != nil || wasKilled }
  var isWanted: Bool { staysUntil.map { loop.now < $0 } ?? true }
  var deadline: Instant {
    ordered + Self.connection + Self.comeback + .seconds(min(max(order.seconds, 0), 180)) + Self.margin
  }

  private func fault(_ what: String) {
    if faults.count < 5 { faults.append("\(label), \(state.map { $0.name } ?? "not opened"): \(what)") }
  }

  func hear(_ told: VitalsNews) {
    if wasKilled { return fault("told by a hub that was killed") }
    if ended != nil { fault("told after its end") }
    news += 1
    if case .opened(let opened) = told {
      if news > 1 { fault("opened anew") }
      if opened.wearable != wearable || opened.seconds != order.seconds { fault("opened for \(opened)") }
      session = opened
      return
    }
    if session == nil { fault("something is told before it is opened") }
    switch told {
    case .opened: break
    case .state(let next, _): change(to: next)
    case .values(let moment): hear(moment)
    case .notice(let code, let isOn): hear(code, isOn)
    case .results(let results): hear(results)
    }
  }

  private func change(to next: SessionState) {
    if let state {
      if Self.successors[state]?.contains(next) != true { fault("then \(next.name)") }
    } else if next != .initializing {
      fault("it begins with \(next.name)")
    }
    if next == .starting, record != nil || failed != nil { fault("another measurement is started") }
    owesState = false
    state = next
  }

  private func hear(_ moment: VitalsMoment) {
    values += 1
    if state != .processing { fault("values are told") }
    if moment.requested != Int64(order.seconds) * 1_000_000 { fault("\(moment.requested) us are requested") }
    if moment.elapsed < 0 || moment.elapsed > moment.requested + 1_000_000 { fault("\(moment.elapsed) us elapsed") }
    if let rate = moment.pulseRate, !(30...220).contains(rate) { fault("a pulse of \(rate)") }
    if moment.isHidden, moment.pulseRate != nil || moment.report != nil { fault("hidden values are told") }
  }

  private func hear(_ code: SessionCode, _ isOn: Bool) {
    notices.append(code)
    if code.kind == .refusal { fault("a refusal is told, \(code.rawValue)") }
    if code.kind == .error, isOn, state == .starting || state == .processing { failed = code }
  }

  private func hear(_ results: MeasurementRecord) {
    if record != nil { fault("results are told twice") }
    if let failed { fault("results are told after error \(failed.rawValue)") }
    if state != .stopping { fault("results are told") }
    if results.endReason != .duration && results.endReason != .stop { fault("it ended by \(results.endReason)") }
    if results.session != session?.id { fault("results are those of session \(results.session)") }
    record = results
    owesState = true
  }

  /// `measureVitals` returned.
  func end(_ result: VitalsResult) {
    if ended != nil || wasKilled { return fault("it ends twice") }
    if state != .terminated { fault("it ends without its session") }
    if owesState { fault("nothing follows its results") }
    if result.record != record { fault("its record is another than was told") }
    if record == nil, result.trouble == nil { fault("it ends without results, and does not say why") }
    if record != nil, result.trouble != nil || result.code != nil { fault("it ends with results and a trouble") }
    if let failed, result.code == nil { fault("it ends without its error \(failed.rawValue)") }
    self.result = result
    finish()
  }

  /// `measureVitals` threw.
  func end(_ error: HearthError) {
    if news > 0 { fault("it was opened, and is refused: \(error.detail)") }
    refusal = error
    finish()
  }

  private func finish() {
    ended = loop.now
    if loop.now > deadline { fault("it took \(loop.now - ordered)") }
    if let staysUntil, loop.now > max(staysUntil, ordered) + Self.margin { fault("it went on without its client") }
  }

  /// Looked at now and then.
  func look() {
    if !isOver, loop.now > deadline { fault("it hangs since \(loop.now - ordered)") }
  }
}
