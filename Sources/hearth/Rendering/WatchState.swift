// State of a full-screen view: the hub's documents, and the reader's page, row and filter. Values, with the changes by
// keys and replies.

import HubProtocol
import Reasons

/// The hub's documents, as received so far.
struct WatchModel {
  private(set) var status: StatusDocument?
  private(set) var radio: RadioDocument?
  private(set) var lights: LightsDocument?
  private(set) var devices: [DeviceDocument] = []
  private(set) var visits: [VisitDocument] = []
  private(set) var events: [EventDocument] = []
  /// Hub time since which no daemon answers; nil while one does.
  var downSince: String?

  /// Applies a view. Members that are null, and devices that it does not name, stay as they were.
  mutating func apply(_ view: ViewDocument) {
    status = view.status ?? status
    radio = view.radio ?? radio
    lights = view.lights ?? lights
    visits = view.visits ?? visits
    events = view.events ?? events
    var known = [String: DeviceDocument](devices.map { ($0.address, $0) }, uniquingKeysWith: { $1 })
    for device in view.devices { known[device.address] = device }
    devices = (view.order ?? devices.map(\.address)).compactMap { known[$0] }
  }

  /// A new daemon sends everything again.
  mutating func forget() { self = WatchModel() }

  /// Order: wearables that need a person, present ones with a trouble, other present ones, absent ones, unknown ones.
  /// Within each group the hub's order by name counts.
  func shown(_ filter: String) -> [DeviceDocument] {
    let wanted = filter.lowercased()
    let found =
      wanted.isEmpty
      ? devices : devices.filter { includes("\($0.name) \($0.kind) \($0.state)".lowercased(), wanted) }
    func place(_ device: DeviceDocument) -> Int {
      needsPerson(device) ? 0 : !device.enrolled ? 4 : !isPresent(device) ? 3 : device.reason != nil ? 1 : 2
    }
    return (0...4).flatMap { wanted in found.filter { place($0) == wanted } }
  }
}

/// A key of the terminal.
enum WatchKey: Equatable {
  case character(Character)
  case up, down, pageUp, pageDown, home, end, enter, escape, backspace

  /// Takes keys from the front of the input. An incomplete escape sequence stays, unless `all`.
  static func take(from bytes: inout [UInt8], all: Bool = false) -> [WatchKey] {
    var keys: [WatchKey] = []
    while let first = bytes.first {
      if first == 0x1B {
        guard let (key, length) = sequence(bytes[...]) else {
          if !all { break }
          keys.append(.escape)
          bytes.removeFirst()
          continue
        }
        if let key { keys.append(key) }
        bytes.removeFirst(length)
        continue
      }
      bytes.removeFirst()
      switch first {
      case 0x0D, 0x0A: keys.append(.enter)
      case 0x7F, 0x08: keys.append(.backspace)
      case 0x20..<0x7F: keys.append(.character(Character(UnicodeScalar(first))))
      case 0xC2...0xF4:
        let length = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        let scalar = [first] + bytes.prefix(length)
        bytes.removeFirst(min(length, bytes.count))
        if let character = String(decoding: scalar, as: UTF8.self).first { keys.append(.character(character)) }
      default: break
      }
    }
    return keys
  }

  /// The sequence at the front and its length, without a key if it has no meaning here. nil: incomplete.
  private static func sequence(_ bytes: ArraySlice<UInt8>) -> (key: WatchKey?, length: Int)? {
    if bytes.count < 2 { return nil }
    // Two keys: Escape, and another one.
    if bytes[1] != UInt8(ascii: "[") && bytes[1] != UInt8(ascii: "O") { return (.escape, 1) }
    // No terminal sends more than a dozen bytes for a key.
    guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return bytes.count > 16 ? (nil, bytes.count) : nil
    }
    let key: WatchKey? =
      switch String(decoding: bytes[2...end], as: UTF8.self) {
      case "A": .up
      case "B": .down
      case "5~": .pageUp
      case "6~": .pageDown
      case "H", "1~", "7~": .home
      case "F", "4~", "8~": .end
      default: nil
      }
    return (key, end + 1)
  }
}

enum WatchPage: Equatable {
  case overview, devices, visits, store, radio, lights, enrolment, help
  case explain(String)

  /// The page for a letter.
  init?(_ letter: Character) {
    switch letter {
    case "d": self = .devices
    case "v": self = .visits
    case "s": self = .store
    case "r": self = .radio
    case "l": self = .lights
    case "e": self = .enrolment
    case "?", "h": self = .help
    default: return nil
    }
  }

  /// True if rows are wearables, one of which is selected.
  var hasRows: Bool { self == .overview || self == .devices }
}

/// Position of the reader.
struct WatchReader: Equatable {
  var page = WatchPage.overview
  /// Address of the selected wearable.
  var selected: String?
  /// Index of the first shown row or line.
  var top = 0
  var filter = ""
  var isTyping = false
  /// False in a ticket, in which no row can be selected.
  var marksSelected = true
  /// Rows of the screen in the last frame: the distance of a page key.
  var rows = 10

  /// Returns whether the view goes on.
  mutating func take(_ key: WatchKey, _ model: WatchModel) -> Bool {
    if isTyping {
      type(key)
      return true
    }
    switch key {
    case .up, .character("k"): move(-1, model)
    case .down, .character("j"): move(1, model)
    case .pageUp: move(-max(1, rows - 1), model)
    case .pageDown, .character(" "): move(max(1, rows - 1), model)
    case .home, .character("g"): move(-1_000_000, model)
    case .end, .character("G"): move(1_000_000, model)
    case .escape, .backspace:
      if page == .overview { filter = "" }
      show(.overview)
    case .character("q"): return false
    case .character("/"):
      if !page.hasRows { show(.overview) }
      isTyping = true
    case .enter, .character("x"):
      if case .explain = page { show(.overview) } else if let code = code(model) { show(.explain(code)) }
    case .character(let letter):
      if let wanted = WatchPage(letter) { show(wanted == page ? .overview : wanted) }
    }
    return true
  }

  /// Code of the selected wearable, else of the hub's first trouble.
  private func code(_ model: WatchModel) -> String? {
    let row = page.hasRows ? selection(model)?.reason?.code : nil
    return row ?? model.status?.attention.first { $0.device == nil }?.reason.code
      ?? model.status?.attention.first?.reason.code
  }

  func selection(_ model: WatchModel) -> DeviceDocument? {
    let shown = model.shown(filter)
    return shown.first { $0.address == selected } ?? shown.first
  }

  private mutating func show(_ wanted: WatchPage) { (page, top) = (wanted, 0) }

  private mutating func type(_ key: WatchKey) {
    switch key {
    case .enter: isTyping = false
    case .escape: (isTyping, filter) = (false, "")
    case .backspace: if filter.isEmpty { isTyping = false } else { filter.removeLast() }
    case .character(let character) where filter.count < 32: filter.append(character)
    default: break
    }
    top = 0
  }

  private mutating func move(_ by: Int, _ model: WatchModel) {
    guard page.hasRows else {
      top = max(0, top + by)
      return
    }
    let shown = model.shown(filter)
    if shown.isEmpty { return }
    let at = shown.firstIndex { $0.address == selected } ?? 0
    selected = shown[min(shown.count - 1, max(0, at + by))].address
  }
}
