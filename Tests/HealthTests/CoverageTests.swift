import Testing

@testable import Health

private let minute = 60 * second

private func coverage(_ window: Range<Int64>, least: Int64 = 30 * second, _ times: [Int64]) -> CoverageAccumulator {
  var found = CoverageAccumulator(window, least: least)
  for time in times { found.add(time) }
  return found
}

struct CoverageTests {
  private let hour = 0..<(60 * minute)

  @Test func `values that follow each other cover all of the time`() {
    let found = coverage(hour, (0..<3600).map { $0 * second })
    #expect(found.covered == [hour])
    #expect(found.rhythm.period == second)
    #expect(found.tolerance == 30 * second)
  }

  @Test func `what lies further apart than half a minute and three usual distances is a gap`() {
    let times = (0..<3600).filter { !(600..<700).contains($0) && !(1000..<1025).contains($0) }.map { $0 * second }
    let found = coverage(hour, times)
    #expect(found.covered.gaps(in: hour) == [(600 * second)..<(700 * second)])
    #expect(found.count == 3475)
  }

  @Test func `a wearable that measures each five minutes has a gap after a quarter of an hour`() {
    // 50 minutes, one value missing, then three.
    let window = 0..<(24 * 60 * minute)
    let times = (0..<288).filter { $0 != 20 && !(100..<103).contains($0) }.map { Int64($0) * 5 * minute }
    let found = coverage(window, times)
    #expect(found.rhythm.period.map { $0 / minute } == 5)
    #expect(found.covered.gaps(in: window) == [(500 * minute)..<(515 * minute)])
  }

  @Test func `seconds of a training do not make gaps of the minutes around it`() {
    let window = 0..<(24 * 60 * minute)
    let slow = (0..<288).map { Int64($0) * 5 * minute }
    let training = (0..<1800).map { 600 * minute + Int64($0) * second }
    let found = coverage(window, (slow + training).sorted())
    #expect(found.covered == [window])
  }

  @Test func `the order in which values come is of no matter`() {
    let times = (0..<3600).filter { !(600..<700).contains($0) }.map { $0 * second }
    var back = CoverageAccumulator(hour, least: 30 * second)
    for chunk in stride(from: 3500, to: 0, by: -100) {
      back.breakSequence()
      for time in times.dropFirst(chunk - 100).prefix(100) { back.add(time) }
    }
    #expect(back.covered == coverage(hour, times).covered)
  }

  @Test func `ends and count of a chunk say as much as its values`() {
    var glanced = CoverageAccumulator(hour, least: 30 * second)
    for start in stride(from: Int64(0), to: 3600, by: 20) where !(600..<700).contains(start) {
      glanced.add(from: start * second, to: (start + 19) * second, count: 20)
    }
    let times = (0..<3600).filter { !(600..<700).contains($0) }.map { $0 * second }
    #expect(glanced.covered == coverage(hour, times).covered)
    #expect(glanced.count == 3500)
  }

  @Test func `intervals cover their own length`() {
    var found = CoverageAccumulator(hour, least: 900 * second)
    for index in 0..<20 { found.add(Int64(index) * minute, length: minute) }
    for index in 40..<60 { found.add(Int64(index) * minute, length: minute) }
    #expect(found.covered == [0..<(20 * minute), (40 * minute)..<(60 * minute)])
    #expect(found.covered.length == 40 * minute)
  }

  @Test func `an empty list covers an empty span, and hostile times stay in the window`() {
    var found = CoverageAccumulator(hour, least: 30 * second)
    #expect(found.covered.isEmpty && found.covered.gaps(in: hour) == [hour])
    for time in [Int64.min, .max, -1, 60 * minute, Int64.min + 1] {
      found.add(time)
      found.add(time, length: .max)
      found.add(from: .min, to: time, count: .max)
    }
    #expect(found.covered.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= 60 * minute })
    let all = coverage(Int64.min..<Int64.max, [0, .max, .min])
    #expect(all.covered.length >= 0)
  }

  @Test func `however many gaps there are, memory and time are bounded`() {
    // Two hours of values a minute apart, of which no two belong together, then all of it backwards.
    let window = 0..<(40_000 * minute)
    var found = CoverageAccumulator(window, least: second)
    for index in stride(from: Int64(39_999), through: 0, by: -1) {
      found.breakSequence()
      found.add(index * minute)
    }
    #expect(found.least >= 9 * minute)
    #expect(found.covered.gaps(in: window).count <= CoverageAccumulator.gapLimit)
  }

  @Test func `series that come when there is an occasion have no gaps`() {
    for series in [
      Series.sleepStage, .training, .battery, .sleep, .exercise, .cadence, .bodyTemperature, .systolicPressure,
      .cuffPressure, .userIndex, .weight, .bodyFat, .crankCadence,
    ] {
      #expect(series.steadiness == .occasional)
    }
    #expect(Series.heartRate.steadiness == .steady(least: 30_000_000))
    #expect(Series.acc.steadiness == .steady(least: 30_000_000))
    #expect(Series.steps.steadiness == .steady(least: 900_000_000))
  }

  @Test func `the usual distance is the one in which half of the time lies`() {
    var rhythm = Rhythm()
    #expect(rhythm.period == nil)
    rhythm.add(0)
    rhythm.add(-5)
    #expect(rhythm.period == nil)
    rhythm.add(second, count: 1000)
    rhythm.add(5 * minute, count: 10)
    #expect(rhythm.period == 5 * minute)
    for distance in [Int64(1), 2, 3, .max] { rhythm.add(distance) }
    #expect(rhythm.period == .max)
  }
}
