import Lights
import Testing

@Suite("The patterns")
struct PatternTests {
  @Test("have the times of the light language")
  func times() {
    func gym(_ pattern: Pattern) -> [Int] { signed(pattern.frames(.gym)) }
    func ward(_ pattern: Pattern) -> [Int] { signed(pattern.frames(.ward)) }
    #expect(gym(.heartbeat) == [100, -1900])
    #expect(ward(.heartbeat) == [100, -2900])
    #expect(gym(.calm) == [3000, -1000] && ward(.calm) == [3000, -1000])
    #expect(gym(.slow) == [1000, -1000])
    #expect(ward(.slow) == [200, -2800])
    #expect(gym(.code(2)) == [150, -350, 150, -2350])
    #expect(ward(.code(4)) == [150, -350, 150, -350, 150, -350, 150, -2350])
    #expect(signed(Pattern.locate.frames(.ward, axes: [.hub])) == [-350, 100, -550])
    #expect(signed(Pattern.locate.frames(.ward, axes: [.link])) == [-450, 100, -450])
    #expect(signed(Pattern.locate.frames(.ward, axes: [.store])) == [-550, 100, -350])
    #expect(signed(Pattern.locate.frames(.ward, axes: [.hub, .link, .store])) == [-350, 300, -350])
    #expect(Pattern.off.frames(.gym) == [Frame(on: false, milliseconds: nil)])
    #expect(Pattern.steady.frames(.gym) == [Frame(on: true, milliseconds: nil)])
  }

  @Test("on an LED that also stands for the hub, steady moves as a heartbeat does, the other way round")
  func steadyMovesWhereItMust() {
    #expect(signed(Pattern.steady.frames(.ward, axes: [.hub, .link, .store])) == [-100, 2900])
    #expect(signed(Pattern.steady.frames(.gym, axes: [.hub, .store])) == [-100, 1900])
    #expect(Pattern.steady.frames(.gym, axes: [.link, .store]) == [Frame(on: true, milliseconds: nil)])
  }

  static let moving: [Pattern] = [.heartbeat, .calm, .slow, .code(2), .code(3), .code(4), .locate]

  @Test(
    "never flash an LED, or the three of a chase together, more than three times in any second",
    arguments: LightLanguage.allCases)
  func photosensitivity(language: LightLanguage) {
    for pattern in Self.moving {
      #expect(mostPerSecond(onsets(pattern.frames(language))) <= 3, "\(pattern.name)")
    }
    let chase = Lamp.allCases.flatMap { onsets(Pattern.locate.frames(language, axes: [$0])) }.sorted()
    #expect(mostPerSecond(chase) <= 3)
  }

  @Test("on a ward repeat at no rate of a medical alarm, but for the flashes inside a counted code")
  func wardBands() {
    for pattern in Self.moving {
      let frames = pattern.frames(.ward)
      let starts = onsets(frames)
      let cycle = frames.reduce(0) { $0 + ($1.milliseconds ?? 0) }
      var repeated = [1000.0 / Double(cycle)]
      if case .code = pattern {
        #expect(starts.filter { $0 < cycle }.count <= 4, "a short count")
      } else {
        repeated += zip(starts, starts.dropFirst()).map { 1000.0 / Double($1 - $0) }
      }
      for rate in repeated { #expect(!isAlarmRate(rate), "\(pattern.name) at \(rate) Hz") }
    }
  }

  @Test("are one frame without an end if an LED is still, and end dark if it moves")
  func cyclesEndDark() {
    for language in LightLanguage.allCases {
      for pattern in Self.moving {
        let frames = pattern.frames(language)
        #expect(frames.count > 1 && frames.last?.on == false)
        #expect(frames.allSatisfy { ($0.milliseconds ?? 0) >= 80 })
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.on != $1.on })
      }
      for pattern in [Pattern.off, .steady, .wink, .frozen] { #expect(pattern.frames(language).count == 1) }
    }
  }

  /// Lit times positive, dark times negative.
  private func signed(_ frames: [Frame]) -> [Int] { frames.map { ($0.on ? 1 : -1) * ($0.milliseconds ?? 0) } }

  /// When the lamp lights up, over ten cycles, in milliseconds.
  private func onsets(_ frames: [Frame]) -> [Int] {
    var time = 0
    var onsets: [Int] = []
    for _ in 0..<10 {
      for frame in frames {
        if frame.on { onsets.append(time) }
        time += frame.milliseconds ?? 0
      }
    }
    return onsets
  }
}

/// The most onsets in any window of one second.
func mostPerSecond(_ onsets: [Int]) -> Int {
  onsets.map { start in onsets.filter { $0 >= start && $0 < start + 1000 }.count }.max() ?? 0
}

func isAlarmRate(_ rate: Double) -> Bool { (0.4...0.8).contains(rate) || (1.4...2.8).contains(rate) }
