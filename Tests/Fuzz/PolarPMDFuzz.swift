// libFuzzer harness: frames and recordings of Polar's measurement service, and what its control point says. Compiled together with Sources/Drivers by ./run.

import Bluetooth
import Health
import Wearable

private let key = [UInt8](0..<16)

/// The first byte says how the rest is cut and encrypted, the second what is measured.
public func fuzzPolarPMD(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  guard count >= 2, let type = PMD.MeasurementType(rawValue: bytes[1] & 15) else { return 0 }
  let content = UnsafeRawBufferPointer(rebasing: bytes[2...])
  controlPoint(content)
  stream(type, max(10, Int(bytes[0])), content)
  if type.isData { recordings(type, Int(bytes[0]), Array(content)) }
  if let entries = PMD.RecordingEntry.all(index: content) {
    for entry in entries { precondition(!entry.parts.isEmpty && PMD.RecordingName(path: entry.parts[0].path)?.type == entry.type) }
  }
  return 0
}

private func controlPoint(_ bytes: RawBytes) {
  if let features = try? PMD.Features(bytes) { precondition(features.offline.allSatisfy(\.isData)) }
  if let settings = try? PMD.Settings(bytes) {
    precondition(settings.values.values.allSatisfy { !$0.isEmpty })
    let chosen = settings.choosing([.sampleRate: 52])
    // A factor is not written back; all others fit what they were read from.
    guard let again = try? chosen.encode() else { preconditionFailure("a value that was read does not fit") }
    precondition(again.withUnsafeBytes { (try? PMD.Settings($0))?.values.count } == chosen.values.count || chosen.values.isEmpty)
  }
  _ = try? PMD.TriggerStatus(bytes)
  _ = PMD.MeasurementStatus.all(Array(bytes))
  if case .response(let response)? = try? PMD.Notification(bytes) { precondition(response.parameters.isEmpty || response.status == .success) }
  var assembler = PMD.ResponseAssembler(of: .measurementStatus)
  if case .whole(let answer) = assembler.take(bytes) { precondition(answer.parameters.count <= bytes.count) }
}

private func stream(_ type: PMD.MeasurementType, _ size: Int, _ bytes: RawBytes) {
  let decoder = PMD.StreamDecoder()
  let sink = CheckingSink()
  decoder.start(type, PMD.StreamSettings(sampleRate: Double(size), factor: size % 3 == 0 ? 1 : .infinity))
  decoder.start(.ppg, PMD.StreamSettings(sampleRate: 0, factor: 0.5))
  var offset = 0
  while offset < bytes.count {
    let piece = RawBytes(rebasing: bytes[offset..<min(offset + size, bytes.count)])
    offset += size
    try? decoder.decode(piece, into: sink)
    // The same content as each kind of frame there is.
    for frameType in UInt8(0)...14 {
      let frame = PMD.Frame.encode(type, time: UInt64(offset) << 40, frameType: frameType, isCompressed: frameType & 1 == size & 1, Array(piece))
      frame.withUnsafeBytes { try? decoder.decode($0, into: sink) }
    }
  }
}

private func recordings(_ type: PMD.MeasurementType, _ how: Int, _ content: [UInt8]) {
  let sink = CheckingSink()
  let strategy = PMD.Secret.Strategy(rawValue: UInt8(how & 3)) ?? .none
  let secret = PMD.Secret(strategy, key: strategy == .none ? [] : strategy == .aes256 ? key + key : key)
  let decoder = PMD.RecordingDecoder(type, secret: secret)
  content.withUnsafeBytes { _ = try? decoder.decode($0, into: sink) }
  // Once more behind a header that is whole.
  var head: [UInt8] = []
  for word in [PMD.Recording.magic, 1, 0, 0] { head.append(littleEndian: word) }
  head += Array("2025-05-08 06:13:20".utf8) + [0, 4, 0, 1, 52, 0, 0]
  head.append(littleEndian: UInt16(how))
  let file = [0] + head + content
  let plain = PMD.RecordingDecoder(type, secret: nil)
  guard file.withUnsafeBytes({ (try? plain.decode($0, into: sink)) != nil }) else { preconditionFailure("a header that is whole is refused") }
  precondition(plain.tally.leftOver <= content.count && plain.tally.malformed <= plain.tally.frames)
}

private final class CheckingSink: SampleSink, ItemSink {
  func append(_ sample: Sample) { preconditionFailure("samples have layouts here") }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) { preconditionFailure("samples have layouts here") }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) { check(series, Array(values), bytes.count) }
  func append(_ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool) {
    check(series, values, bytes.count)
  }
  func noteAnomaly(_ what: StaticString) {}

  private func check(_ series: Series, _ values: [Int64], _ byteCount: Int) {
    precondition(values.count == series.layout.valueCount && (byteCount == 0 || series.layout.hasBytes))
    if series.layout.hasBytes { precondition(values[0] > 0 && values[1] > 0 && byteCount <= PMD.HealthWriter.blockLimit) }
  }
}
