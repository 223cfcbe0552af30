// Values started by hand that a sync of automatic values left out. The next full visit requests them.

import StateCodec
import Wearable

/// Times, for each kind of data, from which values started by hand are missing. An automatic-only sync moves the
/// watermark by what it stored. Without this record the missing values would never be requested again.
struct ManualPending: RememberedState {
  static let name = "topstep-manual"

  /// µs since 1970.
  private(set) var from: [DayKind: Int64] = [:]

  init() {}

  var isEmpty: Bool { from.isEmpty }

  func adding(_ kind: DayKind, from begin: Int64) -> ManualPending {
    var more = self
    more.from[kind] = min(begin, from[kind] ?? begin)
    return more
  }

  func without(_ kind: DayKind) -> ManualPending {
    var fewer = self
    fewer.from[kind] = nil
    return fewer
  }

  func write(to fields: inout FieldWriter) {
    for kind in DayKind.allCases { if let begin = from[kind] { fields.put(kind.rawValue, begin) } }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() {
      guard let kind = DayKind(rawValue: tag) else { continue }
      var begin: Int64?
      fields.read(&begin)
      from[kind] = begin
    }
  }
}
