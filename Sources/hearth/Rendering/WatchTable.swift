// Wearables of a full-screen view: name, state, battery, and reason.

import EventLoop
import HubProtocol
import StoreDocuments

struct WatchTable {
  private(set) var head = WatchLine()
  /// Rows of one or two lines: a name is never cut, and text that does not fit beside it goes below.
  private(set) var rows: [[WatchLine]] = []
  private(set) var countsDown = false
  private var selected = 0
  private let filter: String

  init(_ model: WatchModel, _ reader: WatchReader, _ time: HubTime, width: Int, isWide: Bool) {
    filter = reader.filter
    let devices = model.shown(reader.filter)
    let shown = devices.map { WatchRow($0, time) }
    countsDown = shown.contains(where: \.countsDown)
    selected = reader.selection(model).flatMap { device in devices.firstIndex { $0.address == device.address } } ?? 0
    let longest = shown.map { columns(harmless($0.name, limit: 512)) }.max() ?? 8
    // Needed width of each column.
    let needs = WatchRow.titles.indices.map { index in
      (shown.map { columns($0.cells[index]) } + [columns(WatchRow.titles[index])]).max() ?? 0
    }
    // Twelve columns for the reason with the blanks before it: a code and a word.
    let frameColumns = 2 + 12
    var taken: [Int] = []
    var fixed = 0
    for index in isWide ? WatchRow.order : Array(WatchRow.order.prefix(2)) {
      let need = fixed + needs[index] + 2
      if taken.count >= 2, frameColumns + min(longest, 24) + need > width { continue }
      taken.append(index)
      fixed = need
    }
    let name = min(max(8, longest), max(8, width - frameColumns - fixed))
    func row(_ first: String, _ cells: [String], _ why: String) -> String {
      let fitting = taken.sorted().map { index in
        cell(cells[index], needs[index], right: WatchRow.isNumber(WatchRow.titles[index]))
      }
      return ([cell(first, name)] + fitting + [why]).joined(separator: "  ")
    }
    head = WatchLine("  " + row("NAME", WatchRow.titles, "WHY"), .faint)
    rows = shown.enumerated().map { index, entry in
      let isSelected = reader.marksSelected && index == selected
      let mark = isSelected ? "> " : "  "
      let paint: Paint = entry.needsPerson ? .attention : isSelected ? .bold : .plain
      let safe = harmless(entry.name, limit: 512)
      if columns(safe) <= name { return [WatchLine(mark + row(safe, entry.cells, entry.why), paint)] }
      return [WatchLine(mark + safe, paint), WatchLine("  " + row("", entry.cells, entry.why), paint)]
    }
  }

  var lineCount: Int { rows.reduce(0) { $0 + $1.count } }

  /// Numbers of wearables by kind.
  func title(_ model: WatchModel) -> String {
    guard let status = model.status else { return "wearables" }
    let kind = filter.isEmpty ? "" : " with \"\(filter)\": \(rows.count);"
    return "wearables\(kind.isEmpty ? ":" : kind) \(countWords(status).joined(separator: ", "))"
  }

  /// Rows that fit into so many lines, from `top` on, or from a place that includes the selected row.
  func window(from top: Int, _ space: Int) -> (Int, Int) {
    if rows.isEmpty { return (0, 0) }
    func end(_ top: Int) -> Int {
      var (index, used) = (top, 0)
      while index < rows.count, used + rows[index].count <= space || index == top {
        used += rows[index].count
        index += 1
      }
      return index
    }
    var first = min(max(0, top), selected)
    while end(first) <= selected { first += 1 }
    // No empty lines below while rows above are hidden.
    while first > 0, end(first - 1) == rows.count { first -= 1 }
    return (first, end(first))
  }
}

/// A wearable as words.
private struct WatchRow {
  let name: String
  let cells: [String]
  let why: String
  let needsPerson: Bool
  private(set) var countsDown = false

  static let titles = ["KIND", "STATE", "BATTERY", "SIGNAL", "FREE", "LAST VISIT"]
  /// Precedence of columns if there is no room for all.
  static let order = [1, 2, 5, 0, 3, 4]
  static func isNumber(_ title: String) -> Bool { ["BATTERY", "SIGNAL", "FREE"].contains(title) }

  init(_ device: DeviceDocument, _ time: HubTime) {
    name = device.name
    needsPerson = hearth.needsPerson(device)
    let state = Self.state(device, time.now)
    let battery = device.battery.map { "\($0) %" } ?? "-"
    let signal = isPresent(device) ? device.rssi.map { "\($0) dBm" } ?? "-" : "-"
    cells = [harmless(device.kind), state, battery, signal, freeText(device), lastVisitText(device, time)]
    why = Self.why(device, time.now)
    let seconds = [device.state == .waiting ? device.nextTry : nil, device.queued?.notBefore]
    countsDown = seconds.contains { (wait($0, time.now) ?? 0) > 0 }
  }

  /// State without the code, which is in the last column.
  private static func state(_ device: DeviceDocument, _ now: WallTime) -> String {
    switch device.state {
    case .attention: return "needs a person" + (device.heartRate.map { ", \($0) bpm" } ?? "")
    case .missing: return age(device.lastSeen, now).map { "missing \(shortSpan($0))" } ?? "missing"
    case .waiting:
      let seconds = device.coolsOff ? nil : wait(device.nextTry, now)
      return seconds.map { "tries in \(shortSpan($0))" } ?? "waits"
    default: return harmless(stateText(device, now))
    }
  }

  /// The code with its text; else the reason for its place in the queue, or the activity of its visit.
  private static func why(_ device: DeviceDocument, _ now: WallTime) -> String {
    if let reason = device.reason, isPresent(device) || device.state == .missing || staysWhileAway(reason.code) {
      return "\(reason.code) \(harmless(words(reason), limit: 256))"
    }
    if let alert = device.alerts?.first?.reason { return "\(alert.code) \(harmless(words(alert), limit: 256))" }
    if let visit = device.visit { return itemCount(visit) }
    return device.queued.map { harmless($0.why, limit: 80) } ?? ""
  }
}
