// What every driver must keep to, checked over any list of drivers. Each check returns what is wrong, so that the kit
// itself can be tested with drivers that are wrong on purpose.

import Bluetooth
import EventLoop
import Foundation
import Health
import Wearable

enum ConformanceKit {
  /// Whether searches take as long as they may: `board/check --slow`.
  static let isAtLength = ProcessInfo.processInfo.environment["HEARTH_AT_LENGTH"] != nil

  /// Two drivers of one identity would share one wearable's registry entry.
  static func repeatedIDs(_ drivers: [any WearableDriver]) -> [String] {
    Dictionary(grouping: drivers, by: \.id).filter { $0.value.count > 1 }.map {
      "\($0.key) is the id of \($0.value.count) drivers"
    }.sorted()
  }

  /// What is missing or contradicts itself in a driver's data.
  static func incompleteData(_ driver: any WearableDriver) -> [String] {
    var faults: [String] = []
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-")
    if driver.id.isEmpty || driver.id.count > 32 || !driver.id.allSatisfy(allowed.contains) {
      faults.append("'\(driver.id)' is no id: lower-case letters, digits and hyphens, at most 32")
    }
    let sources = driver.liveSources
    if sources.isEmpty { faults.append("\(driver.id) listens to nothing") }
    // A wearable that is visited for its stored data has answered by then.
    if !driver.capabilities.contains(.files), !sources.contains(where: { $0.isRequired && $0.mode != .read }) {
      faults.append("\(driver.id) requires no stream: a visit could stay on a wearable that says nothing")
    }
    if Set(sources.map { [$0.service, $0.characteristic] }).count != sources.count {
      faults.append("\(driver.id) lists a source twice")
    }
    let fresh = (driver.makeDecoder(), driver.makeDecoder())
    if fresh.0 === fresh.1 { faults.append("\(driver.id) shares one decoder among links") }
    return faults
  }

  /// Sightings on which more than one driver claims the highest priority.
  static func ambiguous(_ drivers: [any WearableDriver], _ scanResults: [ScanResult]) -> [String] {
    scanResults.compactMap { scanResult in
      let claims = drivers.compactMap { driver in driver.recognise(scanResult).map { (driver.id, $0.priority) } }
      guard let top = claims.map(\.1).max() else { return nil }
      let winners = claims.filter { $0.1 == top }.map(\.0)
      return winners.count > 1
        ? "\(winners.sorted().joined(separator: " and ")) claim \(scanResult.name ?? "a nameless one") alike" : nil
    }
  }

  /// Recognitions that are empty, or differ the second time.
  static func unsteadyRecognition(_ drivers: [any WearableDriver], _ scanResults: [ScanResult]) -> [String] {
    drivers.flatMap { driver in
      scanResults.compactMap { scanResult in
        guard let first = driver.recognise(scanResult) else { return nil }
        if first.kind.isEmpty || first.kind.utf8.count > 24 {
          return "\(driver.id): '\(first.kind)' does not fit a column"
        }
        return driver.recognise(scanResult) == first ? nil : "\(driver.id) changes its mind"
      }
    }
  }

  /// Feeds `count` random values to one source. A trap ends the test run. All other faults are returned:
  ///
  /// - samples although an error was thrown
  /// - more samples than bytes can carry
  /// - values out of their series' range
  /// - facts that may not be printed
  static func misbehaviour(_ driver: any WearableDriver, _ source: LiveSource, count: Int, seed: UInt64) -> [String] {
    var generator = SeededGenerator(seed: seed)
    let decoder = driver.makeDecoder()
    let sink = RecordingSink()
    var faults: [String] = []
    let promised = Set(driver.capabilities.live + (driver.capabilities.contains(.battery) ? [.battery] : []))
    for round in 0..<count where faults.count < 10 {
      let bytes = generator.bytes()
      sink.reset()
      if case .failure(let error) = decoder.outcome(source, bytes, sink),
        !(sink.samples.isEmpty && sink.vectors.isEmpty)
      {
        faults.append("\(hexadecimal(bytes)): samples, then \(error)")
      }
      if sink.samples.count + sink.vectors.count > bytes.count {
        faults.append("\(hexadecimal(bytes)): \(sink.samples.count + sink.vectors.count) samples")
      }
      for vector in sink.vectors where vector.values.count != vector.series.layout.valueCount {
        faults.append("\(hexadecimal(bytes)): \(vector.series.name) with \(vector.values.count) values")
      }
      let strange = (sink.samples.map(\.series) + sink.vectors.map(\.series)).filter { !promised.contains($0) }
      if let series = strange.first { faults.append("\(hexadecimal(bytes)): \(series.name), which is no capability") }
      for sample in sink.samples where !isPlausible(sample) {
        faults.append("\(hexadecimal(bytes)): \(sample.series.name) \(sample.value)")
      }
      for text in sink.facts.map(text) where !isPrintable(text) {
        faults.append("\(hexadecimal(bytes)): unprintable fact")
      }
      // Text is repaired and classified scalar by scalar, which is slow in debug builds; it is read once per visit, not
      // per second.
      if round % 8 == 0, let text = decoder.fact(source, bytes).map(text), !isPrintable(text) {
        faults.append("\(hexadecimal(bytes)): unprintable fact")
      }
    }
    return faults
  }

  /// The widest range a series can have by its own layout.
  private static func isPlausible(_ sample: Sample) -> Bool {
    switch sample.series {
    case .heartRate: (1...65535).contains(sample.value)
    case .rrInterval: (0...65535).contains(sample.value)
    case .battery: (0...100).contains(sample.value)
    case .energyExpended: (0..<65535).contains(sample.value)
    default: true
    }
  }

  private static func text(_ fact: WearableFact) -> String {
    switch fact {
    case .manufacturer(let text), .model(let text), .serialNumber(let text), .firmware(let text), .hardware(let text),
      .software(let text), .bodyLocation(let text), .systemID(let text), .productID(let text), .charging(let text),
      .notServed(let text):
      text
    }
  }

  private static func isPrintable(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII
          ? (0x20...0x7E).contains(scalar.value)
          : scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
      }
  }
}
