// Every order that people can give, given to a wearable of every family under the whole hub. Each is refused at once,
// carried out and seen at the wearable, or shown with a code.

import BandTwin
import Bluetooth
import BotzFamily
import BotzTwin
import Drivers
import EventLoop
import FitCloudFamily
import GATTServices
import Hub
import MoyoungFamily
import PolarFamily
import PolarTwin
import Reasons
import RingStore
import Simulation
import StandardGATTFamily
import StrapTwin
import TopStepNextFamily
import Wearable

@testable import DriverTestSupport
@testable import Health

/// A wearable of a family with a hub around it, and what the test can see of it from the other side.
@LoopActor
struct OrderExhibit {
  let driver: any WearableDriver
  /// What a driver is asked of it with.
  var known = KnownWearable()
  let hub: SimulatedHub
  let name = "wearable-1"
  /// Number of samples so far of streams that it sends by order now; nil if no stream is on.
  let streaming: @LoopActor () -> Int?
  /// Hz of the stream that began last.
  let rate: @LoopActor () -> Int?
  /// How often its settings, or switches of its radio, were written.
  let settingWrites: @LoopActor () -> Int
  /// How it measures a series by itself; nil if that is invisible from its side.
  var measures: (@LoopActor (Series) -> MonitoringOrder?)?
  /// Limits and the highest heart rate show there too.
  var showsLimits = false

  /// A driver of the registry that is missing here fails the walk.
  nonisolated static let families:
    [(driver: String, make: @LoopActor @Sendable (VirtualWorld, SimulatedHubOptions) async throws -> OrderExhibit)] = [
      (
        "heart-rate",
        { world, options in
          let strap = world.addStrap(.always)
          return OrderExhibit(
            driver: Drivers.registry.first { $0.id == "heart-rate" } ?? StandardDriver(HeartRateStrap.profiles),
            hub: try await hub(world, options, strap, "heart-rate"), streaming: { nil }, rate: { nil },
            settingWrites: { 0 })
        }
      ),
      (
        "botz",
        { world, options in
          var traits = InsoleTraits()
          traits.files = .sessions([60])
          let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
          return OrderExhibit(
            driver: BotzDriver(), hub: try await hub(world, options, insole, "botz"),
            streaming: { insole.statusWord & 0x1C00_0000 == 0 ? nil : insole.streamValuesSent }, rate: { nil },
            settingWrites: { 0 })
        }
      ),
      ("polar", { try await polar(.veritySense, $0, $1) }), ("polar", { try await polar(.band360, $0, $1) }),
      ("polar", { try await polar(.oh1, $0, $1) }),
      ("polar", { try await polar(.watch, $0, $1) }), ("polar-strap", { try await polar(.h10, $0, $1) }),
      (
        "heart-rate",
        { world, options in
          let thermometer = world.addThermometer { $0.interval = 60 }
          return OrderExhibit(
            driver: Drivers.registry.first { $0.id == "heart-rate" } ?? StandardDriver(HeartRateStrap.profiles),
            hub: try await hub(world, options, thermometer, "heart-rate"), streaming: { nil }, rate: { nil },
            settingWrites: { 0 })
        }
      ),
      ("fitcloud", { try await band($0.addFitCloud(), FitCloudDriver(), $0, $1) }),
      ("fitcloud", { try await band($0.addFitCloud { $0.hasTypedMonitors = false }, FitCloudDriver(), $0, $1) }),
      ("fitcloud", { try await band($0.addFitCloud { $0.becomeOld() }, FitCloudDriver(), $0, $1) }),
      ("topstep-next", { try await next($0, $1) }),
      (
        "moyoung",
        { world, options in
          let wearable = world.add { VirtualMoyoungBand($0, address: $1, random: $2) }
          return try await band(wearable, MoyoungDriver(), world, options)
        }
      ),
    ]

  /// Bands have no streams by order and no settings of this hub's.
  private static func band(
    _ band: VirtualBand, _ driver: any WearableDriver, _ world: VirtualWorld, _ options: SimulatedHubOptions
  ) async throws -> OrderExhibit {
    OrderExhibit(
      driver: driver, hub: try await hub(world, options, band, driver.id), streaming: { nil }, rate: { nil },
      settingWrites: { 0 },
      measures: { series in
        guard let schedule = band.recorder.schedules[series] else { return nil }
        var order = MonitoringOrder()
        order.isOn = schedule.isOn
        order.window = MonitoringWindow(begin: schedule.start, end: schedule.end)
        order.interval = schedule.interval * 60
        return order
      })
  }

  /// A band of the new platform, with the limits of its heart rate in the settings. Number 2 is for exercise, 3 for
  /// rest (1 on, 2 lowest, 3 highest), and 4 is the highest of all.
  private static func next(_ world: VirtualWorld, _ options: SimulatedHubOptions) async throws -> OrderExhibit {
    let wearable = world.addNextBand()
    var exhibit = try await band(wearable, TopStepNextDriver(), world, options)
    let measures = exhibit.measures
    exhibit.showsLimits = true
    exhibit.measures = { series in
      guard var order = measures?(series), series == .heartRate,
        let message = wearable.settings[.heartRate].flatMap({ TopStepMessage($0) })
      else { return measures?(series) }
      let sides: [(field: Int, below: MonitoringLimit, above: MonitoringLimit)] = [
        (2, .exerciseBelow, .exerciseAbove), (3, .restBelow, .restAbove),
      ]
      for side in sides {
        guard let alarm = message.message(side.field), alarm.number(1) == 1 else { continue }
        order.limits[side.below] = alarm.number(2)
        order.limits[side.above] = alarm.number(3)
      }
      order.maximumHeartRate = Int(clamping: message.number(4))
      return order
    }
    return exhibit
  }

  private static func polar(_ model: PolarTraits.Model, _ world: VirtualWorld, _ options: SimulatedHubOptions)
    async throws -> OrderExhibit
  {
    let wearable = world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(model)) }
    let driver: any WearableDriver = model == .h10 ? PolarStrapDriver() : PolarDriver()
    var known = KnownWearable()
    known.advertisedName = wearable.traits.localName
    return OrderExhibit(
      driver: driver, known: known, hub: try await hub(world, options, wearable, driver.id),
      streaming: {
        wearable.streams.isEmpty
          ? nil : wearable.streams.values.reduce(0) { $0 + $1.run.delivered.reduce(0) { $0 + $1.count } }
      },
      rate: { wearable.liveRuns.last?.rate }, settingWrites: { wearable.puts.count + wearable.radioTurns.count })
  }

  private static func hub(
    _ world: VirtualWorld, _ options: SimulatedHubOptions, _ wearable: VirtualPeripheral, _ driver: String
  ) async throws -> SimulatedHub {
    let hub = SimulatedHub(world, drivers: Drivers.registry, options: options)
    try await hub.start(enrolling: [("wearable-1", wearable, driver, "wearable")])
    return hub
  }
}

extension ConformanceKit {
  /// What is wrong with how a family takes orders.
  static func orderFaults(_ index: Int) throws -> [String] {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 4711 + UInt64(index))
      var options = SimulatedHubOptions()
      options.hub.pairing = .always
      let exhibit = try await OrderExhibit.families[index].make(world, options)
      try await loop.sleep(for: .seconds(150))
      let walk = OrderWalk(exhibit, loop)
      var faults: [String] = []
      faults += try await walk.streams()
      faults += try await walk.rates()
      faults += try await walk.settings()
      faults += try await walk.monitoring()
      faults += await walk.alerts()
      faults += try await walk.measuring()
      faults += try await walk.syncs()
      faults += try await walk.secret()
      faults += try await walk.profiles()
      faults += try await walk.choices()
      faults += try await walk.actions()
      faults += try await walk.reports()
      faults += try await walk.capabilities()
      await exhibit.hub.stop()
      return faults.map { "\(exhibit.driver.id) \(index): \($0)" }
    }
  }
}

@LoopActor
private struct OrderWalk {
  private let exhibit: OrderExhibit
  private let loop: VirtualLoop
  private var hearth: Hearth { exhibit.hub.hearth }
  private var name: String { exhibit.name }
  private var driver: any WearableDriver { exhibit.driver }

  init(_ exhibit: OrderExhibit, _ loop: VirtualLoop) {
    self.exhibit = exhibit
    self.loop = loop
  }

  private enum Answer { case taken, refused }

  /// - Returns: nil for an error that is no refusal of an order.
  private func given(_ order: () async throws(HearthError) -> Void) async -> Answer? {
    do throws(HearthError) {
      try await order()
      return .taken
    } catch { return [.requestUnsupported, .secretUseless].contains(error.reason) ? .refused : nil }
  }

  /// Within so many seconds.
  private func comesAbout(_ seconds: Int, _ isSo: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<seconds {
      if try await isSo() { return true }
      try await loop.sleep(for: .seconds(1))
    }
    return false
  }

  /// What it announced over its link, as far as its driver carries it out.
  private func had() throws -> WearableCapabilities {
    guard let had = try hearth.wearable(named: name).capabilities else {
      throw HearthError(.requestNotDone, "what it has is not known after a link")
    }
    return had
  }

  private func isCoded(_ series: Series) async throws -> Bool {
    try await hearth.report("streams", of: name).contains {
      $0.fields.contains { $0.name == "code" } && $0.fields.contains { $0.value == "refused" }
    }
  }

  // MARK: streams

  func streams() async throws -> [String] {
    var faults: [String] = []
    let live = driver.capabilities.live
    let declared = driver.streaming.map { $0.streams(of: exhibit.known) ?? live } ?? []
    let had = try had()
    for series in Series.all {
      let isDeclared = declared.contains(series) && live.contains(series) && had[series].contains(.streamed)
      switch await given({ () throws(HearthError) in _ = try await hearth.orderStreams(name, [series]) }) {
      case nil: faults.append("\(series.name): neither taken nor refused")
      case .refused?: if isDeclared { faults.append("\(series.name) is declared and refused") }
      case .taken?:
        if !isDeclared { faults.append("\(series.name) is not declared and taken") }
        let before = exhibit.streaming() ?? 0
        let comes = try await comesAbout(120) { exhibit.streaming().map { $0 > before } ?? false }
        if !comes, try await !isCoded(series) {
          faults.append("\(series.name) was ordered, and nothing of it comes or is said")
        }
        _ = try await hearth.orderStreams(name, [])
        if try await !comesAbout(60, { exhibit.streaming() == nil }) {
          faults.append("\(series.name) goes on though nobody wants it")
        }
      }
    }
    return faults
  }

  func rates() async throws -> [String] {
    var faults: [String] = []
    var choices: [Series: [WearableRate]] = [:]
    for choice in try hearth.orders(of: name).rateChoices { choices[choice.series] = choice.rates }
    let had = try had()
    let declared = (driver.rated?.rates(of: exhibit.known) ?? [:]).filter { had[$0.key].contains(.streamed) }
    if choices != declared { faults.append("rates are offered that are not declared, or the other way round") }
    for series in Series.all {
      for hertz in (choices[series] ?? []).map(\.hertz) + [7] {
        switch await given({ () throws(HearthError) in _ = try await hearth.orderRates(name, [series: hertz]) }) {
        case nil: faults.append("\(series.name) at \(hertz) Hz: neither taken nor refused")
        case .refused?: if hertz != 7 { faults.append("\(series.name) at \(hertz) Hz is offered and refused") }
        case .taken?:
          if declared[series] == nil { faults.append("\(series.name) at \(hertz) Hz is not declared and taken") }
          _ = try await hearth.orderStreams(name, [series])
          // Of a rate that a model should have and this one does not, the nearest is taken and told.
          let comes = try await comesAbout(120) {
            if exhibit.rate() == hertz, exhibit.streaming() ?? 0 > 0 { return true }
            guard let rate = exhibit.rate(), exhibit.streaming() ?? 0 > 0 else { return false }
            return try await hearth.report("streams", of: name).contains {
              $0.fields.contains { $0.name == "rate_hz" && $0.value == "\(rate)" }
            }
          }
          if !comes, try await !isCoded(series) {
            faults.append("\(series.name) at \(hertz) Hz was ordered and has \(exhibit.rate() ?? 0) Hz")
          }
          _ = try await hearth.orderStreams(name, [])
          _ = try await hearth.orderRates(name, [:])
          _ = try await comesAbout(60) { exhibit.streaming() == nil }
        }
      }
    }
    return faults
  }

  // MARK: settings

  /// It concerns sleep that is being recorded when a visit begins; there is no sleep here.
  private static let actsLater: Set<String> = ["sleep-recording"]

  func settings() async throws -> [String] {
    var faults: [String] = []
    let known = Drivers.registry.flatMap { $0.configurable?.settings(of: KnownWearable()) ?? [] }
    var values: [(name: String, value: String)] = [("no-such-setting", "on")]
    for setting in known where !values.contains(where: { $0.name == setting.name }) {
      switch setting.choice {
      case .words(let words): values += words.map { (setting.name, $0) }
      case .number(let range, _): values += [range.lowerBound, range.upperBound].map { (setting.name, "\($0)") }
      }
    }
    let declared = driver.configurable?.settings(of: exhibit.known) ?? []
    for (setting, value) in values {
      let isDeclared = declared.contains { $0.name == setting && $0.takes(value) }
      faults += try await carriedOut(setting, value, isDeclared) { () throws(HearthError) in
        _ = try await hearth.orderSettings(name, [setting: value])
      } takenBack: { () throws(HearthError) in
        _ = try await hearth.orderSettings(name, [setting: nil])
      }
    }
    let features = Drivers.registry.flatMap { $0.configurable?.switches(of: KnownWearable()).map(\.name) ?? [] }
    for feature in Set(features + ["no-such-feature"]).sorted() {
      let isDeclared = driver.configurable?.switches(of: exhibit.known).contains { $0.name == feature } ?? false
      let found = try await carriedOut(feature, "off", isDeclared) { () throws(HearthError) in
        _ = try await hearth.orderSwitchedOff(name, [feature])
      } takenBack: { () throws(HearthError) in
        _ = try await hearth.orderSwitchedOff(name, [])
      }
      if !Self.actsLater.contains(feature) { faults += found }
    }
    return faults
  }

  private func carriedOut(
    _ setting: String, _ value: String, _ isDeclared: Bool, _ order: () async throws(HearthError) -> Void,
    takenBack: () async throws(HearthError) -> Void
  ) async throws -> [String] {
    let before = exhibit.settingWrites()
    let what = "\(setting) \(value)"
    switch await given(order) {
    case nil: return ["\(what): neither taken nor refused"]
    case .refused?: return isDeclared ? ["\(what) is declared and refused"] : []
    case .taken? where !isDeclared: return ["\(what) is not declared and taken"]
    case .taken?:
      let shown = try await comesAbout(30) { exhibit.settingWrites() > before }
      var isCoded = false
      if !shown {
        // The value may be as ordered, which a report shows, or not available, which a visit says.
        try hearth.visitNow(name)
        isCoded = try await comesAbout(180) { try hearth.wearable(named: name).trouble?.reason == .settingNotTaken }
      }
      let rows = try await hearth.report("settings", of: name)
      let said = Set([value, value == "on" ? "yes" : value == "off" ? "no" : value])
      let isSo = rows.contains { row in
        row.fields.contains {
          said.contains($0.value) && (row.name == setting || $0.name == setting || said.count == 1)
        }
      }
      try await takenBack()
      try await loop.sleep(for: .seconds(5))
      return shown || isCoded || isSo ? [] : ["\(what) was ordered, and nothing is written or said"]
    }
  }

  // MARK: alerts

  /// Limits that the hub watches apply to live values alone. If a wearable's own limits are refused, the hub's are
  /// named only if they are accepted.
  func alerts() async -> [String] {
    var faults: [String] = []
    for kind in AlertKind.allCases {
      let isLive = driver.capabilities.live.contains(kind.series)
      let limit = (kind.range.lowerBound + kind.range.upperBound) / 2
      let answer = await given { () throws(HearthError) in
        _ = try await hearth.orderAlerts(name) { $0.limits[kind] = limit }
      }
      switch answer {
      case nil: faults.append("\(kind): neither taken nor refused")
      case .refused?: if isLive { faults.append("\(kind) comes live, and its limit is refused") }
      case .taken?:
        if !isLive { faults.append("\(kind) never comes live, and its limit is taken") }
        _ = await given { () throws(HearthError) in
          _ = try await hearth.orderAlerts(name) { $0.limits[kind] = nil }
        }
      }
      do throws(HearthError) {
        _ = try await hearth.orderMonitoring(name, kind.series) { $0.limits = [kind.monitoringLimit: limit] }
        _ = try await hearth.orderMonitoring(name, kind.series) { $0 = MonitoringOrder() }
      } catch {
        let isNamed = error.detail.contains("hearth alerts")
        if isNamed, answer != .taken { faults.append("\(kind): \(error.detail), where it is refused, too") }
        if error.detail.contains("no limits of its own"), isNamed != isLive {
          faults.append("\(kind): \(error.detail), which leaves out what can be had")
        }
      }
    }
    return faults
  }

  // MARK: monitoring

  /// An order of each part, for each series of any family.
  private static let monitored: [MonitoringOrder] = {
    var orders = [MonitoringOrder](repeating: MonitoringOrder(), count: 7)
    (orders[0].isOn, orders[1].isOn, orders[2].interval) = (true, false, 300)
    orders[3].window = MonitoringWindow(begin: 480, end: 1200)
    orders[4].limits = [.restBelow: 50]
    orders[5].limits = [.exerciseAbove: 180]
    orders[6].maximumHeartRate = 190
    return orders
  }()

  func monitoring() async throws -> [String] {
    var faults: [String] = []
    let had = try had()
    let choices = driver.monitored?.monitoring(of: exhibit.known) ?? []
    var taken = 0
    for series in [Series.heartRate, .spo2, .bodyTemperature, .stress] {
      let choice = choices.first { $0.series == series }
      let parts = choice?.parts(having: had[series]) ?? []
      for order in Self.monitored {
        let isDeclared = parts.isSuperset(of: order.parts) && !(order.isOn == true && choice?.beginsByInterval == true)
        let what = "\(order.parts.words) of \(series.name)"
        switch await given({ () throws(HearthError) in _ = try await hearth.orderMonitoring(name, series) { $0 = order }
        })
        {
        case nil: faults.append("\(what): neither taken nor refused")
        case .refused?: if isDeclared { faults.append("\(what) is declared and refused") }
        case .taken?:
          if !isDeclared { faults.append("\(what) is not declared and taken") }
          let before = exhibit.measures?(series)
          try hearth.visitNow(name)
          let isSo = try await comesAbout(180) {
            let one = try hearth.monitoring(of: name).series.first { $0.series == series }
            return one?.progress == .taken && one?.says.map { order.isMet(by: $0) } == true || one?.progress == .refused
          }
          if !isSo { faults.append("\(what) was ordered, and is neither so nor told") }
          let isTaken = try hearth.monitoring(of: name).series.contains { $0.series == series && $0.progress == .taken }
          if isTaken { taken += 1 }
          if isTaken, let now = exhibit.measures?(series), !seen(order).isMet(by: now) {
            faults.append("\(what) was ordered and is said to be so, and its wearable has \(now)")
          }
          _ = try await hearth.orderMonitoring(name, series) { $0 = MonitoringOrder() }
          try await loop.sleep(for: .seconds(5))
          if try await !comesAbout(60, { exhibit.measures?(series) == before }) {
            faults.append("\(what) was taken back, and its wearable does not measure as before")
          }
        }
      }
    }
    if exhibit.measures != nil, taken == 0 { faults.append("nothing of how it measures by itself was taken") }
    return faults
  }

  /// Only data declared as a kind of their own are fetched on request.
  func syncs() async throws -> [String] {
    var faults: [String] = []
    let hasAny = try had().keepsData && driver.synced != nil
    let kinds = driver.synced?.syncDomains ?? []
    let hourAgo = WallTime(microseconds: loop.wall.microseconds - 3_600_000_000)
    var requests = [SyncRequest(), SyncRequest(["no-such-data"]), SyncRequest(isAutomaticOnly: true)]
    requests += kinds.map { SyncRequest([$0.id]) } + (hasAny ? [SyncRequest(since: hourAgo)] : [])
    for request in requests {
      let what = "a sync of \(request.words) since \(request.since.map { "\($0.microseconds)" } ?? "what it has")"
      switch await given({ () throws(HearthError) in _ = try hearth.orderSync(name, request) }) {
      case nil: faults.append("\(what): neither taken nor refused")
      case .refused?: if hasAny, request == SyncRequest() { faults.append("\(what) is declared and refused") }
      case .taken?:
        if request.words == ["no-such-data"] || kinds.isEmpty { faults.append("\(what) is not declared and taken") }
        if try await !comesAbout(900, { try hearth.sync(of: name)?.isOver == true }) {
          faults.append("\(what) does not end")
        }
        let sync = try hearth.sync(of: name)
        if let trouble = sync?.trouble { faults.append("\(what) ended with \(trouble)") }
        for domain in sync?.domains ?? [] where domain.state != .done && domain.state != .nothingNew {
          // What it does not have is said with a code.
          if domain.state == .skipped, domain.trouble != nil { continue }
          faults.append("\(what): \(domain.id) is \(domain.state): \(domain.trouble.map { "\($0)" } ?? "no reason")")
        }
      }
    }
    return faults
  }

  /// What of it shows at the wearable.
  private func seen(_ order: MonitoringOrder) -> MonitoringOrder {
    var order = order
    if !exhibit.showsLimits { order.forget([.restLimits, .exerciseLimits, .maximumHeartRate]) }
    return order
  }

  // MARK: measuring by order

  func measuring() async throws -> [String] {
    var faults: [String] = []
    let had = try had()
    let declared = had.series(with: .onDemand)
    let further = driver.capable?.furtherCapabilities.series(with: .onDemand) ?? []
    if !further.isEmpty, declared.isEmpty { faults.append("it measures nothing by order") }
    for order in Series.all.compactMap({ MeasurementOrder($0) }) {
      let (isDeclared, what) = (declared.contains(order.series), "measuring \(order.series.name)")
      let told = Told()
      do throws(HearthError) {
        let result = try await hearth.measure(name, order, isWanted: { true }) { told.take($0) }
        if !isDeclared { faults.append("\(what) is not declared and done") }
        if result.trouble == nil, result.values == 0 || told.values != result.values {
          faults.append("\(what) was ordered, and \(result.values) values came of which \(told.values) were told")
        }
      } catch {
        if error.reason != .requestUnsupported {
          faults.append("\(what): \(error)")
        } else if isDeclared {
          faults.append("\(what) is declared and refused")
        }
      }
    }
    return faults
  }

  func secret() async throws -> [String] {
    let isDeclared = driver.encrypting.map { $0.secretRefusal(for: exhibit.known) == nil } ?? false
    switch await given({ () throws(HearthError) in _ = try await hearth.orderSecret(name, [UInt8](1...16)) }) {
    case nil: return ["a secret is neither taken nor refused"]
    case .refused?: return isDeclared ? ["a secret is declared and refused"] : []
    case .taken? where !isDeclared: return ["a secret is not declared and taken"]
    case .taken?:
      let answer = try await hearth.perform("recording-start", ["acc"], on: name)
      _ = try await hearth.perform("recording-stop", ["acc"], on: name)
      _ = try await hearth.orderSecret(name, nil)
      return answer.hasSuffix("encrypted") ? [] : ["with a secret: \(answer)"]
    }
  }

  // MARK: the hub's own

  func profiles() async throws -> [String] {
    var faults: [String] = []
    for profile in LinkProfile.allCases {
      for isByCentral in [false, true] {
        _ = try await hearth.setLink(name, profile: profile, byCentral: isByCentral)
        let isSo = try await comesAbout(120) {
          let link = try hearth.link(of: name)
          return link.effectiveProfile == profile || link.trouble?.reason == .linkProfileRefused
        }
        if !isSo {
          faults.append(
            "its link was ordered \(profile.name)\(isByCentral ? " by the hub" : ""), and is not, and nothing is said")
        }
      }
    }
    _ = try await hearth.setLink(name, profile: nil)
    return faults
  }

  func choices() async throws -> [String] {
    var faults: [String] = []
    let keepsData = try had().keepsData
    for choice in EraseChoice.allCases {
      let isTaken = await given { () throws(HearthError) in _ = try await hearth.setErasing(name, choice) } == .taken
      if isTaken != (choice == .no || exhibit.driver.capabilities.contains(.erase) && keepsData) {
        faults.append("erase \(choice.rawValue) is \(isTaken ? "taken" : "refused")")
      }
    }
    _ = try await hearth.setErasing(name, nil)
    for choice in [true, false] {
      let isTaken = await given { () throws(HearthError) in _ = try await hearth.setListening(name, choice) } == .taken
      if isTaken != (!choice || driver.advertisedValues != nil) {
        faults.append("listen \(choice) is \(isTaken ? "taken" : "refused")")
      }
    }
    _ = try await hearth.setListening(name, nil)
    return faults
  }

  /// What it announced is no more than its driver carries out, and no less than what came of it until now.
  func capabilities() async throws -> [String] {
    var faults: [String] = []
    let had = try had()
    if had.intersection(driver.implemented(for: exhibit.known)) != had {
      faults.append("it has what its driver does not carry out")
    }
    if had.isEmpty { faults.append("nothing can be had of it") }
    var came: (live: Set<Series>, fetched: Set<Series>) = ([], [])
    for sample in try await exhibit.hub.storedSamples() {
      if sample.way == .live { came.live.insert(sample.series) } else { came.fetched.insert(sample.series) }
    }
    for series in Series.all {
      if came.live.contains(series), had[series].isDisjoint(with: [.live, .onDemand, .streamed]) {
        faults.append("\(series.name) came live, and was not announced")
      }
      // Bytes are kept of whatever could not be read.
      let isKept = !had[series].isDisjoint(with: [.recorded, .history])
      if came.fetched.contains(series), !isKept, series != .raw {
        faults.append("\(series.name) was fetched, and was not announced")
      }
    }
    return faults
  }

  /// Those of all families; its own are proven in its own tests.
  func actions() async throws -> [String] {
    var own: [String] = []
    do throws(HearthError) { own = try await hearth.actions(of: name).actions.map(\.name) } catch {
      if error.reason != .requestUnsupported, error.reason != .visitUnsupported {
        return ["asked what it can do: \(error)"]
      }
    }
    var faults: [String] = []
    let all = [
      "start-activity", "stop-activity", "pause", "resume", "stream-start", "stream-stop", "recording-start",
      "exercise-start", "training-start", "no-such-action",
    ]
    for action in all where !own.contains(action) {
      do throws(HearthError) {
        let answer = try await hearth.perform(action, on: name)
        faults.append("\(action), which is none of its actions: \(answer)")
      } catch {
        if error.reason != .requestUnsupported, error.reason != .visitUnsupported {
          faults.append("\(action), which is none of its actions: \(error)")
        }
      }
    }
    return faults
  }

  /// Each of its own can be read; another is refused.
  func reports() async throws -> [String] {
    var own: [String] = []
    do throws(HearthError) { own = try await hearth.actions(of: name).reports } catch {
      if error.reason != .requestUnsupported, error.reason != .visitUnsupported {
        return ["asked what it tells: \(error)"]
      }
    }
    var faults: [String] = []
    for topic in own {
      do throws(HearthError) { _ = try await hearth.report(topic, of: name) } catch {
        faults.append("\(topic), which it tells: \(error)")
      }
    }
    for topic in ["streams", "recordings", "settings", "today", "no-such-topic"] where !own.contains(topic) {
      do throws(HearthError) {
        _ = try await hearth.report(topic, of: name)
        faults.append("\(topic) is told, which is none of its reports")
      } catch {
        if error.reason != .requestUnsupported, error.reason != .visitUnsupported {
          faults.append("\(topic), which it does not tell: \(error)")
        }
      }
    }
    return faults
  }
}

/// Counts what is told of a measurement.
@LoopActor
private final class Told {
  private(set) var values = 0
  func take(_ news: MeasurementNews) { if case .value = news { values += 1 } }
}
