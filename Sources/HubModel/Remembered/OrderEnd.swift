// The end of a person's order by time, which works even while the hub's clock is wrong.

package import EventLoop
package import StateCodec

/// The end of an order that ends by itself.
///
/// Promises: while the clock is not set by a time server, the order lasts for its intended time. A clock that is set
/// meanwhile neither ends it at once nor prolongs it. If the clock was correct when the order was given, and is correct
/// now, it decides.
package struct OrderEnd: Sendable, Hashable {
  /// End by the clock as it was when the order was given, or as a time server set it since.
  package private(set) var until: WallTime
  /// The remaining time at `counted`.
  package private(set) var left: Duration
  package private(set) var counted: Instant
  /// Whether a time server had set the clock of `until`.
  private var isSure: Bool

  /// - Parameter until: by the hub's clock; a past time leaves no remaining time.
  @LoopActor
  package init(until: WallTime, _ loop: any Loop) {
    self.until = until
    left = max(.zero, until - loop.wall)
    counted = loop.now
    isSure = loop.wallIsTrusted
  }

  /// Counts the stored remaining time from now on.
  package mutating func takeUp(_ now: Instant) { counted = now }

  package func left(_ now: Instant) -> Duration { max(.zero, left - (now - counted)) }

  /// The end for people, by the clock as it is set now: as it was ordered, unless the clock was set since.
  @LoopActor
  package func shown(_ loop: any Loop) -> WallTime {
    let counted = loop.wall + left(loop.now)
    return (counted - until).components.seconds == 0 ? until : counted
  }

  /// - Returns: whether it is over.
  @LoopActor
  package mutating func look(_ loop: any Loop) -> Bool {
    left = left(loop.now)
    counted = loop.now
    guard loop.wallIsTrusted else { return left == .zero }
    if isSure { left = min(left, max(.zero, until - loop.wall)) }
    (until, isSure) = (shown(loop), true)
    return left == .zero
  }

  // MARK: Fields

  package func write(to fields: inout FieldWriter, _ tag: UInt8) {
    fields.put(tag) { nested in
      nested.put(1, until.microseconds)
      nested.put(2, UInt32(clamping: left.components.seconds))
      nested.put(3, flag: isSure)
    }
  }

  package init?(_ nested: FieldReader, _ now: Instant) {
    var nested = nested
    var until: Int64?
    var left: UInt32?
    var isSure: Bool?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&until)
      case 2: nested.read(&left)
      case 3: nested.read(&isSure)
      default: break
      }
    }
    guard nested.isWhole, let until, let left, let isSure else { return nil }
    self.until = WallTime(microseconds: until)
    self.left = .seconds(Int64(left))
    self.isSure = isSure
    counted = now
  }
}
