// Schema of a settings file, and validation of a document against it. Every key has an effect: a key without one would
// make a false promise.

package import Reasons

/// Key of the schema: parses, stores and formats its value.
package struct SettingKey<Settings>: Sendable {
  /// Path, for example `store.commit.every`.
  package let path: String
  package let expects: String
  package let words: [String]
  /// Stores the value; false if the text is invalid.
  package let apply: @Sendable (_ text: String, _ folder: String, inout Settings) -> Bool
  package let show: @Sendable (Settings) -> String
  /// Whether `config show` has a line for it.
  package let isListed: @Sendable (Settings) -> Bool

  package init<Value: Sendable>(
    _ path: String, _ field: any WritableKeyPath<Settings, Value> & Sendable, _ kind: Kind<Value>
  ) {
    self.path = path
    expects = kind.expects
    words = kind.words
    apply = { text, folder, configuration in
      guard let value = kind.parse(text, folder) else { return false }
      configuration[keyPath: field] = value
      return true
    }
    show = { kind.show($0[keyPath: field]) }
    isListed = { _ in true }
  }

  package init(
    path: String, expects: String, words: [String],
    apply: @escaping @Sendable (_ text: String, _ folder: String, inout Settings) -> Bool,
    show: @escaping @Sendable (Settings) -> String, isListed: @escaping @Sendable (Settings) -> Bool
  ) {
    self.path = path
    self.expects = expects
    self.words = words
    self.apply = apply
    self.show = show
    self.isListed = isListed
  }
}

/// Keys of one type of file.
package struct SettingsSchema<Settings>: Sendable {
  package let keys: [SettingKey<Settings>]

  package init(_ keys: [SettingKey<Settings>]) { self.keys = keys }

  /// Replaces values in `settings` by those of a file. The first error rejects the whole file.
  ///
  /// - Throws: `configUnreadable`, `configSyntax`, `configUnknownKey` or `configBadValue`; the detail starts with
  ///   `file:line:column`, or with the file only if there is no line.
  package func read(_ file: String, into settings: inout Settings) throws(HearthError) {
    guard let root = try YAMLReader.read(contents(of: file), file: file) else { return }
    for setting in try self.settings(of: root, file: file) { try apply(setting, file, to: &settings) }
  }

  package func apply(_ setting: Setting, _ file: String, to settings: inout Settings) throws(HearthError) {
    if setting.key.apply(setting.text, folder(of: file), &settings) { return }
    throw misfit(
      setting.key, quoted(setting.text), setting.mark, file,
      hint: hint(nearMiss(setting.text, among: setting.key.words)))
  }

  /// Value as written in a file.
  package struct Setting: Sendable {
    package let key: SettingKey<Settings>
    package let text: String
    package let mark: Mark
  }

  /// The settings of a document in the order of the file. Throws for the first key that is unknown or has the wrong
  /// shape.
  package func settings(of root: YAMLNode, file: String) throws(HearthError) -> [Setting] {
    let all = allSettings(of: root, file: file)
    if let first = all.problems.first { throw first }
    return all.settings
  }

  /// Returns valid settings, and the errors of the others.
  package func allSettings(of root: YAMLNode, file: String) -> (settings: [Setting], problems: [HearthError]) {
    var (found, problems): ([Setting], [HearthError]) = ([], [])
    collect(root, "", file, &found, &problems)
    return (found, problems)
  }

  /// The schema bounds the recursion: below a leaf only a scalar is accepted.
  private func collect(
    _ node: YAMLNode, _ prefix: String, _ file: String, _ found: inout [Setting], _ problems: inout [HearthError]
  ) {
    if node.isAbsent { return }
    guard case .mapping(let entries) = node.content else {
      let section = prefix.isEmpty ? "the file" : "'\(prefix.dropLast())'"
      problems.append(
        HearthError(
          .configBadValue, "\(file):\(node.mark.line):\(node.mark.column): \(section) holds keys, not \(node.described)"
        ))
      return
    }
    for entry in entries {
      let path = prefix + entry.key
      if let key = keys.first(where: { $0.path == path }) {
        guard case .scalar(let text, _) = entry.value.content, !entry.value.isAbsent else {
          problems.append(misfit(key, entry.value.described, entry.value.mark, file))
          continue
        }
        found.append(Setting(key: key, text: text, mark: entry.value.mark))
      } else if !entry.key.isEmpty, keys.contains(where: { $0.path.hasPrefix(path + ".") }) {
        collect(entry.value, path + ".", file, &found, &problems)
      } else {
        let place = "\(file):\(entry.keyMark.line):\(entry.keyMark.column)"
        problems.append(
          HearthError(
            .configUnknownKey, "\(place): unknown key \(quoted(entry.key))\(hint(nearest(entry.key, prefix)))"))
      }
    }
  }

  package func misfit(
    _ key: SettingKey<Settings>, _ what: String, _ mark: Mark, _ file: String, hint: String = ""
  ) -> HearthError {
    HearthError(
      .configBadValue, "\(file):\(mark.line):\(mark.column): \(key.path) is \(what), not \(key.expects)\(hint)")
  }

  /// Suggestion for a mistyped key: a sibling with a similar name, else the key of the same name elsewhere.
  private func nearest(_ word: String, _ prefix: String) -> String? {
    var siblings: [String] = []
    for key in keys where key.path.hasPrefix(prefix) {
      let name = String(key.path.dropFirst(prefix.count).prefix { $0 != "." })
      if siblings.last != name { siblings.append(name) }
    }
    if let near = nearMiss(word, among: siblings) { return near }
    return keys.first { key in
      key.path.hasSuffix("." + word) || key.path.indices.contains { key.path[$0...].hasPrefix(".\(word).") }
    }?.path
  }
}
