import EventLoop
import Foundation
import Lights
import Reasons
import Testing

/// True in the lab: this process is root there, on a kernel with gpio-sim.
private let isLab = ProcessInfo.processInfo.environment["HEARTH_LAB"] != nil

@Suite("GPIO lines of a real kernel", .enabled(if: isLab), .serialized)
struct GPIOKernelLabTests {
  @Test("a board is found by chip label and line name, and its LEDs follow, active-low ones inverted")
  func drives() throws {
    let chip = try SimulatedChip(label: "hearth-sim-a", lines: [4: "GPIO17", 9: "GPIO27", 11: "GPIO22"])
    let board = Board(
      name: "sim", chipLabels: ["not-here", "hearth-sim-a"],
      lines: [
        .hub: .init(name: "GPIO17"), .link: .init(name: "GPIO27", activeLow: true), .store: .init(name: "GPIO22"),
      ])
    try EpollLoop.run { _ in
      let pins = try GPIOPins(board)
      #expect(pins.lamps == Set(Lamp.allCases))
      #expect(try chip.values(4, 9, 11) == [0, 1, 0], "all dark: an active-low line is high")
      pins.set(.hub, true)
      pins.set(.link, true)
      #expect(try chip.values(4, 9, 11) == [1, 0, 0])
      pins.set(.hub, false)
      pins.set(.store, true)
      #expect(try chip.values(4, 9, 11) == [0, 0, 1])
      #expect(pins.trouble == nil)
      pins.close()
      pins.set(.hub, true)
      #expect(try chip.value(4) == 0, "nothing moves after close")
    }
  }

  @Test("the heartbeat is seen on the line, and LINK and STORE with it")
  func heartbeat() throws {
    let chip = try SimulatedChip(label: "hearth-sim-b", lines: [0: "GPIO17", 1: "GPIO27", 2: "GPIO22"])
    let board = Board(
      name: "sim", chipLabels: ["hearth-sim-b"],
      lines: [.hub: .init(name: "GPIO17"), .link: .init(name: "GPIO27"), .store: .init(name: "GPIO22")])
    let seen = try EpollLoop.run { loop in
      let driver = LightDriver(loop: loop, pins: try GPIOPins(board), language: .gym)
      var state = LightState()
      state.phase = .serving
      state.links = 1
      driver.show(state)
      var levels: [Int] = []
      let start = loop.now
      while loop.now - start < .milliseconds(4500) {
        levels.append(try chip.value(0))
        #expect(try chip.value(1) == 1)
        try await loop.sleep(for: .milliseconds(20))
      }
      driver.stop()
      #expect(try chip.values(0, 1, 2) == [0, 0, 0])
      return levels
    }
    let rises = zip(seen, seen.dropFirst()).filter { $0 == 0 && $1 == 1 }.count + (seen.first == 1 ? 1 : 0)
    #expect(rises == 3, "beats at 0, 2 and 4 s: \(seen)")
    #expect(seen.filter { $0 == 1 }.count < seen.count / 4)
  }

  @Test("a missing chip, a missing line and a line in use are distinguished")
  func refusals() throws {
    let chip = try SimulatedChip(label: "hearth-sim-c", lines: [0: "GPIO17", 1: "GPIO27"])
    func board(_ label: String, _ lines: [Lamp: String]) -> Board {
      Board(name: "sim", chipLabels: [label], lines: lines.mapValues { Board.LineSpec(name: $0) })
    }
    try EpollLoop.run { _ in
      @LoopActor func refusal(_ board: Board) -> Reason? {
        do throws(HearthError) {
          try GPIOPins(board).close()
          return nil
        } catch { return error.reason }
      }
      #expect(refusal(board("hearth-sim", [.hub: "GPIO17"])) == .lightsChipMissing)
      #expect(refusal(board("hearth-sim-c", [.hub: "GPIO17", .store: "GPIO22"])) == .lightsLineMissing)
      #expect(refusal(board("hearth-sim-c", [.hub: "GPIO17", .store: "GPIO27"])) == nil, "a line that is listed")
      #expect(refusal(board("hearth-sim-c", [:])) == .lightsBoardUnknown)
      let holder = try GPIOPins(board("hearth-sim-c", [.link: "GPIO27"]))
      #expect(refusal(board("hearth-sim-c", [.hub: "GPIO17", .link: "GPIO27"])) == .lightsLineBusy)
      #expect(refusal(board("hearth-sim-c", [.hub: "GPIO17"])) == nil, "a refused request holds nothing")
      holder.close()
      #expect(refusal(board("hearth-sim-c", [.hub: "GPIO17", .link: "GPIO27"])) == nil)
      withExtendedLifetime(chip) {}
    }
  }

  @Test("pins that no object holds any more give their lines back")
  func released() throws {
    let chip = try SimulatedChip(label: "hearth-sim-d", lines: [0: "GPIO17"])
    let board = Board(name: "sim", chipLabels: ["hearth-sim-d"], lines: [.hub: .init(name: "GPIO17")])
    try EpollLoop.run { _ in
      for _ in 0..<3 { try GPIOPins(board).set(.hub, true) }
      withExtendedLifetime(chip) {}
    }
  }

  @Test("a dimmer's line follows the night, and is given back with the LEDs")
  func dims() throws {
    let chip = try SimulatedChip(label: "hearth-sim-e", lines: [0: "GPIO17", 1: "GPIO23"])
    let board = Board(
      name: "sim", chipLabels: ["hearth-sim-e"], lines: [.hub: .init(name: "GPIO17")], dimmer: .init(name: "GPIO23"))
    try EpollLoop.run { _ in
      let pins = try GPIOPins(board)
      #expect(pins.canDim)
      pins.dim(true)
      pins.set(.hub, true)
      #expect(try chip.values(0, 1) == [1, 1])
      pins.dim(false)
      #expect(try chip.values(0, 1) == [1, 0])
      #expect(pins.trouble == nil)
      pins.close()
    }
  }

  @Test("a press on the line is a press, a hold a hold; active-low and active-high", arguments: [true, false])
  func button(activeLow: Bool) throws {
    let label = "hearth-sim-f\(activeLow ? 1 : 0)"
    let chip = try SimulatedChip(label: label, lines: [0: "GPIO17", 3: "GPIO24"])
    let board = Board(
      name: "sim", chipLabels: [label], lines: [.hub: .init(name: "GPIO17")],
      button: .init(line: .init(name: "GPIO24", activeLow: activeLow)))
    func press(_ isDown: Bool) throws { try chip.pull(3, up: isDown != activeLow) }
    try press(false)
    try EpollLoop.run { loop in
      var given: [ButtonAction] = []
      let pins = try GPIOPins(board)
      let button = try GPIOButton(board, loop: loop) { given.append($0) }
      try press(true)
      try await loop.sleep(for: .milliseconds(200))
      try press(false)
      try await loop.sleep(for: .milliseconds(200))
      #expect(given == [.openEnrolment])
      try press(true)
      try await loop.sleep(for: .milliseconds(3500))
      try press(false)
      try await loop.sleep(for: .milliseconds(200))
      #expect(given == [.openEnrolment, .locate])
      button.close()
      try press(true)
      try await loop.sleep(for: .milliseconds(3500))
      #expect(given.count == 2, "nothing is told after close")
      pins.close()
    }
  }

  @Test("a line that never rests wakes the loop no more often than it is debounced")
  func restless() throws {
    let chip = try SimulatedChip(label: "hearth-sim-g", lines: [0: "GPIO17", 1: "GPIO24"])
    let board = Board(
      name: "sim", chipLabels: ["hearth-sim-g"], lines: [.hub: .init(name: "GPIO17")],
      button: .init(line: .init(name: "GPIO24")))
    try chip.pull(1, up: false)
    try EpollLoop.run { loop in
      var given: [ButtonAction] = []
      let button = try GPIOButton(board, loop: loop) { given.append($0) }
      for index in 0..<500 {
        try chip.pull(1, up: index % 2 == 0)
        if index % 10 == 9 { try await loop.sleep(for: .milliseconds(1)) }
      }
      try await loop.sleep(for: .milliseconds(100))
      #expect(
        given.isEmpty && loop.statistics.wakeUps < 250,
        "\(loop.statistics.wakeUps) for 500 edges, 50 of them our own sleeps")
      button.close()
    }
  }

  @Test("a button's missing chip, missing line and line in use are distinguished")
  func buttonRefusals() throws {
    let chip = try SimulatedChip(label: "hearth-sim-h", lines: [0: "GPIO17"])
    try EpollLoop.run { loop in
      @LoopActor func refusal(_ button: Board.ButtonSpec?) -> Reason? {
        do throws(HearthError) {
          try GPIOButton(Board(name: "sim", chipLabels: ["hearth-sim-h"], lines: [:], button: button), loop: loop) {
            _ in
          }.close()
          return nil
        } catch { return error.reason }
      }
      #expect(refusal(nil) == .lightsBoardUnknown)
      #expect(refusal(.init(chipLabel: "elsewhere", line: .init(name: "GPIO17"))) == .lightsChipMissing)
      #expect(refusal(.init(line: .init(name: "GPIO99"))) == .lightsLineMissing)
      let pins = try GPIOPins(Board(name: "sim", chipLabels: ["hearth-sim-h"], lines: [.hub: .init(name: "GPIO17")]))
      #expect(refusal(.init(line: .init(name: "GPIO17"))) == .lightsLineBusy)
      pins.close()
      #expect(refusal(.init(chipLabel: "hearth-sim-h", line: .init(name: "GPIO17"))) == nil)
      withExtendedLifetime(chip) {}
    }
  }
}

/// A chip of the kernel's gpio-sim, made through configfs and removed with this object.
private final class SimulatedChip: Sendable {
  private let folder: String
  private let device: String

  init(label: String, lines: [Int: String]) throws {
    folder = "/sys/kernel/config/gpio-sim/\(label)"
    let bank = "\(folder)/bank0"
    try FileManager.default.createDirectory(atPath: bank, withIntermediateDirectories: true)
    try Self.write("\((lines.keys.max() ?? 0) + 1)", "\(bank)/num_lines")
    try Self.write(label, "\(bank)/label")
    for (offset, name) in lines {
      try FileManager.default.createDirectory(atPath: "\(bank)/line\(offset)", withIntermediateDirectories: true)
      try Self.write(name, "\(bank)/line\(offset)/name")
    }
    try Self.write("1", "\(folder)/live")
    device = try "/sys/devices/platform/\(Self.read("\(folder)/dev_name"))/\(Self.read("\(bank)/chip_name"))"
  }

  deinit {
    try? Self.write("0", "\(folder)/live")
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/bank0")) ?? []
    where name.hasPrefix("line") {
      rmdir("\(folder)/bank0/\(name)")
    }
    rmdir("\(folder)/bank0")
    rmdir(folder)
  }

  /// The electrical level, whatever the line's active-low flag.
  func value(_ offset: Int) throws -> Int { try Int(Self.read("\(device)/sim_gpio\(offset)/value")) ?? -1 }
  func values(_ offsets: Int...) throws -> [Int] { try offsets.map { try value($0) } }

  /// Drives an input line from outside.
  func pull(_ offset: Int, up: Bool) throws {
    try Self.write(up ? "pull-up" : "pull-down", "\(device)/sim_gpio\(offset)/pull")
  }

  // Plain writes: a configfs attribute cannot be replaced, only written.
  private static func write(_ text: String, _ path: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: path), "cannot write \(path)")
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private static func read(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
