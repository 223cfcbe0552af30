import Health
import Testing

@testable import Drawing

private let second: Int64 = 1_000_000
/// 2026-11-23 10:00 UTC.
private let start: Int64 = 1_795_428_000 * second

private func curve(_ values: [(Int64, Double)], seconds: Int64, columns: Int) -> CurveColumns {
  var curve = CurveColumns(start..<(start + seconds * second), columns: columns)
  for (time, value) in values { curve.add(start + time * second, value) }
  return curve
}

private func drawn(_ curve: CurveColumns, _ style: ChartStyle, unit: String = "bpm") -> String {
  TerminalChart(curve.span, low: curve.low, high: curve.high, unit: unit, zone: .utc, style: style)
    .draw(curve, bridge: 3 * second).joined(separator: "\n")
}

struct ChartTests {
  private let ramp: [(Int64, Double)] = (0..<60).map { (second: Int) -> (Int64, Double) in
    (Int64(second), Double(second < 30 ? 60 + second : 120 - second))
  }

  @Test func `a curve in braille has axes, a unit and times`() {
    let style = ChartStyle(width: 40, height: 4)
    let text = drawn(curve(ramp, seconds: 60, columns: TerminalChart.columns(style)), style)
    #expect(text == Frames.ramp)
  }

  @Test func `a curve in ASCII is the same shape`() {
    let style = ChartStyle(width: 40, height: 4, isASCII: true)
    let text = drawn(curve(ramp, seconds: 60, columns: TerminalChart.columns(style)), style)
    #expect(text == Frames.rampASCII)
    #expect(text.utf8.count == text.count)
  }

  @Test func `a gap is left blank and never bridged`() {
    let style = ChartStyle(width: 40, height: 4)
    let values = ramp.filter { $0.0 < 15 || $0.0 >= 40 }
    #expect(drawn(curve(values, seconds: 60, columns: TerminalChart.columns(style)), style) == Frames.gap)
  }

  @Test func `one value, equal values, no value, and what is no number are drawn`() {
    let style = ChartStyle(width: 30, height: 3)
    let columns = TerminalChart.columns(style)
    #expect(drawn(curve([(30, 72)], seconds: 60, columns: columns), style) == Frames.one)
    let flat = (0..<60).map { (Int64($0), 72.0) }
    #expect(drawn(curve(flat, seconds: 60, columns: columns), style) == Frames.flat)
    let none = curve([(1, .nan), (2, .infinity), (3, 1e200), (90, 5)], seconds: 60, columns: columns)
    #expect(none.count == 0 && none.low == nil && none.mean == nil)
    #expect(drawn(none, style).split(separator: "\n").count == 6)
  }

  @Test func `of a million values no peak is lost, in whatever order they come`() {
    var forth = CurveColumns(start..<(start + 1_000_000), columns: 150)
    var back = forth
    for index in 0..<1_000_000 {
      forth.add(start + Int64(index), index == 654_321 ? 190 : 70)
      back.add(start + Int64(999_999 - index), index == 999_999 - 654_321 ? 190 : 70)
    }
    #expect(forth.columns == back.columns)
    #expect(forth.columns[98]?.high == 190)
    #expect(forth.columns.compactMap { $0 }.count { $0.high == 190 } == 1)
    #expect(forth.runs(bridge: 10_000).count == 1)
  }

  @Test(arguments: [20, 40, 80, 200])
  func `no line is wider than it may be`(width: Int) {
    for isASCII in [false, true] {
      let style = ChartStyle(width: width, height: 8, isASCII: isASCII)
      let text = drawn(curve(ramp, seconds: 86_400, columns: TerminalChart.columns(style)), style, unit: "1e-7 deg")
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= width })
    }
  }

  @Test func `bars are as long as what they show, and a small value is never empty`() {
    let bars = Bars(isASCII: false)
    #expect(bars.amount(50, of: 100, width: 10) == "█████")
    #expect(bars.amount(1, of: 1_000_000, width: 10) == "▏")
    #expect(bars.amount(200, of: 100, width: 10) == "██████████")
    #expect(bars.amount(0, of: 100, width: 10) == "" && bars.amount(.nan, of: 1, width: 10) == "")
    #expect(Bars(isASCII: true).amount(33, of: 100, width: 10) == "###")
    let axis = NumberAxis(from: 40, to: 160, marks: 3)
    #expect(bars.range(60, 72, 130, on: axis, width: 21) == "      ━●━━━━━━       ")
  }

  @Test func `a strip hides no gap and invents no gap`() {
    let bars = Bars(isASCII: false)
    #expect(bars.strip([0..<1000], of: 0..<1000, width: 5) == "█████")
    #expect(bars.strip([0..<399, 400..<1000], of: 0..<1000, width: 5) == "█▓███")
    #expect(bars.strip([0..<200, 790..<1000], of: 0..<1000, width: 5) == "█··▒█")
    #expect(bars.strip([], of: 0..<1000, width: 5) == "·····")
    #expect(Bars(isASCII: true).strip([0..<200, 300..<790], of: 0..<1000, width: 5) == "#-#+.")
    // Spans that reach beyond are cut, as far as numbers go.
    #expect(bars.strip([Int64.min..<Int64.max], of: Int64.min..<Int64.max, width: 3) == "███")
  }
}
