// Rules of enrolment: which wearables may join. Pure functions of what is heard; the hub does the rest.

import Bluetooth
import EventLoop
import Reasons
import RingStore

/// The enrolment policy and its window.
struct Enrolment {
  let mode: EnrolmentMode
  /// RSSI in dBm from which on a wearable counts as held near the hub.
  let nearRSSI: Int
  let window: Duration
  private(set) var openUntil: Instant?
  /// Letters in the order in which candidates were first listed; kept while the window is open.
  private var letters: [BluetoothAddress: Int] = [:]
  private var nextLetter = 0

  /// Limit of a window's length. A forgotten window must close within an hour, whatever length was requested.
  static let longestWindow: Duration = .seconds(3600)
  /// Limit of listed candidates; people do not hold fifty wearables against a hub.
  static let candidateLimit = 50
  /// Limit of remembered letters. Candidates that come and go keep theirs until so many came that the first is of no
  /// interest.
  static let letterLimit = 4 * candidateLimit

  init(mode: EnrolmentMode, nearRSSI: Int, window: Duration) {
    self.mode = mode
    self.nearRSSI = nearRSSI
    self.window = window
  }

  /// The same window and letters under changed rules; a window that is no longer allowed closes.
  func with(mode: EnrolmentMode, nearRSSI: Int, window: Duration) -> Enrolment {
    var changed = Enrolment(mode: mode, nearRSSI: nearRSSI, window: window)
    if mode != .closed {
      changed.openUntil = openUntil
      changed.letters = letters
      changed.nextLetter = nextLetter
    }
    return changed
  }

  func isOpen(_ now: Instant) -> Bool { openUntil.map { now < $0 } ?? false }

  /// The reason why no wearable may be accepted while no window is open.
  var closed: HearthError {
    mode == .closed
      ? HearthError(.enrolForbidden, "enrolment is closed by configuration (enroll.mode)")
      : HearthError(.enrolWindowClosed, "no enrolment window is open")
  }

  mutating func open(for duration: Duration?, now: Instant) throws(HearthError) -> Instant {
    if mode == .closed { throw closed }
    let length = duration ?? window
    guard length >= .seconds(1), length <= Self.longestWindow else {
      throw HearthError(
        .controlBadParameter,
        "a window lasts 1 s to \(Int(Self.longestWindow.inSeconds)) s, not \(Int(length.inSeconds)) s")
    }
    if !isOpen(now) { forgetLetters() }
    let end = now + length
    openUntil = end
    return end
  }

  mutating func close() {
    openUntil = nil
    forgetLetters()
  }

  private mutating func forgetLetters() {
    letters = [:]
    nextLetter = 0
  }

  /// Whether a wearable heard with this strength counts as held near. Unknown strength is not near.
  func isNear(_ rssi: Double?) -> Bool { rssi.map { Int($0.rounded()) >= nearRSSI } ?? false }

  /// The candidates to show, in the order of their letters. Of a crowd the strongest are shown: a wearable that is held
  /// against the hub is among them, however many strangers advertise the same. A letter is assigned once in a window.
  mutating func candidates(_ heard: [Presence], taken: Set<String>) -> [EnrolmentSnapshot.Candidate] {
    let loudest = heard.sorted { a, b in
      let (first, second) = (a.rssi ?? -.infinity, b.rssi ?? -.infinity)
      return first == second ? a.address < b.address : first > second
    }
    let shown = loudest.prefix(Self.candidateLimit).sorted { $0.address < $1.address }
    if letters.count > Self.letterLimit {
      letters = letters.filter { known in shown.contains { $0.address == known.key } }
    }
    var names = taken
    var list: [(index: Int, candidate: EnrolmentSnapshot.Candidate)] = []
    for presence in shown {
      let index = letters[presence.address] ?? nextLetter
      if index == nextLetter { nextLetter += 1 }
      letters[presence.address] = index
      let proposal = Self.proposedName(for: presence.kind, taken: names)
      names.insert(proposal)
      let candidate = EnrolmentSnapshot.Candidate(
        letter: Self.letter(index), name: presence.scanResult.name ?? presence.address.description,
        address: presence.address,
        kind: presence.kind, rssi: presence.rssi.map { Int($0.rounded()) }, isNear: isNear(presence.rssi),
        proposedName: proposal)
      list.append((index, candidate))
    }
    return list.sorted { $0.index < $1.index }.map(\.candidate)
  }

  /// `strap-04`: the last word of the kind, numbered. Always free among `taken`.
  static func proposedName(for kind: String, taken: Set<String>) -> String {
    let word = kind.split(separator: " ").last.map { $0.lowercased() } ?? ""
    let stem =
      word.isEmpty || !word.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) })
      ? "wearable" : word
    var number = 1
    while true {
      let name = number < 10 ? "\(stem)-0\(number)" : "\(stem)-\(number)"
      if !taken.contains(name) { return name }
      number += 1
    }
  }

  /// A … Z, AA, AB …
  static func letter(_ index: Int) -> String {
    let last = String(UnicodeScalar(UInt8(0x41 + index % 26)))
    return index < 26 ? last : letter(index / 26 - 1) + last
  }
}
