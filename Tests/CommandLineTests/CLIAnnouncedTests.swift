import Foundation
import Health
import HubProtocol
import ProgramSupport
import Reasons
import Testing

/// Orders over the socket whatever each wearable of a served world announces, as a program of another author would.
@Suite("What wearables announce, beside a hub that serves all families", .serialized)
struct CLIAnnouncedTests {
  /// Orders of one wearable: what was announced, and how each order ended.
  private struct Walk {
    let client: ControlClient
    let name: String
    var announced = 0
    var wrong: [String] = []

    /// Gives an order, and notes one that is announced and refused.
    mutating func order(_ what: String, isAnnounced: Bool, _ method: String, _ parameters: JSON) {
      if isAnnounced { announced += 1 }
      do throws(HearthError) {
        _ = try client.call(method, with(parameters))
      } catch {
        if isAnnounced { wrong.append("\(name): \(what) is announced and refused: \(error)") }
      }
    }

    func with(_ parameters: JSON) -> JSON {
      guard case .object(let members) = parameters else { return parameters }
      return .object([JSON.Member("name", .string(name))] + members)
    }

    mutating func streams(_ device: DeviceDocument) {
      for series in Series.all {
        let isAnnounced = can(device, series.name, "streamed")
        order(
          "to stream \(series.name)", isAnnounced: isAnnounced, "OrdersSet", ["streams": .array([.string(series.name)])]
        )
      }
      order("to stream nothing", isAnnounced: true, "OrdersSet", ["streams": .array([])])
    }

    mutating func monitoring(_ device: DeviceDocument, _ document: JSON) throws {
      guard case .array(let entries)? = document["series"] else { throw CocoaError(.coderReadCorrupt) }
      for series in Series.all {
        let entry = entries.first { $0["series"]?.text == series.name }
        let words: [String] = if case .array(let all)? = entry?["can"] { all.compactMap(\.text) } else { [] }
        let parts = [
          ("monitoring", "on"), ("monitoring_window", "window"), ("monitoring_interval", "interval"),
          ("rest_alert", "rest_limits"), ("exercise_alert", "exercise_limits"),
        ]
        // The page of the wearable and the answer of Monitoring say the same.
        for (word, part) in parts where can(device, series.name, word) && words.isEmpty {
          wrong.append("\(name): \(series.name) can \(word), and Monitoring has no \(part)")
        }
        let only: [Int64] = if case .array(let all)? = entry?["only_s"] { all.compactMap(\.number) } else { [] }
        let interval = JSON.integer(only.first ?? entry?["lowest_s"]?.number ?? 600)
        order(
          "to measure \(series.name) by itself", isAnnounced: words.contains("on"), "MonitoringSet",
          words.contains("interval")
            ? ["series": .string(series.name), "on": true, "interval_s": interval]
            : ["series": .string(series.name), "on": true])
        order(
          "the interval of \(series.name)", isAnnounced: words.contains("interval"), "MonitoringSet",
          ["series": .string(series.name), "interval_s": interval])
        order(
          "the window of \(series.name)", isAnnounced: words.contains("window"), "MonitoringSet",
          ["series": .string(series.name), "begin": "08:00", "end": "22:00"])
        order(
          "to take back \(series.name)", isAnnounced: !words.isEmpty, "MonitoringSet",
          ["series": .string(series.name), "forget": .array(words.map { .string($0) })])
      }
    }

    /// What is not announced is refused at once; of what is, no more is asked than whether it is refused.
    mutating func measuring(_ device: DeviceDocument, _ path: String) throws {
      for series in Series.all where !can(device, series.name, "on_demand") {
        do throws(HearthError) {
          _ = try client.call("Measure", with(["series": .string(series.name), "limit_s": 15]))
          wrong.append("\(name): \(series.name) is measured and was not announced")
        } catch {}
      }
      for series in Series.all where can(device, series.name, "on_demand") {
        announced += 1
        // A client of its own: hanging up ends the measurement.
        let other = try ControlClient(path: path)
        do throws(HearthError) {
          try other.stream("Measure", with(["series": .string(series.name), "limit_s": 15]), tick: 200) {
            false
          } _: { _ in
            false
          }
        } catch {
          if error.reason == .requestUnsupported { wrong.append("\(name): \(series.name) is announced: \(error)") }
        }
      }
    }

    mutating func alerts(_ device: DeviceDocument) throws {
      let all: [AlertsDocument] = try client.fetch("alerts", of: "Alerts", ["name": .string(name)])
      for limit in all[0].limits {
        let isAnnounced = can(device, limit.series, "live")
        let value = "\(Int((limit.lowest + limit.highest) / 2))"
        order(
          "the limit \(limit.kind)", isAnnounced: isAnnounced, "AlertsSet",
          ["limits": .object([JSON.Member(limit.kind, .string(value))])])
        order(
          "no limit \(limit.kind)", isAnnounced: true, "AlertsSet",
          ["limits": .object([JSON.Member(limit.kind, "none")])])
      }
    }

    mutating func orders() throws {
      let orders: OrdersDocument = try client.fetch("orders", of: "Orders", ["name": .string(name)])
      for choice in orders.rateChoices {
        for rate in choice.rates {
          order(
            "\(choice.series) at \(rate) Hz", isAnnounced: true, "OrdersSet",
            ["rates": .object([JSON.Member(choice.series, .integer(Int64(rate)))])])
        }
      }
      order("no rates", isAnnounced: true, "OrdersSet", ["rates": .object([])])
      for one in orders.switches {
        order("\(one.name) off", isAnnounced: true, "OrdersSet", ["switched_off": .array([.string(one.name)])])
      }
      order("nothing off", isAnnounced: true, "OrdersSet", ["switched_off": .array([])])
      for setting in orders.settings {
        let bounds = [setting.lowest, setting.highest].compactMap { $0.map { "\($0)" } }
        for value in setting.values + bounds + ["none"] {
          order(
            "\(setting.name) \(value)", isAnnounced: true, "OrdersSet",
            ["settings": .object([JSON.Member(setting.name, .string(value))])])
        }
      }
      for phase in orders.collection?.phases ?? [] {
        order("the phase \(phase)", isAnnounced: true, "OrdersSet", ["phases": .array([.string(phase)])])
      }
      order("phases as configured", isAnnounced: orders.collection != nil, "OrdersSet", ["phases": .array(["none"])])
    }

    private func can(_ device: DeviceDocument, _ series: String, _ word: String) -> Bool {
      device.capabilities?.contains { $0.series == series && $0.can.contains(word) } ?? false
    }
  }

  @Test(
    "every order that a wearable announces is taken, and no refused one is announced",
    arguments: [
      ("gym", 10, ["heart-rate", "botz", "polar", "polar-strap", "fitcloud", "topstep-next", "moyoung"]),
      ("ward", 12, ["heart-rate", "polar", "polar-strap", "fitcloud", "topstep-next", "moyoung"]),
    ])
  func walk(_ population: String, _ count: Int, _ families: [String]) throws {
    let daemon = try RunningDaemon(
      simulate: count, population: population, extra: "enroll: {mode: window, pairing: always}")
    try daemon.start()
    let client = try ControlClient(path: daemon.socketPath)
    func known() throws -> [DeviceDocument] {
      let all: [DeviceDocument] = try client.fetch("devices", of: "Devices")
      return all.filter { $0.enrolled && $0.capabilities != nil }
    }
    try waitUntil(
      "each family has said what it can",
      saw: { try known().map { "\($0.name) \($0.driver ?? "")" }.joined(separator: " ") }
    ) {
      Set(families).isSubset(of: try known().compactMap(\.driver))
    }
    var announced = 0
    for device in try known() {
      var walk = Walk(client: client, name: device.name)
      walk.streams(device)
      try walk.monitoring(device, client.call("Monitoring", ["name": .string(device.name)])["monitoring"] ?? .null)
      try walk.alerts(device)
      try walk.orders()
      try walk.measuring(device, daemon.socketPath)
      #expect(walk.wrong.isEmpty, "\(walk.wrong.joined(separator: "\n"))")
      announced += walk.announced
    }
    #expect(announced > 10 * families.count)
    daemon.end(SIGTERM)
  }
}

extension JSON {
  fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}
