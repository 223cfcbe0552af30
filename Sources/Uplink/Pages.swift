// Pages of an export as messages for the broker, both for new rows and for resend orders.

import CivilTime
internal import EventLoop
internal import HubProtocol
internal import JSONText
internal import Reasons
internal import UplinkMessages

/// Parsed reply of `ExportNext` or `Export`.
struct ExportedPage {
  var store: UInt64?
  var rows: [UplinkRow] = []
  var corrections: [BatchCorrection] = []
  /// Rows that were sent before with other times.
  var retimed: [UplinkRow] = []
  var isLast = true
  var corruptChunks = 0
  /// Rows with numbers beyond 64 bits: invented values of one wearable must not block the others.
  var unsaid = 0

  /// - Throws: `controlMalformed` for rows without an ordinal, because a receiver could not deduplicate them.
  init(_ reply: JSON, persons: PersonNames) throws(HearthError) {
    if let text = reply["store"]?.text { store = UInt64(hexadecimal: text, count: 16) }
    rows = try read(reply["samples"], persons)
    retimed = try read(reply["retimed"], persons)
    if !rows.isEmpty || !retimed.isEmpty, store == nil {
      throw HearthError(.controlMalformed, "the daemon does not say which store its rows are of; it is older than this")
    }
    if case .integer(let count)? = reply["corrupt_chunks"] { corruptChunks = Int(clamping: count) }
    isLast = reply["last"] != .bool(false)
    guard case .array(let corrected)? = reply["corrections"] else { return }
    for one in corrected {
      guard case .integer(let number)? = one["enrolment"], let enrolment = UInt32(exactly: number),
        let from = one["from"]?.text.flatMap(moment(rfc3339:)), let to = one["to"]?.text.flatMap(moment(rfc3339:))
      else { continue }
      let wearer = one["wearer"]?.text.map(persons.said) ?? ""
      corrections.append(BatchCorrection(enrolment: enrolment, from: from, to: to, wearer: wearer))
    }
  }
}

extension ExportedPage {
  /// Rows sent before that now have another wearer or time.
  var hasCorrections: Bool { !corrections.isEmpty || !retimed.isEmpty }

  private mutating func read(_ list: JSON?, _ persons: PersonNames) throws(HearthError) -> [UplinkRow] {
    guard case .array(let samples)? = list else { return [] }
    var rows: [UplinkRow] = []
    rows.reserveCapacity(samples.count)
    var heads: [RowHead] = []
    heads.reserveCapacity(samples.count)
    for sample in samples {
      do throws(RowMismatch) {
        rows.append(try UplinkRow(sample, after: &heads, wearer: persons.said))
      } catch {
        if error.member == "value" {
          unsaid += 1
          continue
        }
        throw HearthError(.controlMalformed, "a row of the daemon has no '\(error.member)' that can be sent")
      }
    }
    return rows
  }
}
