// Board files: which line of which chip drives which lamp.
//
//     name: hearth-hat-1
//     chips: [pinctrl-bcm2711, pinctrl-rp1]     # labels as `gpiodetect` prints them, tried in order
//     lamps:
//       hub: {line: GPIO17}                     # names as `gpioinfo` prints them
//       link: {line: GPIO27, active_low: true}

public import Lights
public import Reasons

extension Board {
  /// Labels in one file; every Raspberry Pi that shares a header has one.
  static let chipLimit = 16

  /// Reads a board file.
  ///
  /// - Throws: `lightsBoardUnknown` if there is no such file; `configUnreadable`, `configSyntax`, `configUnknownKey` or `configBadValue`, with
  ///   the place in the file, for what is wrong in it.
  public static func load(path: String) throws(HearthError) -> Board {
    let bytes: [UInt8]
    do throws(HearthError) { bytes = try contents(of: path) } catch {
      throw error.detail.hasSuffix("no such file") ? HearthError(.lightsBoardUnknown, error.detail) : error
    }
    guard let root = try YAMLReader.read(bytes, file: path) else { throw HearthError(.configBadValue, "\(path): the file is empty") }
    let file = BoardFile(path: path)
    let top = try file.members(of: root, "the file", ["name", "chips", "lamps"])
    guard let name = top["name"], let chips = top["chips"], let lamps = top["lamps"] else {
      throw file.error(.configBadValue, root.mark, "a board needs 'name', 'chips' and 'lamps'")
    }
    return Board(name: try file.word(name, "a name"), chipLabels: try file.labels(chips), lines: try file.lines(lamps))
  }
}

private struct BoardFile {
  let path: String

  func error(_ reason: Reason, _ mark: Mark, _ problem: String) -> HearthError {
    HearthError(reason, "\(path):\(mark.line):\(mark.column): \(problem)")
  }

  /// The members of a mapping, all of them known.
  func members(of node: YAMLNode, _ what: String, _ known: [String]) throws(HearthError) -> [String: YAMLNode] {
    guard case .mapping(let entries) = node.content else { throw error(.configBadValue, node.mark, "\(what) holds keys, not \(node.described)") }
    var members: [String: YAMLNode] = [:]
    for entry in entries {
      if !known.contains(entry.key) {
        throw error(.configUnknownKey, entry.keyMark, "unknown key \(quoted(entry.key))\(hint(nearMiss(entry.key, among: known)))")
      }
      members[entry.key] = entry.value
    }
    return members
  }

  func labels(_ node: YAMLNode) throws(HearthError) -> [String] {
    guard case .sequence(let items) = node.content, (1...Board.chipLimit).contains(items.count) else {
      throw error(.configBadValue, node.mark, "chips is \(node.described), not a list of 1 to \(Board.chipLimit) chip labels")
    }
    var labels: [String] = []
    for item in items { labels.append(try word(item, "a chip label")) }
    return labels
  }

  func lines(_ node: YAMLNode) throws(HearthError) -> [Lamp: Board.LineSpec] {
    let lamps = try members(of: node, "'lamps'", Lamp.allCases.map(\.key))
    if lamps.isEmpty { throw error(.configBadValue, node.mark, "a board has at least one lamp") }
    var lines: [Lamp: Board.LineSpec] = [:]
    // In the order of the lamps, so that the first error does not depend on a hash.
    for lamp in Lamp.allCases {
      guard let node = lamps[lamp.key] else { continue }
      let line = try members(of: node, "'lamps.\(lamp.key)'", ["line", "active_low"])
      guard let name = line["line"] else { throw error(.configBadValue, node.mark, "lamps.\(lamp.key) needs a 'line'") }
      var spec = Board.LineSpec(name: try word(name, "a line name"))
      if let activeLow = line["active_low"] {
        switch activeLow.content {
        case .scalar("false", _): spec.activeLow = false
        case .scalar("true", _): spec.activeLow = true
        default: throw error(.configBadValue, activeLow.mark, "lamps.\(lamp.key).active_low is \(activeLow.described), not true or false")
        }
      }
      if let (other, _) = lines.first(where: { $0.value.name == spec.name }) {
        throw error(.configBadValue, name.mark, "line \(quoted(spec.name)) already drives \(other.key)")
      }
      lines[lamp] = spec
    }
    return lines
  }

  /// Kernel names: at most 31 bytes of printable ASCII (struct gpiochip_info and gpio_v2_line_info hold 32 with the final zero).
  func word(_ node: YAMLNode, _ what: String) throws(HearthError) -> String {
    guard case .scalar(let text, _) = node.content, (1...31).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw error(.configBadValue, node.mark, "\(node.described) is not \(what) of 1 to 31 characters")
    }
    return text
  }
}

extension Lamp {
  fileprivate var key: String { name.lowercased() }
}
