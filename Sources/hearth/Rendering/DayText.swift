// Days as text: one line for each day and wearer, with the trainings below it; and a wearable's report of today.

import EventLoop
import Health
import HubProtocol
import RingStore
import StoreDocuments

/// A column of the table. Columns without any value are left out.
private struct DayColumn {
  let title: String
  let width: Int
  var isRight = true
  let value: (DaysDocument.Line) -> String?
}

func renderLines(_ days: DaysDocument, _ time: HubTime, _ style: Style) -> String {
  let hasWearers = days.lines.contains { $0.wearer != nil }
  let shown = dayColumns(time).filter { column in days.lines.contains { column.value($0) != nil } }
  func row(_ date: String, _ cells: [String], _ wearer: String) -> String {
    let fixed = [cell(date, 10)] + zip(shown, cells).map { cell($1, $0.width, right: $0.isRight) }
    return line((fixed + (hasWearers ? [wearer] : [])).joined(separator: "  "))
  }
  var text = style.bold(String(line("\(days.device)   days of \(days.zone)").dropLast())) + "\n"
  text += row("DATE", shown.map(\.title), "WORN BY")
  for day in days.lines {
    text += row(day.date, shown.map { $0.value(day) ?? "-" }, day.wearer ?? "-")
    for night in day.nights where night != mainNight(day) {
      text += line("            also slept \(nightSpan(night, time)), \(hours(night.asleepS))")
    }
    for training in trainingGroups(day.trainings) {
      text += line("            " + trainingText(training, time))
    }
  }
  if days.lines.contains(where: { $0.shared && ($0.distanceM != nil || kilocalories($0) != nil) }) {
    text += "* in part of a time in which others wore it\n"
  }
  return text
}

private func dayColumns(_ time: HubTime) -> [DayColumn] {
  func amount(_ value: String?, _ line: DaysDocument.Line) -> String? { value.map { $0 + (line.shared ? "*" : "") } }
  return [
    DayColumn(title: "STEPS", width: 7) { $0.steps.map { grouped($0) } },
    DayColumn(title: "KM", width: 6) { line in amount(line.distanceM.map { kilometres($0) }, line) },
    DayColumn(title: "KCAL", width: 6) { line in amount(kilocalories(line).map { number($0.rounded()) }, line) },
    DayColumn(title: "ACTIVE", width: 6) { activeTime($0).map { hours($0) } },
    DayColumn(title: "BPM", width: 11) { line in
      guard let low = line.lowestHeartRate, let high = line.highestHeartRate else { return nil }
      return "\(low)/\(line.meanHeartRate.map { number($0.rounded()) } ?? "-")/\(high)"
    },
    DayColumn(title: "SLEEP", width: 11) { mainNight($0).map { nightSpan($0, time) } },
    DayColumn(title: "ASLEEP", width: 6) { mainNight($0).map { hours($0.asleepS) } },
    DayColumn(title: "DEEP/REM/LIGHT", width: 14) {
      mainNight($0).map { "\(hours($0.deepS))/\(hours($0.remS))/\(hours($0.lightS))" }
    },
    DayColumn(title: "RATED", width: 5) { mainNight($0)?.rating.map { "\($0)/5" } },
    DayColumn(title: "RECHARGE", width: 9) { line in
      guard let recharge = line.recharge, recharge.recovery != nil || recharge.ansStatus != nil else { return nil }
      let status = recharge.ansStatus.map { ($0 < 0 ? "" : "+") + number($0) }
      return [recharge.recovery.map { "\($0)/6" }, status].compactMap { $0 }.joined(separator: " ")
    },
  ]
}

/// The longest night that ended on a day.
private func mainNight(_ day: DaysDocument.Line) -> DaysDocument.Night? { day.nights.max { $0.asleepS < $1.asleepS } }

/// Light, moderate and vigorous activity in seconds; nil if the classes of the day are unknown.
private func activeTime(_ day: DaysDocument.Line) -> Int? {
  if day.activity.isEmpty { return nil }
  return Int(exactly: day.activity.filter { (3...7).contains($0.state) }.reduce(0) { $0 + $1.seconds }.rounded())
}

/// Kilocalories of activity, trainings and rest.
private func kilocalories(_ day: DaysDocument.Line) -> Double? {
  let known = [day.caloriesKcal, day.trainingCaloriesKcal, day.basalCaloriesKcal].compactMap { $0 }
  return known.isEmpty ? nil : known.reduce(0, +)
}

/// `7:02`
private func hours(_ seconds: Int) -> String {
  let minutes = max(0, seconds) / 60
  return "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
}

/// `6.12`
private func kilometres(_ metres: Double) -> String { number((metres / 10).rounded() / 100) }

/// `23:10`
private func minuteOfDay(_ text: String, _ time: HubTime) -> String {
  WallTime(rfc3339: text).map { time.minute($0) } ?? "?"
}

private func nightSpan(_ night: DaysDocument.Night, _ time: HubTime) -> String {
  "\(minuteOfDay(night.from, time))-\(minuteOfDay(night.to, time))"
}

// MARK: Trainings

/// Groups of a training with its exercises, which follow it and are numbered upwards. An exercise without its session
/// is a group of its own.
func trainingGroups(_ trainings: [DaysDocument.Training]) -> [[DaysDocument.Training]] {
  var groups: [[DaysDocument.Training]] = []
  for training in trainings {
    if let last = groups.last?.last, training.part > last.part {
      groups[groups.count - 1].append(training)
    } else {
      groups.append([training])
    }
  }
  return groups
}

func trainingText(_ group: [DaysDocument.Training], _ time: HubTime) -> String {
  guard let whole = group.first else { return "" }
  var sports: [String] = []
  for sport in group.compactMap(\.sport).map(sportName) where !sports.contains(sport) { sports.append(sport) }
  let beats = [whole.meanHeartRate.map { "mean \($0)" }, whole.highestHeartRate.map { "highest \($0)" }].compactMap {
    $0
  }
  let parts = [
    minuteOfDay(whole.begins, time), sports.isEmpty ? "training" : sports.joined(separator: ", "),
    hours(whole.durationS),
    whole.distanceM.map { "\(kilometres(Double($0))) km" }, whole.caloriesKcal.map { "\($0) kcal" },
    beats.isEmpty ? nil : beats.joined(separator: ", ") + " bpm", whoBegan(whole),
  ]
  return parts.compactMap { $0 }.joined(separator: "  ")
}

/// Marks trainings that the hub inferred from heart rates.
private func whoBegan(_ training: DaysDocument.Training) -> String? {
  if training.byHub { return training.manual ? "as ordered" : "found by the hub" }
  return training.manual ? nil : "begun by itself"
}

/// Names of sports in Polar's documents; the number for others.
private func sportName(_ number: Int) -> String {
  switch number {
  case 1: "running"
  case 2: "cycling"
  case 16: "outdoor sport"
  default: "sport \(number)"
  }
}

// MARK: Today

/// The wearable's own values of today, so far.
func renderToday(_ report: ReportDocument, _ style: Style) -> String {
  let time = report.rows.first { $0.name == "so-far" }?.fields["local_time"].map { String($0.dropFirst(11).prefix(5)) }
  var text = style.bold(String(line("\(report.device)   today so far, at \(time ?? "?")").dropLast())) + "\n"
  let rows = report.rows.filter { $0.name != "so-far" }
  if rows.isEmpty { return text + "no values yet\n" }
  for row in rows { text += fieldLines(row, 16) }
  return text
}
