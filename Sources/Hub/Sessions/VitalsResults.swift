// Results of a session: instantaneous values while it measures, and the final report. The report's record is durable
// before it is reported.

import EventLoop
import Health
import Reasons
import RingStore
import Vitals

extension VitalsRun {
  /// Wait for the batch that covers the end of a measurement with optical intervals: one comes every 5 s.
  private static let lastBatch: Duration = .seconds(6)
  private static let look: Duration = .milliseconds(100)

  // MARK: While it measures

  func moment(since began: SessionMoment) -> VitalsMoment {
    let now = self.moment
    let elapsed = now.since(began)
    let end = Double(now.monotonic) / 1e6
    var told = VitalsMoment(elapsed: elapsed, requested: Int64(turns.seconds) * 1_000_000)
    if tap.sensor.hasBeats {
      told.pulseRate = instant.pulseRate
      told.artefactShare = instant.artefactShare
    } else {
      told.pulseRate = tap.readings.rate(at: end)
    }
    told.isHidden = tap.watch.hidesValues
    let second = (elapsed + 500_000) / 1_000_000
    if second.isMultiple(of: Int64(LiveBeatAnalyser.analysisPeriod)) {
      told.report = report(.runtime, from: Double(began.monotonic) / 1e6, to: end)
    }
    if told.isHidden { (told.pulseRate, told.report) = (nil, nil) }
    return told
  }

  private func report(_ phase: MeasurementPhase, from start: Double, to end: Double) -> VitalReport {
    let request = VitalRequest(
      sensor: tap.sensor.sensor, phase: phase, person: person,
      reading: tap.readings.reading(from: start, to: end))
    return keeper.report(request, tap.timeline, from: start, to: end)
  }

  // MARK: End of a measurement

  /// Makes the record, and writes it. The session stays in stopping meanwhile, until it gets `computed`.
  func compute(_ measurement: Measurement) {
    guard tap.sensor.isOptical, let ended = measurement.ended else { return keep(makeRecord(measurement)) }
    let limit = loop.now + Self.lastBatch
    loop.spawn { [self] in
      while !isCovered(until: ended), isStreaming, wearable.link != nil, loop.now < limit, context.phase == .serving {
        guard (try? await loop.sleep(for: Self.look)) != nil else { break }
      }
      keep(makeRecord(measurement))
    }
  }

  private func isCovered(until ended: SessionMoment) -> Bool {
    (tap.timeline.lastBeat ?? 0) >= Double(ended.monotonic) / 1e6
  }

  private func makeRecord(_ measurement: Measurement) -> MeasurementRecord {
    let start = Double((measurement.began ?? measurement.ordered).monotonic) / 1e6
    let end = Double((measurement.ended ?? measurement.ordered).monotonic) / 1e6
    var record = MeasurementRecord(
      session: id, measurement, basis: MeasurementBasis(tap.sensor.sensor),
      person: wearer.map { "\($0.id.number)" } ?? "",
      device: wearable.name)
    record.add(report(.final, from: start, to: end))
    if tap.sensor.hasBeats {
      keeper.add(tap.timeline, to: &record, from: start, to: end)
    } else {
      record.coverage = tap.readings.coverage(from: start, to: end)
    }
    return record.fitted
  }

  /// Appends the record to the store, once, and waits until it is durable.
  private func keep(_ record: MeasurementRecord) {
    let began = Instant(nanoseconds: (self.began ?? moment).monotonic * 1000)
    let bytes = record.bytes
    let flags = SampleFlags(origin: .live, isManual: isByHand)
    do throws(HearthError) {
      try context.store.append(
        .measurement, [MeasurementRecord.kind], bytes, of: wearable.id, flags: flags, at: began)
    } catch {
      trouble = error
      return post(.computed)
    }
    loop.spawn { [self] in
      do throws(HearthError) {
        try await context.store.flush()
        self.record = record
      } catch {
        trouble = error
      }
      take(.computed)
    }
  }
}

extension VitalsSensor {
  /// Whether it sends intervals.
  var hasBeats: Bool { sensor.basis == .rr || sensor.basis == .ppi }
}
