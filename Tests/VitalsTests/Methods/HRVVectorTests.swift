// Every method on the shared vectors: one test for each file of them.

import Foundation
import Health
import Testing

@testable import Vitals

@Suite("The vectors of intervals and variability")
struct HRVVectorTests {
  @Test("are of seven kinds, each of which is there, and no other")
  func present() {
    #expect(HRVVectors.files(HRVVectors.ownFolder) == HRVVectors.topics)
    for topic in HRVVectors.topics { #expect(!HRVVectors.load(HRVVectors.ownFolder, topic).isEmpty) }
    let unknown = HRVVectors.files(HRVVectors.folder).filter { !HRVVectors.topics.contains($0) }
    #expect(unknown.isEmpty, "files of vectors that nobody reads here: \(unknown)")
    let counts = HRVVectors.topics.map { "\(HRVVectors.all($0).count) \($0)" }
    print("vectors from \(HRVVectors.folder.path): \(counts.joined(separator: ", "))")
  }

  /// Only kinds that are known are compared.
  private func check(_ vector: HRVVector) {
    #expect(["valid", "edge"].contains(vector.kind), "a kind of vector that nobody knows here, \(vector.kind)")
  }

  @Test("BT-1 makes stretches, gaps and the last beat of packets", arguments: HRVVectors.all("beat_timeline"))
  func timeline(_ vector: HRVVector) throws {
    check(vector)
    vector.expectOnly(["stretches", "gaps", "last_beat_s"])
    let packets = try #require(vector.fields["packets"] as? [[String: Any]])
    var timeline = BeatTimeline()
    for packet in packets {
      let unknown = Set(packet.keys).subtracting(["t_s", "rr_ms", "reconnect"])
      #expect(unknown.isEmpty, "packets have what nobody reads: \(unknown)")
      let time = try #require(packet["t_s"] as? NSNumber).doubleValue
      let intervals = (packet["rr_ms"] as? [NSNumber] ?? []).map { ReceivedInterval($0.doubleValue) }
      timeline.take(intervals, at: time, reconnected: packet["reconnect"] as? Bool ?? false)
    }
    let close = vector.tolerance("seconds", 1e-4)
    #expect(matches(timeline.lastBeat, vector.expect["last_beat_s"], relative: 0, absolute: close))

    var stretches: [(first: Int, intervals: [Double])] = []
    for index in 0..<timeline.count {
      let beat = timeline[index]
      if index == 0 || timeline[index - 1].stretch != beat.stretch { stretches.append((Int(beat.packet), [])) }
      stretches[stretches.count - 1].intervals.append(beat.interval)
    }
    let wanted = try #require(vector.expect["stretches"] as? [[String: Any]])
    try #require(stretches.count == wanted.count)
    for (found, expected) in zip(stretches, wanted) {
      #expect(Set(expected.keys).isSubset(of: ["first_packet", "rr_ms"]))
      #expect(found.first == (expected["first_packet"] as? NSNumber)?.intValue)
      #expect(found.intervals == (expected["rr_ms"] as? [NSNumber] ?? []).map(\.doubleValue))
    }
    let gaps = try #require(vector.expect["gaps"] as? [[String: Any]])
    try #require(timeline.gapCount == gaps.count)
    for (index, expected) in gaps.enumerated() {
      let gap = timeline.gap(index)
      #expect(Set(expected.keys).isSubset(of: ["before_packet", "length_s", "reason"]))
      #expect(Int(gap.packet) == (expected["before_packet"] as? NSNumber)?.intValue)
      #expect(matches(gap.length, expected["length_s"], relative: 0, absolute: close))
      #expect(gap.reason.name == expected["reason"] as? String)
    }
  }

  @Test("LT-1 classifies and corrects", arguments: HRVVectors.all("artifacts"))
  func artefacts(_ vector: HRVVector) throws {
    check(vector)
    vector.expectOnly(
      ["ectopic", "missed", "extra", "longshort", "corrected_rr_ms", "corrected", "artefact_share"])
    var classifier = ArtefactClassifier()
    let series = BeatSeries([vector.intervals])
    classifier.classify(series.intervals[...])
    let names: [(String, BeatClass)] = [
      ("ectopic", .ectopic), ("missed", .missed), ("extra", .extra), ("longshort", .longShort),
    ]
    for (name, kind) in names {
      let wanted = try #require(vector.expect[name] as? [NSNumber]).map(\.intValue)
      #expect(classifier.classes.indices.filter { classifier.classes[$0] == kind } == wanted, "\(name)")
    }
    var corrected = CorrectedSeries()
    let reports = classifier.correct(series, into: &corrected)
    let share = SignalQuality.share(received: series.count, dropped: 0, uncertain: 0, reported: reports)
    #expect(matches(share, vector.expect["artefact_share"]))
    let wanted = try #require(vector.expect["corrected_rr_ms"] as? [NSNumber]).map(\.doubleValue)
    try #require(corrected.series.count == wanted.count)
    let close = vector.tolerance("corrected_rr_ms", 1)
    for (index, expected) in wanted.enumerated() {
      #expect((corrected.series.intervals[index] - expected).magnitude <= close, "interval \(index)")
    }
    let relative = vector.tolerance("metrics_relative", 0.005)
    try metrics(series, vector.fields["raw"], relative)
    try metrics(corrected.series, vector.expect["corrected"], relative)
  }

  private func metrics(_ series: BeatSeries, _ expected: Any?, _ relative: Double) throws {
    let wanted = try #require(expected as? [String: Any])
    #expect(Set(wanted.keys).isSubset(of: ["n", "mean_nn", "sdnn", "rmssd"]))
    let found = TimeDomain(series)
    #expect(matches(Double(found.count), wanted["n"]))
    #expect(matches(found.mean, wanted["mean_nn"], relative: relative))
    #expect(matches(found.sdnn, wanted["sdnn"], relative: relative))
    #expect(matches(found.rmssd, wanted["rmssd"], relative: relative))
  }

  @Test(
    "time domain, Poincaré plot and histogram are what their definitions say", arguments: HRVVectors.all("time_domain"))
  func timeDomain(_ vector: HRVVector) throws {
    check(vector)
    let relative = vector.tolerance("relative", 1e-9)
    let absolute = vector.tolerance("absolute", 1e-6)
    let series = BeatSeries([vector.intervals])
    let found = TimeDomain(series)
    let values: [String: Double?] = [
      "n": Double(found.count), "mean_nn": found.mean, "median_nn": found.median, "min_nn": found.minimum,
      "max_nn": found.maximum, "mean_hr": found.mean.flatMap(PulseRate.mean(ofInterval:)), "sdnn": found.sdnn,
      "rmssd": found.rmssd, "nn50": found.nn50.map(Double.init), "pnn50": found.pnn50, "sdsd": found.sdsd,
      "sd1": found.sd1, "sd2": found.sd2,
    ]
    vector.expectOnly(Set(values.keys).union(["baevsky"]))
    // A key that is absent is undefined for so few intervals.
    for (name, value) in values {
      #expect(
        matches(value, vector.expect[name], relative: relative, absolute: absolute),
        "\(name): \(String(describing: value)), \(String(describing: vector.expect[name]))")
    }
    let stress = StressIndex(series)
    guard let wanted = vector.expect["baevsky"] as? [String: Any] else {
      #expect(stress == nil)
      return
    }
    let parts: [String: Double?] = [
      "mo_s": stress?.mode, "amo_pct": stress?.modeAmplitude, "mxdmn_s": stress?.range, "si": stress?.value,
      "sqrt_si": stress?.squareRoot,
    ]
    #expect(Set(wanted.keys).isSubset(of: parts.keys))
    for (name, value) in parts {
      #expect(matches(value, wanted[name], relative: relative, absolute: absolute), "\(name)")
    }
  }

  @Test("LS-1 finds the powers and peaks of both bands", arguments: HRVVectors.all("spectral"))
  func spectral(_ vector: HRVVector) throws {
    check(vector)
    var periodogram = Periodogram()
    let isComputed = periodogram.compute(vector.intervals[...])
    try #require(isComputed)
    let found = SpectralPowers(periodogram)
    let values: [String: Double?] = [
      "lf_ms2": found.low, "hf_ms2": found.high, "lf_hf": found.ratio, "lf_nu": found.lowNormalised,
      "hf_nu": found.highNormalised,
    ]
    let peaks = ["lf_peak_hz": found.lowPeak, "hf_peak_hz": found.highPeak]
    vector.expectOnly(Set(values.keys).union(peaks.keys))
    let relative = vector.tolerance("relative", 1e-3)
    for (name, value) in values {
      #expect(matches(value, vector.expect[name], relative: relative), "\(name): \(String(describing: value))")
    }
    for (name, value) in peaks {
      #expect(
        matches(value, vector.expect[name], relative: 0, absolute: vector.tolerance("peak_hz", 1e-3) + 1e-12),
        "\(name): \(value)")
    }
  }

  @Test("RSA-1 finds the breathing if there is one, and otherwise says so", arguments: HRVVectors.all("respiration"))
  func respiration(_ vector: HRVVector) throws {
    check(vector)
    vector.expectOnly(["method", "reported"])
    var periodogram = Periodogram()
    let isComputed = periodogram.compute(vector.intervals[...])
    try #require(isComputed)
    let found = try #require(Respiration(periodogram))
    if let method = vector.expect["method"] as? [String: Any] {
      #expect(Set(method.keys).isSubset(of: ["rate_brpm", "quality"]))
      let (rate, quality) = ("rate_brpm_vs_method", "quality_vs_method")
      #expect(matches(found.rate, method["rate_brpm"], relative: 0, absolute: vector.tolerance(rate, 0.1)))
      #expect(matches(found.quality, method["quality"], relative: 0, absolute: vector.tolerance(quality, 0.01)))
    }
    let reported = try #require(vector.expect["reported"] as? Bool)
    #expect(found.isReportable == reported)
    if reported, let truth = vector.number("truth_brpm") {
      #expect((found.rate - truth).magnitude <= vector.number("truth_tolerance_brpm") ?? 1)
    }
  }

  @Test("indices, zones, stress level and quotient are arithmetic on the metrics", arguments: HRVVectors.all("indices"))
  func indices(_ vector: HRVVector) throws {
    check(vector)
    vector.expectOnly(["hr", "pns_index", "pns_zone", "sns_index", "sns_zone", "stress_level", "prq"])
    let input = try #require(vector.fields["input"] as? [String: Any])
    #expect(Set(input.keys).isSubset(of: ["mean_nn", "rmssd", "sd1", "sd2", "stress_index", "resp_brpm"]))
    func number(_ name: String) -> Double? { (input[name] as? NSNumber)?.doubleValue }
    let found = AutonomicIndices(
      meanInterval: number("mean_nn"), rmssd: number("rmssd"), sd1: number("sd1"), sd2: number("sd2"),
      stressIndex: number("stress_index"))
    let rate = number("mean_nn").flatMap(PulseRate.mean(ofInterval:))
    let quotient = rate.flatMap { PulseRespirationQuotient.value(pulseRate: $0, respirationRate: number("resp_brpm")) }
    let relative = vector.tolerance("relative", 1e-9)
    #expect(matches(rate, vector.expect["hr"], relative: relative))
    #expect(matches(found.parasympathetic, vector.expect["pns_index"], relative: relative))
    #expect(matches(found.sympathetic, vector.expect["sns_index"], relative: relative))
    #expect(matches(quotient, vector.expect["prq"], relative: relative))
    #expect(found.parasympathetic.map { AutonomicIndices.Zone($0).name } == vector.expect["pns_zone"] as? String)
    #expect(found.sympathetic.map { AutonomicIndices.Zone($0).name } == vector.expect["sns_zone"] as? String)
    let level = number("stress_index").flatMap { StressIndex.Level($0)?.name }
    #expect(level == vector.expect["stress_level"] as? String)
  }

  @Test("energy and zones follow rate and person", arguments: HRVVectors.all("energy_zones"))
  func energy(_ vector: HRVVector) throws {
    check(vector)
    vector.expectOnly(["max_hr_used", "kj_per_min", "kcal_per_min", "zone", "extrapolated"])
    let input = try #require(vector.fields["input"] as? [String: Any])
    #expect(Set(input.keys).isSubset(of: ["hr", "sex", "age", "weight_kg", "max_hr"]))
    func number(_ name: String) -> Double? { (input[name] as? NSNumber)?.doubleValue }
    let rate = try #require(number("hr"))
    let age = number("age").map { Int($0) }
    let maximum = number("max_hr") ?? age.flatMap(HeartRateZone.maximum)
    let found = Energy(
      rate: rate, sex: (input["sex"] as? String).flatMap(BodyFacts.Sex.init), age: age, weight: number("weight_kg"),
      maximumRate: number("max_hr"))
    let relative = vector.tolerance("relative", 1e-9)
    #expect(matches(maximum, vector.expect["max_hr_used"], relative: relative))
    #expect(matches(found?.kilojoulesPerMinute, vector.expect["kj_per_min"], relative: relative))
    #expect(matches(found?.kilocaloriesPerMinute, vector.expect["kcal_per_min"], relative: relative))
    let zone = HeartRateZone.zone(rate: rate, maximumRate: maximum)
    #expect(zone == (vector.expect["zone"] as? NSNumber)?.intValue)
    if let extrapolated = vector.expect["extrapolated"] as? Bool { #expect(found?.isExtrapolated == extrapolated) }
  }
}
