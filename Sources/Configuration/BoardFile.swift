// Board files: the GPIO chip and line of each LED, and of an optional button.
//
//     name: hearth-hat-1
//     chips: [pinctrl-bcm2711, pinctrl-rp1]     # labels as `gpiodetect` prints them, tried in order
//     lamps:
//       hub: {line: GPIO17}                     # names as `gpioinfo` prints them
//       link: {line: GPIO27, active_low: true}
//     dimmer: {line: GPIO23}                    # optional: dims all LEDs while it is active
//     button: {line: GPIO24, active_low: true}  # optional; `chip` if it is on another one

public import Lights
public import Reasons
internal import SettingsText

extension Board {
  /// Maximum number of chip labels in a file: each model of Raspberry Pi with the same header has its own label.
  static let chipLimit = 16

  /// Reads a board file.
  ///
  /// - Throws: `lightsBoardUnknown` for a missing file. `configUnreadable`, `configSyntax`, `configUnknownKey` or
  ///   `configBadValue` for an invalid one, with the place of the fault.
  public static func load(path: String) throws(HearthError) -> Board {
    let bytes: [UInt8]
    do throws(HearthError) { bytes = try contents(of: path) } catch {
      throw error.detail.hasSuffix("no such file") ? HearthError(.lightsBoardUnknown, error.detail) : error
    }
    guard let root = try YAMLReader.read(bytes, file: path) else {
      throw HearthError(.configBadValue, "\(path): the file is empty")
    }
    let file = BoardFile(path: path)
    let top = try file.members(of: root, "the file", ["name", "chips", "lamps", "dimmer", "button"])
    guard let name = top["name"], let chips = top["chips"], let lamps = top["lamps"] else {
      throw file.error(.configBadValue, root.mark, "a board needs 'name', 'chips' and 'lamps'")
    }
    var board = Board(
      name: try file.word(name, "a name"), chipLabels: try file.labels(chips), lines: try file.lines(lamps))
    if let dimmer = top["dimmer"] {
      let spec = try file.spec(dimmer, "dimmer")
      try file.refuseDouble(spec, dimmer, board)
      board.dimmer = spec
    }
    if let button = top["button"] { board.button = try file.button(button, board) }
    return board
  }
}

extension Board {
  /// The configured board; nil: the hub has no LEDs. A missing board is a failure in the result and not thrown, because
  /// the hub works without LEDs too. The failure is reported, and the LEDs stay dark.
  ///
  /// - Throws: the fault of an existing board file.
  public static func wanted(by configuration: Configuration) throws(HearthError) -> Result<Board, HearthError>? {
    guard let path = configuration.boardFile else { return nil }
    do throws(HearthError) { return .success(try load(path: path)) } catch {
      if error.reason == .lightsBoardUnknown { return .failure(error) }
      throw error
    }
  }
}

private struct BoardFile {
  let path: String

  func error(_ reason: Reason, _ mark: Mark, _ problem: String) -> HearthError {
    HearthError(reason, "\(path):\(mark.line):\(mark.column): \(problem)")
  }

  /// The members of a mapping. An unknown member is an error.
  func members(of node: YAMLNode, _ what: String, _ known: [String]) throws(HearthError) -> [String: YAMLNode] {
    guard case .mapping(let entries) = node.content else {
      throw error(.configBadValue, node.mark, "\(what) holds keys, not \(node.described)")
    }
    var members: [String: YAMLNode] = [:]
    for entry in entries {
      if !known.contains(entry.key) {
        throw error(
          .configUnknownKey, entry.keyMark, "unknown key \(quoted(entry.key))\(hint(nearMiss(entry.key, among: known)))"
        )
      }
      members[entry.key] = entry.value
    }
    return members
  }

  func labels(_ node: YAMLNode) throws(HearthError) -> [String] {
    guard case .sequence(let items) = node.content, (1...Board.chipLimit).contains(items.count) else {
      throw error(
        .configBadValue, node.mark, "chips is \(node.described), not a list of 1 to \(Board.chipLimit) chip labels")
    }
    var labels: [String] = []
    for item in items { labels.append(try word(item, "a chip label")) }
    return labels
  }

  func lines(_ node: YAMLNode) throws(HearthError) -> [Lamp: Board.LineSpec] {
    let lamps = try members(of: node, "'lamps'", Lamp.allCases.map(\.key))
    if lamps.isEmpty { throw error(.configBadValue, node.mark, "a board has at least one lamp") }
    var lines: [Lamp: Board.LineSpec] = [:]
    // The order of the LEDs keeps the first error independent of hash order.
    for lamp in Lamp.allCases {
      guard let node = lamps[lamp.key] else { continue }
      let spec = try self.spec(node, "lamps.\(lamp.key)")
      if let (other, _) = lines.first(where: { $0.value.name == spec.name }) {
        throw error(.configBadValue, mark(ofLine: node), "line \(quoted(spec.name)) already drives \(other.key)")
      }
      lines[lamp] = spec
    }
    return lines
  }

  /// A line with its name and polarity.
  func spec(_ node: YAMLNode, _ what: String, _ more: [String] = []) throws(HearthError) -> Board.LineSpec {
    let line = try members(of: node, "'\(what)'", ["line", "active_low"] + more)
    guard let name = line["line"] else { throw error(.configBadValue, node.mark, "\(what) needs a 'line'") }
    var spec = Board.LineSpec(name: try word(name, "a line name"))
    if let activeLow = line["active_low"] {
      switch activeLow.content {
      case .scalar("false", _): spec.activeLow = false
      case .scalar("true", _): spec.activeLow = true
      default:
        throw error(.configBadValue, activeLow.mark, "\(what).active_low is \(activeLow.described), not true or false")
      }
    }
    return spec
  }

  func button(_ node: YAMLNode, _ board: Board) throws(HearthError) -> Board.ButtonSpec {
    let spec = try spec(node, "button", ["chip"])
    guard let chip = try members(of: node, "'button'", ["line", "active_low", "chip"])["chip"] else {
      // The button is on the LEDs' chip, so it may not share a line with them.
      try refuseDouble(spec, node, board)
      return Board.ButtonSpec(line: spec)
    }
    return Board.ButtonSpec(chipLabel: try word(chip, "a chip label"), line: spec)
  }

  /// - Throws: `configBadValue` for a line that an LED or the dimmer uses already.
  func refuseDouble(_ spec: Board.LineSpec, _ node: YAMLNode, _ board: Board) throws(HearthError) {
    let lamp = Lamp.allCases.first { board.lines[$0]?.name == spec.name }?.key
    let other = lamp ?? (board.dimmer?.name == spec.name ? "dimmer" : nil)
    if let other {
      throw error(.configBadValue, mark(ofLine: node), "line \(quoted(spec.name)) already drives \(other)")
    }
  }

  private func mark(ofLine node: YAMLNode) -> Mark {
    if case .mapping(let entries) = node.content, let entry = entries.first(where: { $0.key == "line" }) {
      return entry.value.mark
    }
    return node.mark
  }

  /// Kernel names: at most 31 bytes of printable ASCII (struct gpiochip_info and gpio_v2_line_info hold 32 with the
  /// final zero).
  func word(_ node: YAMLNode, _ what: String) throws(HearthError) -> String {
    guard case .scalar(let text, _) = node.content, (1...31).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw error(.configBadValue, node.mark, "\(node.described) is not \(what) of 1 to 31 characters")
    }
    return text
  }
}

extension Lamp {
  fileprivate var key: String { name.lowercased() }
}
