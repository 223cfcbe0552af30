// What a band's own algorithms are told of its wearer.

import Bands
import CivilTime
import EventLoop
import Health
import StateCodec
import TopStepMessages
import Wearable

/// Tells the wearer's body where the hub knows all of it: the message has no way to leave a part as it is. After
/// another wearer what is not known of the present one is assumed: nothing of the one before stays.
@LoopActor
final class TopStepWearer {
  private let channel: TopStepChannel

  // As the vendor's kit bounds them.
  nonisolated static let ages = 3...120
  nonisolated static let heights = 80...220
  nonisolated static let weights = 20...200

  init(_ channel: TopStepChannel) { self.channel = channel }

  private var link: any WearableLink { channel.link }

  /// What it is to be told now; nil: nothing.
  private var next: (body: BandBody, told: BandBodyTold)? {
    BandBodyTold.next(after: link.remembered(WearerTold.self)?.told, link)
  }

  /// nil where it is to be told nothing, or a part is out of the band's range.
  var user: TopStepUser? { next.flatMap { Self.user($0.body) } }

  /// nil where a part of it is not known, or out of the band's range.
  nonisolated static func user(_ facts: BodyFacts, today: LocalDate) -> TopStepUser? {
    let body = BandBody(facts, on: today)
    return body.assumed.isEmpty ? user(body) : nil
  }

  nonisolated private static func user(_ body: BandBody) -> TopStepUser? {
    guard heights.contains(body.height), weights.contains(body.weight), ages.contains(body.age) else { return nil }
    var user = TopStepUser()
    user.gender = body.isFemale ? .female : .male
    user.age = UInt32(body.age)
    user.height = UInt32(body.height)
    user.weight = Float(body.weight)
    return user
  }

  /// Writes what was not told yet.
  func tell() async throws(VisitTrouble) {
    guard let (bytes, told) = try due() else { return }
    let before = link.remembered(WearerTold.self)
    if before == told { return }
    // Told already, before whose it is was kept.
    if before?.digest == told.digest { return try link.remember(told) }
    try begin(told)
    guard let answer = try await channel.askOnce(.user, bytes), channel.isDone(answer) else {
      link.note("it does not take its wearer's body")
      return
    }
    try link.remember(told)
  }

  /// What it is to be told now, and what is remembered of that; nil: nothing.
  private func due() throws(VisitTrouble) -> (bytes: [UInt8], told: WearerTold)? {
    guard let next, let user = Self.user(next.body) else { return nil }
    let bytes = try TopStepChannel.written { () throws(MalformedMessage) in try user.wire() }
    return (bytes, WearerTold(digest: Self.digest(bytes), next.told))
  }

  /// Before it is told: a hub that ends in between does not know whose body the band has.
  private func begin(_ told: WearerTold) throws(VisitTrouble) {
    try link.remember(WearerTold(digest: ~told.digest, BandBodyTold(wearer: nil, isAssumed: true)))
  }

  /// It comes with a login, or with being bound.
  func willTell() throws(VisitTrouble) {
    guard let told = try due()?.told, link.remembered(WearerTold.self) != told else { return }
    try begin(told)
  }

  /// It came so.
  func noteTold() {
    do throws(VisitTrouble) {
      guard let told = try due()?.told else { return }
      try link.remember(told)
    } catch {
      // It is told once more, then.
    }
  }

  /// What of the body it was told is assumed; empty where nothing is.
  var rows: [ReportRow] {
    link.remembered(WearerTold.self)?.told.assumedRows(link) ?? []
  }

  private static func digest(_ bytes: [UInt8]) -> UInt32 {
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    return crc.value
  }
}

/// Which body a band was told last: a checksum, as nobody needs the numbers here.
struct WearerTold: RememberedState, Equatable {
  static let name = "topstep-wearer"
  let digest: UInt32
  /// Whose; 0: nobody's, it was taken off; nil: an earlier version did not keep it.
  let wearer: UInt32?
  /// Some of it was assumed.
  let isAssumed: Bool

  init(digest: UInt32, _ told: BandBodyTold) {
    (self.digest, wearer, isAssumed) = (digest, told.wearer, told.isAssumed)
  }

  var told: BandBodyTold { BandBodyTold(wearer: wearer, isAssumed: isAssumed) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, digest)
    if let wearer { fields.put(2, wearer) }
    if isAssumed { fields.put(3, flag: true) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var (digest, wearer): (UInt32?, UInt32?) = (nil, nil)
    var isAssumed: Bool?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&digest)
      case 2: fields.read(&wearer)
      case 3: fields.read(&isAssumed)
      default: break
      }
    }
    guard let digest else { return nil }
    (self.digest, self.wearer, self.isAssumed) = (digest, wearer, isAssumed ?? false)
  }
}
