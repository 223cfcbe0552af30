// The configuration that the answers would make, before it is written: its text, its changes, and whether the daemon
// would accept it.

public import Reasons
internal import SettingsText

/// A new configuration file. A draft exists only if the daemon would accept it, and each answer is in effect.
public struct ConfigurationDraft: Sendable {
  /// A key that gets another value.
  public struct Change: Sendable, Hashable {
    /// Key in hearth.yaml.
    public var key: String
    /// Value so far, as text.
    public var from: String
    /// New value, as text.
    public var to: String
  }

  /// Path of hearth.yaml.
  public let path: String
  /// The present content of the file; nil: it does not exist.
  public let before: [UInt8]?
  /// Content of the file with the answers.
  public let text: [UInt8]
  /// Keys that get another value.
  public let changes: [Change]
  /// The configuration after the change.
  public let configuration: Configuration

  /// True if the answers change the file.
  public var isChanged: Bool { before != text && !changes.isEmpty }

  /// - Throws: the daemon's error for the present file; `setupOverridden` if a drop-in file sets another value;
  ///   `setupRefused` if the daemon would refuse the result.
  public init(path: String, answers: SetupAnswers) throws(HearthError) {
    self.path = path
    before = try Configuration.isThere(path) ? contents(of: path) : nil
    let old = before ?? []
    let start = try Configuration.load(path: path, main: old)
    var (bytes, holding, changes) = (old, start, [Change]())
    // The preset comes before the keys that it decides.
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

  /// Refuses a change of keys that were not answered: a key that was set stays set, to the same value.
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

  /// A problem without its line number, which an edit may change.
  private static func withoutPlace(_ problem: HearthError) -> String {
    var words = problem.detail[...]
    if let colon = words.range(of: ": ") { words = words[colon.upperBound...] }
    return "\(problem.reason.code) \(words)"
  }
}

extension Substring {
  /// The range of the first occurrence of `text`.
  fileprivate func range(of text: String) -> Range<Index>? {
    var place = startIndex
    while place < endIndex {
      if self[place...].hasPrefix(text) { return place..<index(place, offsetBy: text.count) }
      place = index(after: place)
    }
    return nil
  }
}
