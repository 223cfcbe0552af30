// What tells one content of a path from another, in the few characters that the hub keeps of each thing on a wearable.

import Wearable

/// `SIZE[.TIMES][~KEY][@TIME][+]`: a file, as the hub remembers it.
///
/// Day and time are in the path, so that the size is all that is needed, but for three things: a clock that lost its
/// time and comes by once more, a key that was not known, and what belongs to a file and is only known with it.
struct PolarFileMark: Hashable, Sendable {
  /// Bytes.
  let size: Int
  /// How often something was removed at this path before, or was another content of the same size: what lies there now
  /// is something else.
  var times = 0
  /// Of a recording that was not opened: the check value of the key that was tried, `0` without one. With another key
  /// it is another content.
  var triedKey: String?
  /// What follows goes on from here: ns since 2000 at which a part of a recording ends, or µs since 1970 at which an
  /// exercise began. Not 0.
  var time: UInt64?
  /// Of a file that still changed: its time is when it was looked at by the wearable's clock, µs since 1970. Whole it
  /// is another content, also with the same size.
  var isOpen = false

  init(size: Int) { self.size = size }

  /// Of a look at a file that still changes, at a time of the wearable's clock, µs.
  init(lookAt size: Int, _ now: Int64) {
    self.size = size
    (isOpen, time) = (true, UInt64(exactly: now))
  }

  /// nil for what is no such mark.
  init?(_ text: String) {
    var text = text[...]
    isOpen = text.last == "+"
    if isOpen { text.removeLast() }
    let timed = text.split(separator: "@", omittingEmptySubsequences: false)
    let keyed = timed[0].split(separator: "~", omittingEmptySubsequences: false)
    let sized = keyed[0].split(separator: ".", omittingEmptySubsequences: false)
    guard timed.count <= 2, keyed.count <= 2, sized.count <= 2, let size = PolarPath.number(sized[0]) else {
      return nil
    }
    self.size = size
    if sized.count == 2 {
      guard let times = PolarPath.number(sized[1]) else { return nil }
      self.times = times
    }
    if keyed.count == 2 { triedKey = String(keyed[1]) }
    if timed.count == 2 {
      guard let time = UInt64(timed[1], radix: 36) else { return nil }
      self.time = time
    }
  }

  var text: String {
    "\(size)" + (times > 0 ? ".\(times)" : "") + (triedKey.map { "~" + $0 } ?? "")
      + (time.map { "@" + String($0, radix: 36) } ?? "") + (isOpen ? "+" : "")
  }

  /// Of a file that was listed with this size, after what is known of its path.
  ///
  /// - Parameter key: of files that may be encrypted: the check value of the key there is, `0` without one.
  static func listed(_ size: Int, _ known: KnownItem?, key: String? = nil) -> PolarFileMark {
    var fresh = PolarFileMark(size: size)
    fresh.triedKey = key
    guard let known, let before = PolarFileMark(known.mark), before.size == size else { return fresh }
    if before.isOpen {
      fresh.times = before.times
      return fresh
    }
    if known.isErased {
      fresh.times = (before.times + 1) & 0xFFFF
      return fresh
    }
    // It was opened, or there is nothing new to open it with.
    guard let tried = before.triedKey, let key, key != tried, key != noKey else { return before }
    fresh.times = before.times
    return fresh
  }

  static let noKey = "0"
}
