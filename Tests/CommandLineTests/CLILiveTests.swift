import EventLoop
import HubProtocol
import StoreDocuments
import Testing

@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("What hearth live prints")
struct CLILiveTests {
  private func sample(
    _ series: String, _ value: JSON, unit: String = "", at milliseconds: Int64 = 0, period: Int64? = nil
  ) -> JSON {
    var members: [JSON.Member] = [
      .init("device", "insole-01"), .init("series", .string(series)),
      .init("time", .string((now + .milliseconds(milliseconds)).rfc3339)), .init("value", value),
    ]
    if !unit.isEmpty { members.append(.init("unit", .string(unit))) }
    if let period { members.append(.init("period_ns", .integer(period))) }
    return .object(members)
  }

  @Test("a number is printed when it comes")
  func number() {
    var lines = LiveLines(hubTime)
    #expect(
      lines.take(sample("heart_rate", 72, unit: "bpm"), at: 0)
        == "10:00:00.000   insole-01           heart_rate                    72 bpm\n")
    #expect(lines.rest() == "")
  }

  @Test("a vector has a line a second: the newest, foot by foot, and how many came")
  func vector() {
    var lines = LiveLines(hubTime)
    for index in 0..<21 {
      let values = JSON.array((0..<16).map { .integer(Int64($0 + 100 * index)) })
      #expect(lines.take(sample("foot_pressure", values, unit: "counts", at: Int64(index) * 50), at: 50) == "")
    }
    #expect(lines.due(1049) == "")
    #expect(
      lines.due(1050)
        == """
        10:00:01.000   insole-01           foot_pressure    \
        right 2000 2001 2002 2003 2004 2005 2006 2007  \
        left 2008 2009 2010 2011 2012 2013 2014 2015  counts  20/s

        """)
    // A second without any has no line.
    #expect(lines.due(5000) == "" && lines.rest() == "")
  }

  @Test("letters of components stand beside their numbers")
  func quaternion() {
    var lines = LiveLines(hubTime)
    let values = JSON.array([.decimal("0.1"), .decimal("-0.2"), 0, 1, 0, 0, 0, 0])
    #expect(lines.take(sample("orientation", values), at: 0) == "")
    #expect(lines.rest().hasSuffix("orientation      right x 0.1 y -0.2 z 0 w 1  left x 0 y 0 z 0 w 0\n"))
  }

  @Test("a waveform shows how far each component moved since the line before, and its rate as it says it")
  func waveform() {
    var lines = LiveLines(hubTime)
    func numbers(_ values: Int64...) -> JSON { .array(values.map { .integer($0) }) }
    let block = JSON.array([numbers(-3, 0, 990), numbers(4, 1, 1010)])
    _ = lines.take(sample("acc", block, unit: "mg", at: 0, period: 19_230_769), at: 0)
    _ = lines.take(sample("acc", .array([numbers(5, -7, 1000)]), unit: "mg", at: 38, period: 19_230_769), at: 38)
    #expect(lines.due(1000).hasSuffix("acc              x -3..5  y -7..1  z 990..1010  mg  52/s\n"))
    _ = lines.take(sample("ecg", numbers(-12, 350), unit: "uV", period: 7_692_308), at: 0)
    #expect(lines.rest().hasSuffix("ecg              -12..350  uV  130/s\n"))
  }

  @Test("a value has three digits behind the point at most, as people read it")
  func digits() {
    var lines = LiveLines(hubTime)
    #expect(lines.take(sample("rr_interval", .decimal("378.90625"), unit: "ms"), at: 0).hasSuffix(" 378.906 ms\n"))
    #expect(lines.take(sample("rr_interval", .decimal("380.0"), unit: "ms"), at: 0).hasSuffix(" 380 ms\n"))
  }

  @Test("what is no sample is shown as such and drives no terminal; no list grows without a bound")
  func hostile() {
    var lines = LiveLines(hubTime)
    #expect(lines.take([:], at: 0).contains("?"))
    let odd: JSON = ["device": "\u{1B}[2J", "series": "acc", "value": .array([.array([.string("x")]), .null])]
    _ = lines.take(odd, at: 0)
    let text = lines.rest()
    #expect(!text.unicodeScalars.contains("\u{1B}"))
    for index in 0..<10_000 { _ = lines.take(sample("acc", .array([.integer(Int64(index))]), period: 1), at: 0) }
    #expect(lines.rest().contains("0..9999"))
  }
}
