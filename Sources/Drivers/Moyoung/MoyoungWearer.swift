// Whom a band's own algorithms count for: written when the wearer or the body is another than it was told.

import Bands
import Bluetooth
import EventLoop
import Health
import StateCodec
import Wearable

/// What a band was told of its wearer last. It cannot be read.
struct MoyoungWearerNote: RememberedState {
  static let name = "moyoung-wearer"
  let wearer: UInt32
  let user: MoyoungUser
  /// Some of it was assumed.
  let isAssumed: Bool

  init(_ wearer: UInt32, _ user: MoyoungUser, isAssumed: Bool = false) {
    (self.wearer, self.user, self.isAssumed) = (wearer, user, isAssumed)
  }

  var told: BandBodyTold { BandBodyTold(wearer: wearer, isAssumed: isAssumed) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, wearer)
    fields.put(2, user.payload)
    if isAssumed { fields.put(3, flag: true) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var wearer: UInt32?
    var payload: [UInt8]?
    var isAssumed: Bool?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&wearer)
      case 2: fields.read(&payload, atMost: 4)
      case 3: fields.read(&isAssumed)
      default: break
      }
    }
    guard let wearer, let user = payload.flatMap({ MoyoungUser(payload: $0) }) else { return nil }
    self.init(wearer, user, isAssumed: isAssumed ?? false)
  }
}

@LoopActor
struct MoyoungWearer {
  let link: any WearableLink
  let client: MoyoungClient

  /// Complete facts; of another wearer than before also those that are known, and the rest assumed: nothing of the one
  /// before stays.
  func tell() async throws(VisitTrouble) {
    let note = link.remembered(MoyoungWearerNote.self)
    guard let next = BandBodyTold.next(after: note?.told, link), let user = MoyoungUser(next.body),
      let number = next.told.wearer
    else { return }
    if note?.wearer == number, note?.user == user { return }
    try await client.tell(Moyoung.Command.userInfo, user.payload)
    try link.remember(MoyoungWearerNote(number, user, isAssumed: next.told.isAssumed))
  }

  /// What it was told last; empty where this hub told it nothing.
  var rows: [ReportRow] {
    guard let note = link.remembered(MoyoungWearerNote.self) else { return [] }
    return [
      ReportRow(
        "wearer",
        [
          ReportRow.Field("height_cm", "\(note.user.height)"), ReportRow.Field("weight_kg", "\(note.user.weight)"),
          ReportRow.Field("age", "\(note.user.age)"), ReportRow.Field("sex", note.user.isFemale ? "female" : "male"),
        ] + (note.told.assumedText(link).map { [ReportRow.Field("assumed", $0)] } ?? []))
    ]
  }
}
