// The configuration that answers would make, before anything is written: its text, what differs, and whether the daemon
// would take it.

public import Reasons
internal import SettingsText

/// What is to be written. Made only where the daemon would take it and it says what was answered.
public struct ConfigurationDraft: Sendable {
  /// One key that gets another value.
  public struct Change: Sendable, Hashable {
    public var key: String
    public var from: String
    public var to: String
  }

  public let path: String
  /// What the file has now; nil: it is not there.
  public let before: [UInt8]?
  public let text: [UInt8]
  public let changes: [Change]
  /// What holds with it.
  public let configuration: Configuration

  public var isChanged: Bool { before != text && !changes.isEmpty }

  /// - Throws: what the daemon would refuse in the file as it is; `setupOverridden` where a file of the drop-in folder
  ///   says otherwise; `setupRefused` where the result would be refused.
  public init(path: String, answers: SetupAnswers) throws(HearthError) {
    self.path = path
    before = try Configuration.isThere(path) ? contents(of: path) : nil
    let old = before ?? []
    let start = try Configuration.load(path: path, main: old)
    var (bytes, holding, changes) = (old, start, [Change]())
    // The preset is before what it decides.
    for question in [.preset] + SetupQuestion.allCases.filter({ $0 != .preset }) {
      guard let wanted = answers.values[question], let key = Schema.keys.first(where: { $0.path == question.key })
      else {
        continue
      }
      let was = key.show(holding)
      let new = try Self.shown(key, wanted, path)
      if was == new { continue }
      var text = ConfigurationText(bytes, file: path)
      try text.set(key.path, to: wanted)
      let made = try Self.holding(path, text.bytes)
      guard key.show(made) == new else {
        if let place = made.places[key.path], place.file != path {
          throw HearthError(
            .setupOverridden, "\(key.path) is set in \(place.file), line \(place.line), which is read after \(path)")
        }
        throw HearthError(.setupRefused, "\(path): \(key.path) cannot be set there; set it by hand")
      }
      changes.append(Change(key: key.path, from: was, to: new))
      (bytes, holding) = (text.bytes, made)
    }
    try Self.refuseSideEffects(start, holding, changes, path)
    let known = Set(Configuration.check(path: path, main: old).problems.map(Self.withoutPlace))
    let problems = Configuration.check(path: path, main: bytes).problems
    if let new = problems.first(where: { !known.contains(Self.withoutPlace($0)) }) {
      throw HearthError(.setupRefused, new.detail)
    }
    text = bytes
    configuration = holding
    self.changes = changes
  }

  private static func shown(_ key: Key, _ value: String, _ path: String) throws(HearthError) -> String {
    var scratch = Configuration()
    guard key.apply(value, folder(of: path), &scratch) else {
      throw HearthError(.setupRefused, "\(key.path) takes \(key.expects)")
    }
    return key.show(scratch)
  }

  private static func holding(_ path: String, _ main: [UInt8]) throws(HearthError) -> Configuration {
    do throws(HearthError) { return try Configuration.load(path: path, main: main) } catch {
      throw HearthError(.setupRefused, error.detail)
    }
  }

  /// What somebody had set stays set, and to the same value, but for what was answered.
  private static func refuseSideEffects(
    _ before: Configuration, _ after: Configuration, _ changes: [Change], _ path: String
  ) throws(HearthError) {
    let changed = Set(changes.map(\.key))
    for key in Schema.keys where !changed.contains(key.path) {
      let isKept = (before.places[key.path] == nil) == (after.places[key.path] == nil)
      if !isKept || before.places[key.path] != nil && key.show(before) != key.show(after) {
        throw HearthError(.setupRefused, "\(path): \(key.path) would change with it; edit the file by hand")
      }
    }
  }

  /// Lines move; what is wrong with them does not.
  private static func withoutPlace(_ problem: HearthError) -> String {
    var words = problem.detail[...]
    if let colon = words.range(of: ": ") { words = words[colon.upperBound...] }
    return "\(problem.reason.code) \(words)"
  }
}

extension Substring {
  /// Where `text` begins and ends first.
  fileprivate func range(of text: String) -> Range<Index>? {
    var place = startIndex
    while place < endIndex {
      if self[place...].hasPrefix(text) { return place..<index(place, offsetBy: text.count) }
      place = index(after: place)
    }
    return nil
  }
}
