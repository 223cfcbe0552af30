// A mark that identifies the content at a path, in the few characters that the hub stores for each item.

import Wearable

/// `SIZE[.TIMES][~KEY][@TIME][+]`: a file, as the hub remembers it.
///
/// The path has the day and time, so in general the size is enough. There are three exceptions: a clock that lost its
/// time and shows a day again, an unknown key, and data that other files need.
struct PolarFileMark: Hashable, Sendable {
  /// Bytes.
  let size: Int
  /// Number of times that a file at this path was removed before, or replaced by another one of the same size.
  var times = 0
  /// Check value of the key that was tried for a recording that could not be decrypted, `0` for no key. With another
  /// key the recording counts as another content.
  var triedKey: String?
  /// The time from which other files continue, not 0. For a part of a recording its end, in ns since 2000; for an
  /// exercise its start, in µs since 1970.
  var time: UInt64?
  /// Whether the file was still changing. `time` then is the time of the look on the wearable's clock, µs since 1970.
  /// The complete file counts as another content, even with the same size.
  var isOpen = false

  init(size: Int) { self.size = size }

  /// The mark of a look at a file that still changes, at a time of the wearable's clock, µs.
  init(lookAt size: Int, _ now: Int64) {
    self.size = size
    (isOpen, time) = (true, UInt64(exactly: now))
  }

  /// nil for a malformed mark.
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

  /// The mark of a file with the listed size, based on the last known item at its path.
  ///
  /// - Parameter key: for files that may be encrypted, the check value of the present key; `0` without one.
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
    // The file was decrypted, or there is no other key to try.
    guard let tried = before.triedKey, let key, key != tried, key != noKey else { return before }
    fresh.times = before.times
    return fresh
  }

  static let noKey = "0"
}
