// What an export says besides its rows: what is missing, and what holds for rows of before. In NDJSON these are lines
// of their own kind. With other formats they are on standard error.

import Export
import HubProtocol
import JSONText
import Reasons
import RingStore

extension ExportRun {
  /// Rows that are missing. What went before its reader had it is counted.
  func note(_ gaps: [MissingRowsDocument]?) throws {
    let gaps = (gaps ?? []).map(hidden)
    output.miss(gaps)
    for gap in gaps {
      if isNDJSON { try tell("gap", JSON(encoding: gap)) }
      if gap.cause == SampleGap.Cause.gone.rawValue, let from = gap.from, let to = gap.to {
        missing.gone = Int(clamping: Int128(missing.gone) + Int128(to) - Int128(from) + 1)
      }
    }
  }

  /// Rows that their reader had before with other times.
  func note(retimed rows: [JSON]?) throws {
    guard let rows, !rows.isEmpty else { return }
    if isNDJSON {
      for json in rows {
        var (line, row) = (Array(#"{"retimed":"#.utf8), try row(json))
        hide(&row)
        row.appendJSON(to: &line)
        try target.write(line + Array("}\n".utf8))
      }
    } else {
      let verb = rows.count == 1 ? "has" : "have"
      Output.error.say(
        """
        hearth: \(counted(UInt64(rows.count), "line")) of before \(verb) another time by now: --format ndjson lists them

        """)
    }
  }

  /// Rows that their reader had before and that belong to another person.
  func note(_ corrections: [CorrectionDocument]?, missed: Int?) throws {
    if let corrections {
      for correction in corrections.map(hidden) {
        if isNDJSON {
          try tell("correction", JSON(encoding: correction))
        } else {
          Output.error.say(
            """
            hearth: correction: \(harmless(correction.device)) from \(harmless(correction.from)) to \
            \(harmless(correction.to)): \(owner(correction.wearer)) instead of \(owner(correction.was))

            """)
        }
      }
      if !isNDJSON {
        Output.error.say("hearth: rows of that time that this reader had before belong to the wearers named here\n")
      }
    }
    if let missed {
      Output.error.say(
        "hearth: \(missed) earlier corrections are no longer kept; wearers of these rows: hearth wearer history\n")
    }
  }

  /// Chunks and rows that are missing in all.
  func tellMissing() {
    if missing.corrupt > 0 {
      complain(
        HearthError(
          .storeChunkCorrupt, "\(counted(missing.corrupt, "chunk")) of samples could not be read and are missing"))
    }
    if missing.gone > 0 {
      Output.error.say("hearth: \(counted(missing.gone, "row")) went before this cursor's reader had them\n")
    }
  }

  private func tell(_ kind: String, _ content: JSON) throws {
    let line: JSON = .object([JSON.Member(kind, content)])
    try target.write(line.compact + [0x0A])
  }

  func hidden(_ gap: MissingRowsDocument) -> MissingRowsDocument {
    if mask.hidesNothing { return gap }
    var gap = gap
    gap.device = gap.device.map { mask.device($0, enrolment: gap.enrolment) }
    gap.address = mask.address(gap.address)
    return gap
  }

  func hidden(_ correction: CorrectionDocument) -> CorrectionDocument {
    if mask.hidesNothing { return correction }
    return CorrectionDocument(
      device: mask.device(correction.device, enrolment: correction.enrolment), enrolment: correction.enrolment,
      from: mask.moved(correction.from) ?? "", to: mask.moved(correction.to) ?? "", was: mask.person(correction.was),
      wearer: mask.person(correction.wearer))
  }
}
