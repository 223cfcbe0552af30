// Check of the LEDs against the state of the world.

import Bluetooth
import EventLoop
import Hub
import Lights
import RingStore

/// Checks the LEDs in one life of a hub.
///
/// LEDs may lag: a code is held for 10 s, and a cycle takes up to 4 s before the next pattern. So a suspicious LED is
/// checked every second, and is a violation if it was never right within `patience`.
@LoopActor
final class LEDWatch {
  /// Number of checks.
  private(set) var looks = 0
  private static let patience: Duration = .seconds(20)

  private let loop: any Loop
  private let hearth: Hearth
  private let radio: any Radio
  private let radios: [VirtualRadio]
  private let store: Store
  private let lights: LightDriver
  private let report: @LoopActor (String) -> Void
  /// Time since which an LED has not been right, by its number.
  private var wrongSince: [Instant?] = Lamp.allCases.map { _ in nil }
  private var timer: LoopTimer?
  /// Samples deleted without an export, and the time when that was last seen.
  private var evictedUnexported: UInt64
  private var lostAt: Instant?

  init(
    _ hearth: Hearth, _ radio: any Radio, _ radios: [VirtualRadio], _ store: Store, _ lights: LightDriver,
    loop: any Loop,
    report: @escaping @LoopActor (String) -> Void
  ) {
    self.hearth = hearth
    self.radio = radio
    self.radios = radios
    self.store = store
    self.lights = lights
    self.loop = loop
    self.report = report
    evictedUnexported = store.status.evictedUnexported
  }

  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  func look() {
    looks += 1
    let meanings = lights.meanings
    // Locating overrides all other patterns.
    let isLocating = meanings.contains { $0.precedence == 0 }
    let row = storeRow()
    var isSuspicious = false
    for meaning in meanings {
      let place = meaning.lamp.rawValue
      guard !isLocating, let defect = defect(of: meaning, storeRow: row) else {
        wrongSince[place] = nil
        continue
      }
      isSuspicious = true
      let since = wrongSince[place] ?? loop.now
      wrongSince[place] = since
      guard loop.now - since > Self.patience else { continue }
      report(defect)
      wrongSince[place] = loop.now
    }
    if isSuspicious, timer == nil {
      timer = loop.schedule(after: .seconds(1)) { [weak self] in
        self?.timer = nil
        self?.look()
      }
    }
  }

  /// Defect of one LED's meaning; nil if it is right at this moment.
  private func defect(of meaning: LightMeaning, storeRow: Int) -> String? {
    switch meaning.lamp {
    case .hub:
      // 9: serving; 4: the radio is being recovered; 3: the clock is not plausible.
      let isServing = radio.state == .ready && !radio.facts.care.isRecovering
      let row = hearth.snapshot().clockIsPlausible ? isServing ? 9 : 4 : 3
      return meaning.precedence == row ? nil : "HUB says '\(meaning.meaning)', serving: \(isServing)"
    case .link:
      // 8: links are up. 9: no link. 6: an enrolment window. 5: a wearable is overdue, and each slot that it may use is
      // busy (those of the adapter of its bond, or all). 4: an alert that is not acknowledged. 3: a wearable needs an
      // operator, or is missing.
      let links = radios.reduce(0) { $0 + $1.openChannels.count }
      let isRight =
        switch meaning.precedence {
        case 8: links > 0
        // Links without data do not count for this LED.
        case 9: links == 0 || !hearth.wearables().contains { [.live, .identifying, .visiting].contains($0.state) }
        case 6: true
        case 5: radios.contains { $0.openChannels.count >= $0.options.slots }
        case 4: hearth.wearables().contains { !$0.alerts.isEmpty }
        case 3: hearth.wearables().contains { $0.state.needsPerson }
        default: false
        }
      return isRight ? nil : "LINK says '\(meaning.meaning)' with \(links) links"
    case .store:
      // 5: the store is packing.
      let isRight = meaning.precedence == storeRow || storeRow == 9 && [5, 8].contains(meaning.precedence)
      return isRight ? nil : "STORE says '\(meaning.meaning)', not row \(storeRow)"
    }
  }

  /// Expected row, from the store's own counters. 9: all is well; 3: over the budget; 4: samples were lost without an
  /// export, which is shown for a day of the hub's life.
  private func storeRow() -> Int {
    let status = store.status
    if status.evictedUnexported > evictedUnexported { lostAt = loop.now }
    evictedUnexported = status.evictedUnexported
    if status.wear.isOverBudget { return 3 }
    return lostAt.map { loop.now - $0 < .seconds(86_400) } ?? false ? 4 : 9
  }
}
