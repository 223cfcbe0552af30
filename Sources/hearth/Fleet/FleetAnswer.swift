// Answers of hubs, read from the output and the end of their ssh processes; and the exit code of all of them.

import Glibc
import HubProtocol
import Reasons

/// The answer of one hub.
struct FleetAnswer {
  let hub: String
  /// Exit code of the command on that hub, 0 to 7.
  var exit: Int32
  /// Document printed with `--json`; for a listing of lines, an array of them.
  var document: JSON?
  /// Text of standard output without `--json`.
  var text = ""
  /// Standard error beside an answer.
  var remarks = ""
  /// The reason if there is no answer, from ssh or from the hub itself.
  var reason: TroubleDocument?
  /// The state of the hub is unknown (H6040, H6041).
  var isWithout = false
}

/// Reads answers.
struct FleetReading {
  var kind: FleetKind
  /// The hubs were asked for JSON.
  var isJSON: Bool
  /// Seconds of waiting.
  var patience: Int64

  func answer(of hub: String, _ outcome: FleetOutcome) -> FleetAnswer {
    let errors = String(decoding: outcome.errors, as: UTF8.self)
    switch outcome.end {
    case .notStarted(let code):
      let why = String(cString: strerror(code))
      return unreachable(hub, code == ENOENT ? "ssh is not installed here" : "ssh cannot be started: \(why)")
    case .late:
      let words = lastLine(errors).map { ": \($0)" } ?? ""
      return unreachable(hub, "no answer within \(patience) s\(words)")
    case .killed(let signal): return unreachable(hub, "ssh was ended by signal \(signal)")
    case .exited(255): return unreachable(hub, sshWords(errors) ?? "ssh ended with 255 and no message")
    case .flooded: return unreadable(hub, "its answer is longer than the limit")
    case .exited(let status): return answer(of: hub, status, outcome.output, errors)
    }
  }

  private func answer(of hub: String, _ status: Int32, _ output: [UInt8], _ errors: String) -> FleetAnswer {
    var answer = FleetAnswer(hub: hub, exit: status)
    let refusal = trouble(errors)
    if status == 126 || status == 127 {
      return unreadable(hub, "hearth does not run there: \(lastLine(errors) ?? "exit code \(status)")")
    }
    // A hub with this command never gets wrong arguments, as this program has parsed them. Codes come from its daemon.
    if status == 2, output.isEmpty, refusal == nil {
      return unreadable(hub, "it does not know the command: \(firstLine(errors) ?? "exit code 2")")
    }
    if !(0...7).contains(status) { return unreadable(hub, "hearth ended with \(status): \(lastLine(errors) ?? "")") }
    answer.remarks = errors
    if !isJSON {
      answer.text = String(decoding: output, as: UTF8.self)
      return answer
    }
    if let document = document(output) {
      answer.document = document
      return answer
    }
    if output.isEmpty, status != 0, let refusal {
      answer.reason = refusal
      answer.remarks = ""
      return answer
    }
    if output.isEmpty, kind == .lines {
      answer.document = .array([])
      return answer
    }
    let begin = output.isEmpty ? "an empty answer" : "'\(String(decoding: output.prefix(60), as: UTF8.self))'"
    return unreadable(hub, "no document, but \(harmless(begin))")
  }

  /// Document of a command with `--json`: an object or a list of them. Any schema is accepted. Of a newer one, the
  /// known members are shown.
  private func document(_ output: [UInt8]) -> JSON? {
    if kind == .lines {
      var items: [JSON] = []
      for line in output.split(separator: 0x0A) {
        guard let item = try? JSON.parse(Array(line)), case .object = item else { return nil }
        items.append(item)
      }
      return items.isEmpty ? nil : .array(items)
    }
    guard let found = try? JSON.parse(output) else { return nil }
    let items: [JSON]
    switch found {
    case .object: items = [found]
    case .array(let all): items = all
    default: return nil
    }
    if !items.allSatisfy({ if case .object = $0 { true } else { false } }) { return nil }
    // A table needs some known member of each document.
    let isKnown =
      switch kind {
      case .status: items.count == 1 && found["phase"]?.text != nil
      case .devices: found == .array(items) && items.allSatisfy { $0["name"]?.text != nil }
      case .text, .lines: true
      }
    return isKnown ? found : nil
  }

  // MARK: Words

  /// A trouble from `H6008 control: what happened`, as the command prints it. A newer hub may have further codes.
  private func trouble(_ errors: String) -> TroubleDocument? {
    for line in errors.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, isCode(words[0]) else { continue }
      let parts = words[1].split(separator: ":", maxSplits: 1)
      let detail = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : String(words[1])
      if let reason = Reason(code: String(words[0])) { return TroubleDocument(HearthError(reason, clean(detail))) }
      let area = parts.count == 2 ? clean(String(parts[0])) : ""
      return TroubleDocument(
        code: String(words[0]), area: area, sentence: "", detail: clean(detail), effect: "", next: "")
    }
    return nil
  }

  private func isCode(_ word: Substring) -> Bool {
    word.utf8.count == 5 && word.utf8.first == 0x48 && word.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The line of ssh with the cause. A message about a changed host key has a frame of @ around it.
  private func sshWords(_ errors: String) -> String? {
    let lines = errors.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.hasPrefix("@@@") }
    let changed = lines.first { includes($0, "IDENTIFICATION HAS CHANGED") }
    if changed != nil { return "the host key has changed; \(clean(lines.last ?? ""))" }
    return lines.last.map(clean)
  }

  private func firstLine(_ text: String) -> String? { text.split(whereSeparator: \.isNewline).first.map { clean($0) } }
  private func lastLine(_ text: String) -> String? { text.split(whereSeparator: \.isNewline).last.map { clean($0) } }

  private func clean(_ text: some StringProtocol) -> String { harmless(String(text), limit: 256) }

  private func unreachable(_ hub: String, _ why: String) -> FleetAnswer { without(hub, .fleetUnreachable, why) }
  private func unreadable(_ hub: String, _ why: String) -> FleetAnswer { without(hub, .fleetAnswerUnreadable, why) }

  private func without(_ hub: String, _ reason: Reason, _ why: String) -> FleetAnswer {
    FleetAnswer(
      hub: hub, exit: reason.exitStatus, reason: TroubleDocument(HearthError(reason, "\(hub): \(why)")),
      isWithout: true)
  }
}

/// Exit code of all hubs: the most severe one. Unknown states come first: no answer (3), not allowed (4), not
/// understood (2). Then come refusals (7, 6, 5), and hubs that need attention (1).
func worstExit(_ codes: [Int32]) -> Int32 {
  let order: [Int32] = [3, 4, 2, 7, 6, 5, 1]
  return order.first { codes.contains($0) } ?? 0
}

extension FleetAnswer {
  var json: JSON {
    [
      "hub": .string(hub), "exit": .integer(Int64(exit)), "document": document ?? .null,
      "reason": reason.map { JSON(encoding: $0) } ?? .null,
    ]
  }
}
