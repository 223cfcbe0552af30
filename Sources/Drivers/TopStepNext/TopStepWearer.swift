// What a band's own algorithms are told of its wearer.

import EventLoop
import Health
import StateCodec
import TopStepMessages
import Wearable

/// Tells the wearer's body where the hub knows all of it: the message has no way to leave a part as it is.
@LoopActor
final class TopStepWearer {
  private let channel: TopStepChannel

  // As the vendor's kit bounds them.
  nonisolated static let ages = 3...120
  nonisolated static let heights = 80...220
  nonisolated static let weights = 20...200

  init(_ channel: TopStepChannel) { self.channel = channel }

  /// nil where a part of it is not known, or out of the band's range.
  var user: TopStepUser? {
    guard let facts = channel.link.orders.wearer?.facts else { return nil }
    return Self.user(facts, today: channel.link.zone.date(of: channel.link.hubTime.wall.microseconds))
  }

  nonisolated static func user(_ facts: BodyFacts, today: LocalDate) -> TopStepUser? {
    guard let born = facts.born, let sex = facts.sex, let height = facts.height, let weight = facts.weight,
      heights.contains(height), weights.contains(weight)
    else { return nil }
    let hadBirthday = (today.month, today.day) >= (born.month, born.day)
    let age = today.year - born.year - (hadBirthday ? 0 : 1)
    guard ages.contains(age) else { return nil }
    var user = TopStepUser()
    user.gender = sex == .male ? .male : .female
    user.age = UInt32(age)
    user.height = UInt32(height)
    user.weight = Float(weight)
    return user
  }

  /// Writes what was not told yet.
  func tell() async throws(VisitTrouble) {
    guard let user else { return }
    let bytes = try TopStepChannel.written { () throws(MalformedMessage) in try user.wire() }
    let told = WearerTold(digest: Self.digest(bytes))
    if channel.link.remembered(WearerTold.self) == told { return }
    guard let answer = try await channel.askOnce(.user, bytes), channel.isDone(answer) else {
      channel.link.note("it does not take its wearer's body")
      return
    }
    try channel.link.remember(told)
  }

  /// It came with a login, or with being bound.
  func noteTold() {
    guard let user, let bytes = try? user.wire() else { return }
    do throws(VisitTrouble) { try channel.link.remember(WearerTold(digest: Self.digest(bytes))) } catch {
      // It is told once more, then.
    }
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

  init(digest: UInt32) { self.digest = digest }

  func write(to fields: inout FieldWriter) { fields.put(1, digest) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var digest: UInt32?
    while let tag = fields.next() { if tag == 1 { fields.read(&digest) } }
    guard let digest else { return nil }
    self.digest = digest
  }
}
