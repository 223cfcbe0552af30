// hearth-setup.yaml: the answers in a file, for a hub without a keyboard. Every person with a card reader can write it,
// so it is read strictly. Errors never quote its content, because a password may have got there.

public import Reasons
internal import SettingsText

/// Reader of hearth-setup.yaml.
public enum SetupFile {
  /// Maximum number of bytes: six short answers with generous comments.
  public static let sizeLimit = 64 << 10

  /// Reads the answers. `file` names the file in errors.
  ///
  /// - Returns: the answers, and all problems: `setupFileUnreadable` or `setupFileInvalid`, with line and column. If
  ///   there is a problem, no answer may be used.
  public static func read(_ bytes: [UInt8], file: String) -> (answers: SetupAnswers, problems: [HearthError]) {
    if bytes.count > sizeLimit {
      return (SetupAnswers(), [HearthError(.setupFileUnreadable, "\(file): larger than \(sizeLimit) bytes")])
    }
    let root: YAMLNode?
    do throws(HearthError) { root = try YAMLReader.read(bytes, file: file) } catch {
      return (SetupAnswers(), [HearthError(.setupFileInvalid, unquoting(error.detail))])
    }
    var reading = Reading(file: file)
    if let root, !root.isAbsent { reading.take(root) } else { reading.refuse(nil, "there is no answer in it") }
    return (reading.answers, reading.problems)
  }

  /// The bytes of a set-up file, at most one more than `sizeLimit`.
  ///
  /// - Throws: `setupFileUnreadable`.
  public static func bytes(of path: String) throws(HearthError) -> [UInt8] {
    do throws(HearthError) { return Array(try contents(of: path).prefix(sizeLimit + 1)) } catch {
      throw HearthError(.setupFileUnreadable, error.detail)
    }
  }

  /// Removes the only quotation that the YAML reader makes of the file: a key that is given twice.
  private static func unquoting(_ detail: String) -> String {
    guard detail.holds("is already given in line"), let quote = detail.firstIndex(of: "'"),
      let end = detail.lastIndex(of: "'"), quote < end
    else { return detail }
    return "\(detail[..<quote].dropLast(4))a key that\(detail[detail.index(after: end)...])"
  }

  private struct Reading {
    let file: String
    var answers = SetupAnswers()
    var problems: [HearthError] = []

    mutating func refuse(_ mark: Mark?, _ problem: String) {
      let place = mark.map { ":\($0.line):\($0.column)" } ?? ""
      problems.append(HearthError(.setupFileInvalid, "\(file)\(place): \(problem)"))
    }

    mutating func take(_ root: YAMLNode) {
      guard case .mapping(let entries) = root.content else { return refuse(root.mark, "the file holds no keys") }
      if entries.isEmpty { refuse(root.mark, "there is no answer in it") }
      for entry in entries {
        guard let question = SetupQuestion(rawValue: entry.key) else {
          let names = SetupQuestion.allCases.map(\.rawValue)
          let near = nearMiss(entry.key, among: names)
          refuse(entry.keyMark, "unknown key\(hint(near)); it takes \(names.joined(separator: ", "))")
          continue
        }
        if !take(question, entry.value) {
          refuse(entry.value.mark, "\(question.rawValue) is not \(question.expects)")
        }
      }
    }

    private mutating func take(_ question: SetupQuestion, _ node: YAMLNode) -> Bool {
      switch node.content {
      case .scalar(let text, _): return !node.isAbsent && answers.take(question, text)
      case .sequence(let items):
        if question != .users { return false }
        var names: [String] = []
        for item in items {
          guard case .scalar(let name, _) = item.content else { return false }
          names.append(name)
        }
        return answers.take(users: names)
      case .mapping: return false
      }
    }
  }
}
