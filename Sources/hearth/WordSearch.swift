// The pages and codes for a word, as `hearth explain battery` lists them.

import ArgumentParser
import Reasons

/// A search for words in the names and abstracts of all pages, in the tables of everyday words, and in the texts of
/// codes. The results match as many of the words as any text does.
struct WordSearch {
  /// A command or another page of the manual.
  struct Page {
    /// Command line to type: `hearth devices`, or `man 8 hearthd`.
    var call: String
    var abstract: String
  }

  private(set) var pages: [Page] = []
  private(set) var codes: [Reason] = []

  var isEmpty: Bool { pages.isEmpty && codes.isEmpty }

  init(_ text: String) {
    let asked = Self.asked(text)
    if asked.isEmpty { return }
    let found = Self.entries.map { entry in
      (entry: entry, named: Self.count(asked, in: entry.names), all: Self.count(asked, in: entry.words))
    }
    let reasons = Reason.allCases.map { reason in
      (
        reason: reason, sentence: Self.count(asked, in: Self.words(reason.text.sentence)),
        explanation: Self.count(asked, in: Self.words(reason.explanation))
      )
    }
    let best = max(found.map { $0.all }.max() ?? 0, reasons.map { max($0.sentence, $0.explanation) }.max() ?? 0)
    if best == 0 { return }
    // Names and everyday words say more of a page than its abstract.
    let first = found.filter { $0.named == best }
    let second = found.filter { $0.named < best && $0.all == best }
    pages = (first + second).map { $0.entry.page }
    codes = reasons.filter { $0.sentence == best }.map { $0.reason }
    if codes.isEmpty { codes = reasons.filter { $0.explanation == best }.map { $0.reason } }
  }

  /// The known word that a mistyped one most likely stands for.
  static func suggestion(for text: String) -> String? {
    nearMiss(text, among: entries.flatMap { $0.names })
  }

  // MARK: - Words

  /// Words that stand in every question.
  private static let fillers: Set = [
    "a", "an", "and", "at", "can", "do", "does", "for", "how", "i", "in", "is", "it", "my", "no", "not", "of", "on",
    "or", "the", "to", "up", "what", "where", "which", "why",
  ]

  /// The words of a question without fillers, unless it has no others.
  private static func asked(_ text: String) -> [String] {
    let all = words(text)
    let telling = all.filter { !fillers.contains($0) }
    return telling.isEmpty ? all : telling
  }

  /// Letters and digits, in lower case.
  static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0) }
  }

  private static func count(_ asked: [String], in words: [String]) -> Int {
    asked.count { one in words.contains { isSame(one, $0) } }
  }

  /// Whether two words are equal but for their endings: `alarms` and `alarm`, `encrypt` and `encryption`.
  static func isSame(_ asked: String, _ word: String) -> Bool {
    if asked == word || asked == word + "s" || word == asked + "s" { return true }
    if asked.count >= 4, word.hasPrefix(asked) { return true }
    if word.count >= 4, asked.hasPrefix(word), asked.count - word.count <= 4 { return true }
    let common = zip(asked, word).prefix { $0.0 == $0.1 }.count
    return common >= 6 && asked.count - common <= 5 && word.count - common <= 5
  }

  // MARK: - Pages

  private struct Entry {
    var page: Page
    /// The page's own name and the words of the tables.
    var names: [String]
    /// `names` and the words of the abstract.
    var words: [String]
  }

  private static let entries: [Entry] = {
    let tables = pageLines(everydayWords) + pageLines(formerWords)
    func entry(_ name: String, _ call: String, _ abstract: String) -> Entry {
      let also = tables.filter { $0.page == name }.flatMap { WordSearch.words($0.text) }
      let names = WordSearch.words(name) + also
      let page = Page(call: call, abstract: abstract)
      return Entry(page: page, names: names, words: names + WordSearch.words(abstract))
    }
    let commands = HearthCommand.configuration.subcommands.map { type in
      entry(type._commandName, "hearth \(type._commandName)", type.configuration.abstract)
    }
    let others = pageLines(otherPages).map { line in
      // `hearthd(8)` is called `man 8 hearthd`.
      let parts = line.page.split { $0 == "(" || $0 == ")" }
      return entry(line.page, "man \(parts[1]) \(parts[0])", line.text)
    }
    return commands + others
  }()
}
