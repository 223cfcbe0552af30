// Rows of an export as one EDF+ or BDF+ file.

import Export
import HubProtocol
import Reasons

/// EDF+ and BDF+.
final class EDFOutput: RowOutput {
  let needsPlaces = false
  /// Notes about missing rows; more are counted.
  private static let noteLimit = 100

  private let identity: EDFIdentity
  private let target: Output
  private let rows: TemporaryFile
  private var bytes: [UInt8] = []
  private var devices: [String] = []
  private var places: [String: Int] = [:]
  private var wearers: Set<String> = []
  private var notes: [String] = []
  private var unknown = 0
  private(set) var ending: String?

  /// - Parameter identity: without the person. The name is in the rows.
  init(_ identity: EDFIdentity, to target: Output = .standard) throws {
    (self.identity, self.target) = (identity, target)
    rows = try TemporaryFile()
  }

  func begin() {}

  func take(_ row: ExportRow) throws {
    let place = places[row.device] ?? devices.count
    if place == devices.count {
      places[row.device] = place
      devices.append(row.device)
    }
    if let wearer = row.wearer, wearers.count < 2 { wearers.insert(wearer) }
    guard let made = EDFRow(row, device: place) else {
      unknown += 1
      return
    }
    made.append(to: &bytes)
  }

  func endPage() throws {
    try rows.append(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  func miss(_ gaps: [MissingRowsDocument]) {
    for gap in gaps where notes.count < Self.noteLimit {
      let series = gap.series ?? "several series"
      let count = gap.from.flatMap { from in gap.to.map { ", \($0 - from + 1) rows" } } ?? ""
      notes.append("missing: \(series)\(count), \(gap.cause)")
    }
  }

  func end() throws {
    try endPage()
    var identity = identity
    if wearers.count == 1 { identity.person = wearers.first }
    let source = UnsafeRawBufferPointer(try rows.contents())
    let file: EDFFile
    do { file = try EDFFile(source, devices: devices, identity: identity, notes: notes) } catch {
      throw Self.refusal(error)
    }
    if file.isWide { ending = "bdf" }
    let whole = try TemporaryFile()
    let made = try whole.contents(room: file.size)
    file.write(source, to: made)
    var start = 0
    while start < made.count {
      let end = min(start + (64 << 10), made.count)
      try target.write(Array(made[start..<end]))
      start = end
    }
    try target.flush()
    say(file)
  }

  private func say(_ file: EDFFile) {
    if file.isWide, target === Output.standard {
      Output.error.say("hearth: BDF+, as a signal needs 24 bits: call the file .bdf\n")
    }
    if !file.isContinuous {
      Output.error.say(
        "hearth: EDF+D, \(file.stretches) stretches with gaps between; for one stretch give --since and --until\n")
    }
    if file.leftOut > 0 {
      Output.error.say("hearth: \(counted(file.leftOut, "block")) of waveforms overlap others and are left out\n")
    }
    if unknown > 0 {
      Output.error.say("hearth: \(counted(unknown, "row")) of series that this version does not know are left out\n")
    }
  }

  private static func refusal(_ problem: EDFFile.Problem) -> any Error {
    let rest = "choose others with --series, or export ndjson"
    switch problem {
    case .empty:
      return NoContent(why: HearthError(.controlBadParameter, "no samples are there for an EDF file"))
    case .tooWide(let signal):
      return HearthError(.controlBadParameter, "\(harmless(signal)) needs more than 24 bits: \(rest)")
    case .tooManySignals(let count):
      return HearthError(.controlBadParameter, "\(count) signals are too many for an EDF file: \(rest)")
    }
  }
}
