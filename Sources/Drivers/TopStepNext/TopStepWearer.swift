// Wearer's body for the band's own algorithms.

import Bands
import CivilTime
import EventLoop
import Health
import StateCodec
import TopStepMessages
import Wearable

/// Sends the wearer's body if the hub knows all of it, since the message cannot leave a part unchanged. After a change
/// of wearer, unknown parts are assumed, so that no value of the former wearer stays.
@LoopActor
final class TopStepWearer {
  private let channel: TopStepChannel

  // Ranges of the vendor's kit.
  nonisolated static let ages = 3...120
  nonisolated static let heights = 80...220
  nonisolated static let weights = 20...200

  init(_ channel: TopStepChannel) { self.channel = channel }

  private var link: any WearableLink { channel.link }

  /// Body to send now; nil if no change is needed.
  private var next: (body: BandBody, told: BandBodyTold)? {
    BandBodyTold.next(after: link.remembered(WearerTold.self)?.told, link)
  }

  /// Message to send; nil if no change is needed, or a part is outside the band's range.
  var user: TopStepUser? { next.flatMap { Self.user($0.body) } }

  /// nil if a part is unknown, or outside the band's range.
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

  /// Sends the body if the band does not have it yet.
  func tell() async throws(VisitTrouble) {
    guard let (bytes, told) = try due() else { return }
    let before = link.remembered(WearerTold.self)
    if before == told { return }
    // The same body was sent before the hub stored the wearer's number.
    if before?.digest == told.digest { return try link.remember(told) }
    try begin(told)
    guard let answer = try await channel.askOnce(.user, bytes), channel.isDone(answer) else {
      link.note("it does not take its wearer's body")
      return
    }
    try link.remember(told)
  }

  /// Bytes to send now and the record of them; nil if no change is needed.
  private func due() throws(VisitTrouble) -> (bytes: [UInt8], told: WearerTold)? {
    guard let next, let user = Self.user(next.body) else { return nil }
    let bytes = try TopStepChannel.written { () throws(MalformedMessage) in try user.wire() }
    return (bytes, WearerTold(digest: Self.digest(bytes), next.told))
  }

  /// Stored before sending. If the hub stops in between, the band's body counts as unknown.
  private func begin(_ told: WearerTold) throws(VisitTrouble) {
    try link.remember(WearerTold(digest: ~told.digest, BandBodyTold(wearer: nil, isAssumed: true)))
  }

  /// Called before a login or a binding that carries the body.
  func willTell() throws(VisitTrouble) {
    guard let told = try due()?.told, link.remembered(WearerTold.self) != told else { return }
    try begin(told)
  }

  /// Records that the login or the binding carried it.
  func noteTold() {
    do throws(VisitTrouble) {
      guard let told = try due()?.told else { return }
      try link.remember(told)
    } catch {
      // The body is then sent once more.
    }
  }

  /// Report of the parts that were assumed; empty if all were entered.
  var rows: [ReportRow] {
    link.remembered(WearerTold.self)?.told.assumedRows(link) ?? []
  }

  private static func digest(_ bytes: [UInt8]) -> UInt32 {
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    return crc.value
  }
}

/// Body that a band received last: only a checksum, since the values are not needed here.
struct WearerTold: RememberedState, Equatable {
  static let name = "topstep-wearer"
  let digest: UInt32
  /// Number of the wearer. 0: no wearer, the band was taken off; nil: an earlier version did not store it.
  let wearer: UInt32?
  /// Some parts were assumed.
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
