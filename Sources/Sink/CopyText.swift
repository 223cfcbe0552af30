// Rows as lines of COPY: pure. A line has batch, ring, ordinal, time, wearer, trait, lasts, before, counted, value,
// numbers, data, retimed. Numbers are exactly the hub's text, so that the database's numeric has every digit. A single
// number has its own column, which saves 20 bytes a row compared with a list of one.

import CivilTime
internal import UplinkMessages

struct RowNumbers: Sendable {
  let ring: Int32
  let trait: Int32
  let wearer: Int32?
}

/// Appends the rows of one run. `batch` counts from 1 within its group.
func appendLines(_ run: RowRun, _ names: RowNumbers, batch: Int, to bytes: inout [UInt8]) {
  let tab = UInt8(ascii: "\t")
  var head: [UInt8] = []
  appendNumber(Int64(batch), to: &head)
  head.append(tab)
  appendNumber(Int64(names.ring), to: &head)
  head.append(tab)
  var middle: [UInt8] = [tab]
  appendOptional(names.wearer.map { Int64($0) }, to: &middle)
  middle.append(tab)
  appendNumber(Int64(names.trait), to: &middle)
  middle.append(tab)
  var before = run.ordinals.first ?? 0
  for row in 0..<run.count {
    bytes += head
    let ordinal = run.ordinals[row]
    appendNumber(ordinal, to: &bytes)
    bytes.append(tab)
    bytes.append(moment: run.times[row], .orNone, separator: " ")
    bytes += middle
    appendOptional(run.ends.isEmpty ? nil : run.ends[row], to: &bytes)
    bytes.append(tab)
    let parts = ordinal - before - 1
    appendOptional(row > 0 && parts > 0 ? parts : nil, to: &bytes)
    before = ordinal
    bytes.append(tab)
    appendOptional(run.counts.isEmpty ? nil : Int64(run.counts[row]), to: &bytes)
    bytes.append(tab)
    appendNumbers(run, row, to: &bytes)
    bytes.append(tab)
    if run.data.isEmpty { appendOptional(nil, to: &bytes) } else { appendData(run.data[row], to: &bytes) }
    bytes.append(contentsOf: run.isRetimed ? "\tt\n".utf8 : "\tf\n".utf8)
  }
}

/// Appends both columns: the number of a row with a single one, or the list.
private func appendNumbers(_ run: RowRun, _ row: Int, to bytes: inout [UInt8]) {
  let places = run.numbers(of: row)
  if places.count == 1 {
    appendDecimal(run.numbers[places.lowerBound], run.exponent, to: &bytes)
  } else {
    appendOptional(nil, to: &bytes)
  }
  bytes.append(UInt8(ascii: "\t"))
  if places.count < 2 { return appendOptional(nil, to: &bytes) }
  bytes.append(UInt8(ascii: "{"))
  for place in places {
    if place > places.lowerBound { bytes.append(UInt8(ascii: ",")) }
    appendDecimal(run.numbers[place], run.exponent, to: &bytes)
  }
  bytes.append(UInt8(ascii: "}"))
}

private func appendOptional(_ value: Int64?, to bytes: inout [UInt8]) {
  guard let value else {
    bytes.append(UInt8(ascii: "\\"))
    bytes.append(UInt8(ascii: "N"))
    return
  }
  appendNumber(value, to: &bytes)
}

/// The hex form of bytea, its backslash doubled for COPY.
private func appendData(_ data: [UInt8], to bytes: inout [UInt8]) {
  bytes += [UInt8(ascii: "\\"), UInt8(ascii: "\\"), UInt8(ascii: "x")]
  appendHexadecimal(data, to: &bytes)
}

func appendHexadecimal(_ data: [UInt8], to bytes: inout [UInt8]) {
  func digit(_ half: UInt8) -> UInt8 { half < 10 ? 0x30 + half : 0x57 + half }
  for byte in data {
    bytes.append(digit(byte >> 4))
    bytes.append(digit(byte & 15))
  }
}
