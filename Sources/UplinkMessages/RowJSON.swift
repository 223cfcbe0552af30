// The same runs as readable JSON: columns with plain numbers, one message for each run.

import CivilTime
internal import JSONText

extension RowGroup {
  /// Object on one line. `steps_ms`: for each row but the first, the time since the previous row. `values`: as in an
  /// export, with one list per row for vectors and waveforms. `gaps`: only if ordinals are not consecutive. Members
  /// without a value are left out.
  ///
  /// - Parameter isRetimed: its rows were sent before with the time of a wrong clock; these replace them.
  public func json(_ head: BatchHead, isRetimed: Bool = false) -> [UInt8] {
    let like = first.likeness
    var object: [JSON.Member] = []
    func add(_ name: String, _ value: JSON) { object.append(JSON.Member(name, value)) }
    func add(_ name: String, _ text: String) { if !text.isEmpty { add(name, JSON.string(text)) } }
    add("schema", "io.hearth.rows/1")
    add("store", Self.storeText(head.store))
    add("hub", head.hub)
    add("enrolment", .integer(Int64(first.ring.enrolment)))
    add("device", like.device)
    add("address", like.address)
    add("series", first.ring.series)
    add("unit", like.unit)
    add("way", first.ring.isFetched ? "fetched" : "live")
    add("origin", like.origin)
    add("kind", like.kind)
    if like.manual { add("manual", true) }
    add("wearer", like.wearer)
    if like.encoding != 0 { add("encoding", .integer(Int64(like.encoding))) }
    if like.period != 0 { add("period_ns", Self.whole(like.period)) }
    if like.record != 0 { add("record", .integer(Int64(like.record))) }
    if like.clockUnsure { add("clock", "unsure") }
    if like.clockCorrected { add("clock", "corrected") }
    if isRetimed { add("retimed", true) }
    if like.lowQuality { add("quality", "low") }
    if head.resend != 0 { add("resend", Self.whole(head.resend)) }
    add("first", Self.whole(first.ordinal))
    if skipped != 0 { add("skipped", Self.whole(skipped)) }
    add("rows", .integer(Int64(rows.count)))
    let gaps = zip(rows.dropFirst(), rows).map { $0.ordinal - $1.ordinal - 1 }
    if gaps.contains(where: { $0 != 0 }) { add("gaps", .array(gaps.map { Self.whole($0) })) }
    add("time", momentText(first.time, .exact))
    if rows.count > 1 {
      add("steps_ms", .array(zip(rows.dropFirst(), rows).map { Self.milliseconds($0.time &- $1.time) }))
    }
    if rows.contains(where: { !$0.numbers.isEmpty }) { add("values", .array(rows.map(Self.values))) }
    if like.hasEnd { add("ends_ms", .array(rows.map { Self.milliseconds($0.end) })) }
    if like.hasCount { add("counts", .array(rows.map { .integer(Int64($0.count)) })) }
    if like.hasData { add("data", .array(rows.map { .string(Base64.text($0.data)) })) }
    return JSON.object(object).compact
  }

  /// 16 hexadecimal digits.
  public static func storeText(_ store: UInt64) -> String {
    let digits = String(store, radix: 16)
    return String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
  }

  private static func values(_ row: UplinkRow) -> JSON {
    let numbers = row.numbers.map { $0.scale == 0 ? JSON.integer($0.mantissa) : .decimal($0.text) }
    return numbers.count == 1 ? numbers[0] : .array(numbers)
  }

  private static func milliseconds(_ micro: Int64) -> JSON {
    if micro % 1000 == 0 { return .integer(micro / 1000) }
    let text = ExactNumber(mantissa: micro, scale: 3).text
    // Without trailing zeros.
    return .decimal(ExactNumber(text)?.text ?? text)
  }

  private static func whole(_ number: UInt64) -> JSON {
    Int64(exactly: number).map { .integer($0) } ?? .decimal("\(number)")
  }
}
