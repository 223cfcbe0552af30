// Wearer's body for the band's own algorithms, written when the wearer or the body changed.

import Bands
import Bluetooth
import EventLoop
import Health
import StateCodec
import Wearable

/// Record of the wearer's data that was sent last, which cannot be read.
struct MoyoungWearerNote: RememberedState {
  static let name = "moyoung-wearer"
  let wearer: UInt32
  let user: MoyoungUser
  /// Some parts were assumed.
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

  /// Sends the body if it is complete. After a change of wearer, missing parts are assumed, so that no value of the
  /// former wearer stays.
  func tell() async throws(VisitTrouble) {
    let note = link.remembered(MoyoungWearerNote.self)
    guard let next = BandBodyTold.next(after: note?.told, link), let user = MoyoungUser(next.body),
      let number = next.told.wearer
    else { return }
    if note?.wearer == number, note?.user == user { return }
    try await client.tell(Moyoung.Command.userInfo, user.payload)
    try link.remember(MoyoungWearerNote(number, user, isAssumed: next.told.isAssumed))
  }

  /// Report of the data sent last; empty if this hub never sent data.
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
