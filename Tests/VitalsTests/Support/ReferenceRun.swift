// The bridge to `Reference/compare.py`: reads stretches of intervals from a file and writes what this room makes of
// each. Passed over unless `HEARTH_VITALS_INPUT` and `HEARTH_VITALS_OUTPUT` name files.

import Foundation
import Testing

@testable import Vitals

private let input = ProcessInfo.processInfo.environment["HEARTH_VITALS_INPUT"]
private let output = ProcessInfo.processInfo.environment["HEARTH_VITALS_OUTPUT"]

@Suite("For comparison with other implementations")
struct ReferenceRun {
  @Test("each line of intervals becomes a line of results", .enabled(if: input != nil && output != nil))
  func run() throws {
    let lines = try String(contentsOfFile: try #require(input), encoding: .utf8).split(separator: "\n")
    var results: [String] = []
    var classifier = ArtefactClassifier()
    var periodogram = Periodogram()
    for line in lines {
      let series = BeatSeries([line.split(separator: " ").compactMap { Double($0) }])
      classifier.classify(series.intervals[...])
      let classes = classifier.classes.map { Int($0.rawValue) }
      var corrected = CorrectedSeries()
      _ = classifier.correct(series, into: &corrected)
      let raw = TimeDomain(series)
      let clean = TimeDomain(corrected.series)
      let isComputed = periodogram.compute(corrected.series.intervals[...])
      let powers = isComputed ? SpectralPowers(periodogram) : nil
      let breathing = isComputed ? Respiration(periodogram) : nil
      let document: [String: Any] = [
        "classes": classes, "corrected": corrected.series.intervals, "raw_rmssd": raw.rmssd ?? -1,
        "raw_sdnn": raw.sdnn ?? -1, "rmssd": clean.rmssd ?? -1, "sdnn": clean.sdnn ?? -1,
        "sd1": clean.sd1 ?? -1, "sd2": clean.sd2 ?? -1, "pnn50": clean.pnn50 ?? -1,
        "lf": powers?.low ?? -1, "hf": powers?.high ?? -1, "breaths": breathing?.rate ?? -1,
        "reportable": breathing?.isReportable ?? false,
      ]
      let bytes = try JSONSerialization.data(withJSONObject: document, options: [.sortedKeys])
      results.append(String(decoding: bytes, as: UTF8.self))
    }
    try (results.joined(separator: "\n") + "\n").write(
      toFile: try #require(output), atomically: true, encoding: .utf8)
  }
}
