// When an order of a person ends by itself, also where the hub's clock is wrong for a while.

package import EventLoop
package import StateCodec

/// The end of an order that ends by itself.
///
/// Promises: while the clock is not set by a time server, the order lasts as long as it was to last when it was given;
/// a clock that is set meanwhile neither ends it at once nor prolongs it. A clock that was right when the order was
/// given, and is right, decides.
package struct OrderEnd: Sendable, Hashable {
  /// By the clock as it was when the order was given, or as a time server set it since.
  package private(set) var until: WallTime
  /// What was left of it at `counted`.
  package private(set) var left: Duration
  package private(set) var counted: Instant
  /// The clock that `until` is of was set by a time server.
  private var isSure: Bool

  /// - Parameter until: by the hub's clock; what is over already has nothing left.
  @LoopActor
  package init(until: WallTime, _ loop: any Loop) {
    self.until = until
    left = max(.zero, until - loop.wall)
    counted = loop.now
    isSure = loop.wallIsTrusted
  }

  /// What was left when it was kept is counted from now on.
  package mutating func takeUp(_ now: Instant) { counted = now }

  package func left(_ now: Instant) -> Duration { max(.zero, left - (now - counted)) }

  /// For people, by the clock as it is now: as it was given, unless the clock was set since.
  @LoopActor
  package func shown(_ loop: any Loop) -> WallTime {
    let counted = loop.wall + left(loop.now)
    return (counted - until).components.seconds == 0 ? until : counted
  }

  /// - Returns: it is over.
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
