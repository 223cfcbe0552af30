import Lights
import Reasons
import Testing

/// The light language written down a second time, by hand: what has to be shown when one thing is the case.
struct ExpectedRow: Sendable, CustomStringConvertible {
  let lamp: Lamp
  let precedence: Int
  let pattern: Pattern
  let reason: Reason?
  let cause: @Sendable (inout LightState) -> Void
  var description: String { "\(lamp.name) \(precedence) \(pattern.name)" }
}

private let expectedRows: [ExpectedRow] = [
  ExpectedRow(lamp: .hub, precedence: 2, pattern: .code(4), reason: .configReloadRefused) {
    $0.configInvalid = .configReloadRefused
  },
  ExpectedRow(lamp: .hub, precedence: 3, pattern: .code(3), reason: .clockUntrusted) { $0.clockTrusted = false },
  ExpectedRow(lamp: .hub, precedence: 4, pattern: .code(2), reason: .controllerSilent) {
    $0.radio = .recovering(.controllerSilent)
  },
  ExpectedRow(lamp: .hub, precedence: 5, pattern: .slow, reason: nil) { $0.phase = .starting },
  ExpectedRow(lamp: .hub, precedence: 7, pattern: .calm, reason: .updateReturned) { $0.update = .updateReturned },
  ExpectedRow(lamp: .hub, precedence: 9, pattern: .heartbeat, reason: nil) { _ in },
  ExpectedRow(lamp: .link, precedence: 2, pattern: .code(4), reason: .radioExhausted) {
    $0.radio = .gone(.radioExhausted)
  },
  ExpectedRow(lamp: .link, precedence: 3, pattern: .code(3), reason: .keyMissing) { $0.attention = .keyMissing },
  ExpectedRow(lamp: .link, precedence: 5, pattern: .code(2), reason: .slotsFull) { $0.slotsFullAndOverdue = true },
  ExpectedRow(lamp: .link, precedence: 6, pattern: .slow, reason: nil) { $0.enrolmentOpen = true },
  ExpectedRow(lamp: .link, precedence: 4, pattern: .calm, reason: .restRateBeyond) { $0.alert = .restRateBeyond },
  ExpectedRow(lamp: .link, precedence: 8, pattern: .steady, reason: nil) { $0.links = 1 },
  ExpectedRow(lamp: .link, precedence: 9, pattern: .off, reason: nil) { _ in },
  ExpectedRow(lamp: .store, precedence: 2, pattern: .code(4), reason: .storeFailing) {
    $0.storeFailing = .storeFailing
  },
  ExpectedRow(lamp: .store, precedence: 3, pattern: .code(3), reason: .storeBudgetExceeded) {
    $0.budgetExceeded = true
  },
  ExpectedRow(lamp: .store, precedence: 4, pattern: .code(2), reason: .storeEvicting) { $0.evictingUnexported = true },
  ExpectedRow(lamp: .store, precedence: 5, pattern: .slow, reason: nil) { $0.storeBusy = true },
  ExpectedRow(lamp: .store, precedence: 7, pattern: .calm, reason: .storeUnread) { $0.unread = .storeUnread },
  ExpectedRow(lamp: .store, precedence: 9, pattern: .off, reason: nil) { _ in },
]

private func serving(_ change: (inout LightState) -> Void = { _ in }) -> LightState {
  var state = LightState()
  state.phase = .serving
  change(&state)
  return state
}

@Suite("The arbiter")
struct LightTableTests {
  @Test(
    "each cause alone shows its own row on its own LED and leaves the other LEDs at rest", arguments: expectedRows)
  func alone(row: ExpectedRow) {
    for language in LightLanguage.allCases {
      let meanings = arbitrate(serving(row.cause), language)
      let rest = arbitrate(serving(), language)
      #expect(meanings.map(\.lamp) == [.hub, .link, .store])
      for lamp in Lamp.allCases {
        let meaning = meanings[lamp.rawValue]
        if lamp == row.lamp {
          #expect(
            meaning.pattern == row.pattern && meaning.precedence == row.precedence && meaning.reason == row.reason)
          #expect(!meaning.meaning.isEmpty && meaning.language == language)
        } else {
          #expect(meaning == rest[lamp.rawValue])
        }
      }
    }
  }

  @Test("of any two causes the lower number wins on a shared LED, and each shows on LEDs of their own")
  func pairs() {
    for first in expectedRows {
      for second in expectedRows {
        // The radio is in one state at a time.
        if case .code = first.pattern, case .code = second.pattern, isRadio(first), isRadio(second) { continue }
        let meanings = arbitrate(
          serving {
            first.cause(&$0)
            second.cause(&$0)
          }, .gym)
        for row in [first, second] {
          let rival = row.description == first.description ? second : first
          let winner = rival.lamp == row.lamp && rival.precedence < row.precedence ? rival : row
          let shown = meanings[row.lamp.rawValue]
          #expect(shown.precedence == winner.precedence && shown.pattern == winner.pattern, "\(first) with \(second)")
        }
      }
    }
  }

  private func isRadio(_ row: ExpectedRow) -> Bool { serving(row.cause).radio != .serving }

  @Test("with everything wrong at once each LED shows its worst, and locating is above it all")
  func everything() {
    let all = serving { state in for row in expectedRows { row.cause(&state) } }
    #expect(arbitrate(all, .ward).map(\.precedence) == [2, 2, 2])
    let located = serving { state in
      for row in expectedRows { row.cause(&state) }
      state.locate = true
    }
    #expect(arbitrate(located, .ward).map(\.pattern) == [.locate, .locate, .locate])
    #expect(arbitrate(located, .ward).map(\.precedence) == [0, 0, 0])
  }

  @Test("a fresh state is a hub that starts; starting and stopping are slow")
  func phases() {
    #expect(arbitrate(LightState(), .gym).map(\.pattern) == [.slow, .off, .off])
    #expect(arbitrate(serving { $0.phase = .stopping }, .gym)[0].pattern == .slow)
  }

  @Test("a pairing that waits for an answer looks like an open window: both wait for a person")
  func pairing() {
    #expect(
      arbitrate(serving { $0.pairingWaits = true }, .ward)[1]
        == arbitrate(serving { $0.enrolmentOpen = true }, .ward)[1])
    #expect(arbitrate(serving { $0.pairingWaits = true }, .ward)[1].pattern == .slow)
  }

  @Test("links are counted in words")
  func linksAreCounted() {
    #expect(arbitrate(serving { $0.links = 1 }, .gym)[1].meaning == "1 link; a dip is a finished visit")
    #expect(arbitrate(serving { $0.links = 5 }, .gym)[1].meaning == "5 links; a dip is a finished visit")
  }
}

@Suite("The legend")
struct LegendTests {
  @Test("has every row that can be shown, with the same pattern, and the two that only people see")
  func isTheSameTable() {
    for language in LightLanguage.allCases {
      let rows = legend(language)
      for row in expectedRows {
        #expect(
          rows.contains { $0.lamp == row.lamp && $0.precedence == row.precedence && $0.pattern == row.pattern },
          "\(row)")
      }
      #expect(rows.filter { $0.pattern == .locate }.count == 3)
      #expect(rows.filter { $0.pattern == .frozen }.map(\.lamp) == [.hub])
      #expect(rows.filter { $0.pattern == .wink }.map(\.lamp) == [.store])
      #expect(rows.count == expectedRows.count + 5)
      for lamp in Lamp.allCases {
        let numbers = rows.filter { $0.lamp == lamp }.map(\.precedence)
        #expect(
          numbers == numbers.sorted() && Set(numbers).count == numbers.count, "one number, one row, loudest first")
      }
    }
  }

  @Test("a row with a code names the block its reasons come from", arguments: expectedRows.filter { $0.reason != nil })
  func codesFit(row: ExpectedRow) throws {
    let reason = try #require(row.reason)
    let codes = try #require(legend(.gym).first { $0.lamp == row.lamp && $0.precedence == row.precedence }).codes
    #expect(
      codes.contains(reason.code) || codes.contains(reason.code.dropLast(2) + "xx"), "\(codes) for \(reason.code)")
  }

  @Test(
    "the card for the lid fits 80 columns, gives the timing of its language and, on a ward, says that it is no alarm")
  func card() {
    let gym = legendCard(.gym)
    let ward = legendCard(.ward)
    for line in (gym + ward).split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(gym.contains("100 ms on, 1900 ms off") && ward.contains("100 ms on, 2900 ms off"))
    #expect(gym.contains("2 x (150 ms on, 350 ms off), then 2 s dark"))
    #expect(gym.contains("hold 10 s    clean stop"))
    #expect(ward.contains("not an alarm") && !gym.contains("not an alarm"))
  }
}
