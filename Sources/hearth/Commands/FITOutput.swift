// Rows of an export as one FIT activity file.

import CivilTime
import Export
import HubProtocol
import Reasons
import StoreDocuments

/// A FIT activity.
final class FITOutput: RowOutput {
  let needsPlaces = false
  private var activity: FITActivity
  private let target: Output
  private var missing = 0

  init(_ activity: FITActivity, to target: Output = .standard) { (self.activity, self.target) = (activity, target) }

  func begin() {}

  func take(_ row: ExportRow) throws {
    do throws(FITActivity.Problem) {
      try activity.take(row, interval: IntervalExport.valid(row).map { Int64($0) })
    } catch { throw Self.refusal(error) }
  }

  func miss(_ gaps: [MissingRowsDocument]) { missing += gaps.count }

  func endPage() {}

  func end() throws {
    let file: FITFile
    do throws(FITActivity.Problem) { file = try FITFile(activity) } catch { throw Self.refusal(error) }
    var start = 0
    while start < file.bytes.count {
      let end = min(start + (64 << 10), file.bytes.count)
      try target.write(Array(file.bytes[start..<end]))
      start = end
    }
    try target.flush()
    say(file)
  }

  private func say(_ file: FITFile) {
    func note(_ count: Int, _ noun: String, _ rest: String) {
      if count > 0 { Output.error.say("hearth: \(counted(count, noun)) \(rest)\n") }
    }
    if file.sessions > 1 { Output.error.say("hearth: \(file.sessions) trainings are in this file\n") }
    note(file.outside, "value", "outside of the trainings left out")
    note(file.overlapping, "training", "at the same time as a longer one left out")
    note(file.shadowed, "value", "left out, as another value is in the same second")
    note(file.unfit, "value", "left out, as the wearable doubts them or FIT has no room for them")
    note(missing, "stretch", "of rows missing in the store")
  }

  private static func refusal(_ problem: FITActivity.Problem) -> any Error {
    switch problem {
    case .empty:
      return NoContent(
        why: HearthError(.controlBadParameter, "no trainings and no values for a FIT file are in this selection"))
    case .tooMany:
      return HearthError(
        .controlBadParameter,
        "a FIT file here has at most \(grouped(FITActivity.limit)) values: narrow them with --since and --until")
    case .time(let seconds):
      let time = seconds.multipliedReportingOverflow(by: 1_000_000)
      let text = time.overflow ? "beyond all dates" : momentText(time.partialValue, .milliseconds)
      return HearthError(
        .controlBadParameter,
        "FIT has times from 1998-07-03 to 2126-02-06, not \(text): choose with --since and --until, or --shift-days")
    }
  }
}
