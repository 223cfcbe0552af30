// Troubles that are muted for a while.

public import EventLoop
public import Reasons
package import RingStore
import StateCodec

/// A muted trouble, by its code.
package struct Mute: Sendable, Hashable {
  package let reason: Reason
  /// nil: of the hub and of every wearable.
  package let wearable: WearableID?
  package let since: WallTime
  /// nil: until a person withdraws it.
  package var end: OrderEnd?

  package init(reason: Reason, wearable: WearableID?, since: WallTime, end: OrderEnd?) {
    self.reason = reason
    self.wearable = wearable
    self.since = since
    self.end = end
  }
}

/// Shown to people.
public struct MuteSnapshot: Sendable, Hashable {
  /// Muted reason.
  public var reason: Reason
  /// nil: of the hub and of every wearable.
  public var wearable: String?
  /// Begin of the muting.
  public var since: WallTime
  /// End by the clock as it is set now; nil: until a person withdraws it.
  public var until: WallTime?

  /// A muted trouble; `wearable` nil: of the hub and of every wearable, `until` nil: without end.
  public init(_ reason: Reason, of wearable: String?, since: WallTime, until: WallTime?) {
    (self.reason, self.wearable, self.since, self.until) = (reason, wearable, since, until)
  }
}

/// Mutes, all in one place. LEDs, first screen, pages of wearables and exit codes agree because all of them ask here.
package struct Mutes: Sendable {
  /// Limit of mutes, so that people can remember them, and do not mute everything.
  package static let limit = 32

  package var all: [Mute] = []

  package init() {}

  package func isMuted(_ reason: Reason, of wearable: WearableID? = nil) -> Bool {
    all.contains { $0.reason == reason && ($0.wearable == nil || $0.wearable == wearable) }
  }

  /// The mute of a trouble, the one that ends last if there are several; nil: the trouble is shown.
  package func mute(of reason: Reason, _ wearable: WearableID?, _ now: Instant) -> Mute? {
    let all = all.filter { $0.reason == reason && ($0.wearable == nil || $0.wearable == wearable) }
    return all.first { $0.end == nil } ?? all.max { ($0.end?.left(now) ?? .zero) < ($1.end?.left(now) ?? .zero) }
  }

  /// The reason if it is shown; nil if it is muted.
  package func heard(_ reason: Reason?) -> Reason? { reason.flatMap { isMuted($0) ? nil : $0 } }

  // MARK: Bytes

  /// Stored form, in `meta` under `hub-orders`.
  package var bytes: [UInt8] {
    var fields = FieldWriter()
    for mute in all.prefix(Self.limit) {
      fields.put(1) { nested in
        nested.put(1, mute.reason.rawValue)
        if let wearable = mute.wearable { nested.put(2, wearable.number) }
        nested.put(3, mute.since.microseconds)
        mute.end?.write(to: &nested, 4)
      }
    }
    return fields.finish()
  }

  /// Entries that cannot be read are left out: then a trouble is shown that a person had muted.
  package init(_ bytes: [UInt8], _ now: Instant) {
    all = bytes.withUnsafeBytes { bytes -> [Mute] in
      guard var fields = FieldReader(bytes) else { return [] }
      var found: [Mute] = []
      while let tag = fields.next() {
        if tag == 1, let mute = Self.mute(fields.nested, now) { found.append(mute) }
      }
      return Array(found.prefix(Self.limit))
    }
  }

  private static func mute(_ nested: FieldReader, _ now: Instant) -> Mute? {
    var nested = nested
    var code: UInt16?
    var number: UInt32?
    var since: Int64?
    var end: OrderEnd?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&code)
      case 2: nested.read(&number)
      case 3: nested.read(&since)
      case 4:
        end = OrderEnd(nested.nested, now)
        // Without its end the mute would last for ever.
        if end == nil { nested.refuse() }
      default: break
      }
    }
    guard nested.isWhole, let since, let reason = code.flatMap({ Reason(rawValue: $0) }) else { return nil }
    return Mute(
      reason: reason, wearable: number.map { WearableID(number: $0) }, since: WallTime(microseconds: since), end: end)
  }
}
