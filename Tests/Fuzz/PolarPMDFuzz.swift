// libFuzzer harness: frames and recordings of Polar's measurement service, and what its control point says. Compiled
// together with Sources/Drivers/Polar by ./run.

import Bluetooth
import Health
import Wearable

private let key = [UInt8](0..<32)
/// Pieces of a stream are 255 bytes at most, a frame behind a header of our own has that more.
private nonisolated(unsafe) let memory = HarnessMemory(limit: 512)

/// The first byte says how the rest is cut or encrypted. The second names the measurement (4 bits) and the reader of
/// the rest (4 bits).
public func fuzzPolarPMD(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  guard count >= 2, let type = PMD.MeasurementType(rawValue: bytes[1] & 15) else { return 0 }
  let content = UnsafeRawBufferPointer(rebasing: bytes[2...])
  switch bytes[1] >> 4 {
  case 0, 1: controlPoint(content)
  case 2, 3: index(content)
  case 4...9: stream(type, max(10, Int(bytes[0])), content)
  default: if type.isData { recordings(type, Int(bytes[0]), content) }
  }
  return 0
}

private func index(_ bytes: RawBytes) {
  guard let entries = PMD.RecordingEntry.all(index: bytes) else { return }
  for entry in entries {
    precondition(!entry.parts.isEmpty && PMD.RecordingName(path: entry.parts[0].path)?.type == entry.type)
  }
}

private func controlPoint(_ bytes: RawBytes) {
  if let features = try? PMD.Features(bytes) { precondition(features.offline.allSatisfy(\.isData)) }
  if let settings = try? PMD.Settings(bytes) {
    precondition(settings.values.values.allSatisfy { !$0.isEmpty })
    let chosen = settings.choosing([.sampleRate: 52])
    // A factor is not written back; all others fit what they were read from.
    guard let again = try? chosen.encode() else { preconditionFailure("a value that was read does not fit") }
    precondition(
      again.withUnsafeBytes { (try? PMD.Settings($0))?.values.count } == chosen.values.count || chosen.values.isEmpty)
  }
  _ = try? PMD.TriggerStatus(bytes)
  _ = PMD.MeasurementStatus.all(Array(bytes))
  if case .response(let response)? = try? PMD.Notification(bytes) {
    precondition(response.parameters.isEmpty || response.status == .success)
  }
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
    try? decoder.decode(memory.copy(piece), into: sink)
    // Once more behind a header that is whole; its first byte says which kind of frame it is. Frames follow each other
    // closely, or with gaps.
    let frame = memory.last(PMD.Frame.headerSize + piece.count - 1)
    frame[0] = type.rawValue
    frame.storeBytes(of: (UInt64(offset) << (size & 1 == 0 ? 24 : 40)).littleEndian, toByteOffset: 1, as: UInt64.self)
    frame[PMD.Frame.headerSize - 1] = piece[0] & 0x8F
    UnsafeMutableRawBufferPointer(rebasing: frame[PMD.Frame.headerSize...]).copyMemory(
      from: RawBytes(rebasing: piece.dropFirst()))
    try? decoder.decode(RawBytes(frame), into: sink)
  }
}

/// What a whole recording begins with, but for the size of its first packet, and for the strategy before it.
private let head: [UInt8] = {
  var head: [UInt8] = []
  for word in [PMD.Recording.magic, 1, 0, 0] { head.append(littleEndian: word) }
  return head + Array("2025-05-08 06:13:20".utf8) + [0, 4, 0, 1, 52, 0, 0]
}()

private func recordings(_ type: PMD.MeasurementType, _ how: Int, _ content: RawBytes) {
  let sink = CheckingSink()
  let strategy = PMD.Secret.Strategy(rawValue: UInt8(how & 3)) ?? .none
  guard let secret = PMD.Secret(strategy, key: Array(key.prefix(strategy.keyLength ?? 7))) else {
    preconditionFailure("a key of the right length")
  }
  let decoder = PMD.RecordingDecoder(type, secret: secret)
  _ = try? decoder.decode(content, into: sink)
  // Once more behind a header that is whole, all of it plain or encrypted.
  var metadata = head
  metadata.append(littleEndian: UInt16(how))
  var packets = content
  if strategy.isAES {
    let used = (head.count + PMD.Secret.blockSize) / PMD.Secret.blockSize * PMD.Secret.blockSize
    metadata.insert(contentsOf: repeatElement(0, count: used - head.count), at: head.count)
    metadata += repeatElement(0, count: PMD.Secret.blockSize - metadata.count % PMD.Secret.blockSize)
    packets = RawBytes(rebasing: content.prefix(content.count / PMD.Secret.blockSize * PMD.Secret.blockSize))
  }
  guard let first = metadata.withUnsafeBytes({ secret.encrypt($0) }), let rest = secret.encrypt(packets) else {
    preconditionFailure("whole blocks")
  }
  let file = [strategy.rawValue] + first + rest
  let whole = PMD.RecordingDecoder(type, secret: secret)
  guard file.withUnsafeBytes({ (try? whole.decode($0, into: sink)) != nil }) else {
    preconditionFailure("a header that is whole is refused")
  }
  precondition(whole.tally.leftOver <= content.count && whole.tally.malformed <= whole.tally.frames)
}

private final class CheckingSink: SampleSink, ItemSink {
  func append(_ sample: Sample) { preconditionFailure("samples have layouts here") }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) { preconditionFailure("samples have layouts here") }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    check(series, values, bytes.count)
  }
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    check(series, values, bytes.count)
  }
  func noteAnomaly(_ what: StaticString) {}

  private func check(_ series: Series, _ values: some RandomAccessCollection<Int64>, _ byteCount: Int) {
    precondition(values.count == series.layout.valueCount && (byteCount == 0 || series.layout.hasBytes))
    if series.layout.hasBytes {
      precondition(values.prefix(2).allSatisfy { $0 > 0 } && byteCount <= PMD.HealthWriter.blockLimit)
    }
  }
}
