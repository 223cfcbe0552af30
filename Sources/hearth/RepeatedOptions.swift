// Options with one value that are given twice. ArgumentParser would silently take the last one.

import ArgumentParser
import HubProtocol
import Reasons

/// Refuses a command line that gives an option with one value more than once.
///
/// - Parameter command: the parsed command of the line.
/// - Throws: `Misuse`.
func refuseRepeatedOptions(_ arguments: [String], of command: any ParsableCommand.Type) throws(Misuse) {
  let words = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }
  // The definitions are only read if a word can be there twice.
  if words.count < 2 { return }
  let options = singleOptions(of: command)
  var seen: Set<String> = []
  for word in words {
    let name = String(word.prefix { $0 != "=" })
    guard let option = options[name], !seen.insert(option).inserted else { continue }
    throw Misuse(error: HearthError(.controlBadParameter, "\(name) takes one value, and is given more than once"))
  }
}

/// Options with one value of a command and of the commands above it: each of their names, and the first of these names.
private func singleOptions(of command: any ParsableCommand.Type) -> [String: String] {
  var found: [String: String] = [:]
  for dump in [GlobalOptions._dumpHelp()] + commandPath(to: command).map({ $0._dumpHelp() }) {
    guard let definitions = try? JSON.parse(Array(dump.utf8)),
      case .array(let arguments)? = definitions["command"]?["arguments"]
    else { continue }
    for argument in arguments where argument["kind"]?.text == "option" && argument["isRepeating"]?.isTrue != true {
      guard case .array(let names)? = argument["names"] else { continue }
      let words = names.compactMap { name in
        name["name"]?.text.map { (name["kind"]?.text == "long" ? "--" : "-") + $0 }
      }
      for word in words { found[word] = words[0] }
    }
  }
  return found
}

/// The commands from the one below `hearth` down to this one.
private func commandPath(to command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
  func search(_ parent: any ParsableCommand.Type) -> [any ParsableCommand.Type]? {
    if parent == command { return [parent] }
    for child in parent.configuration.subcommands { if let rest = search(child) { return [parent] + rest } }
    return nil
  }
  return (search(HearthCommand.self) ?? []).filter { $0 != HearthCommand.self }
}
