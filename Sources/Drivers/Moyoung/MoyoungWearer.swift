// Whom a band's own algorithms count for: written when the wearer or the body is another than it was told.

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

  init(_ wearer: UInt32, _ user: MoyoungUser) { (self.wearer, self.user) = (wearer, user) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, wearer)
    fields.put(2, user.payload)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var wearer: UInt32?
    var payload: [UInt8]?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&wearer)
      case 2: fields.read(&payload, atMost: 4)
      default: break
      }
    }
    guard let wearer, let user = payload.flatMap({ MoyoungUser(payload: $0) }) else { return nil }
    self.init(wearer, user)
  }
}

@LoopActor
struct MoyoungWearer {
  let link: any WearableLink
  let client: MoyoungClient

  /// Only complete facts: half of them would leave the other half those of somebody else.
  func tell() async throws(VisitTrouble) {
    guard let wearer = link.orders.wearer else { return }
    let today = link.zone.date(of: link.hubTime.wall.microseconds)
    guard let user = MoyoungUser(wearer.facts, on: today) else { return }
    let told = link.remembered(MoyoungWearerNote.self)
    if told?.wearer == wearer.number, told?.user == user { return }
    try await client.tell(Moyoung.Command.userInfo, user.payload)
    try link.remember(MoyoungWearerNote(wearer.number, user))
  }
}
