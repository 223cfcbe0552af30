// What the harnesses of live values share: a sink that holds a decoder to what it promises. Compiled together with
// Sources/Drivers/StandardGATT, or Sources/Drivers/Services, by ./run.

import Bluetooth
import Health
import Wearable

#if canImport(GATTServices)
  import GATTServices
#endif

/// Takes samples of one service, and stops at one that its profile does not declare or that cannot be stored.
final class SensorSink: SampleSink {
  private let allowed: Set<Series>
  private(set) var samples = 0

  init(_ allowed: Set<Series>) { self.allowed = allowed }

  func append(_ sample: Sample) {
    precondition(allowed.contains(sample.series), "\(sample.series.name) is not what its profile declares")
    precondition(sample.value >= 0 && sample.value <= 1 << 33, "\(sample.series.name) \(sample.value)")
    precondition(sample.flags.origin == .live)
    samples += 1
  }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) { preconditionFailure("none is a vector") }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    preconditionFailure("none is a waveform")
  }
  func noteAnomaly(_ what: StaticString) { precondition(what.utf8CodeUnitCount < 96) }
}

/// A profile under the fuzzer.
struct FuzzedProfile {
  private let profile: ServiceProfile
  private let series: Set<Series>

  init(_ profile: ServiceProfile) {
    self.profile = profile
    series = Set(
      profile.capabilities.list.compactMap { capability in
        if case .live(let series) = capability { series } else { nil }
      })
  }

  /// The first byte describes the rest. Below 128: one value of the source of that place. From 128 on: values of one
  /// link, each behind a byte for its source and two for its length.
  func run(_ bytes: RawBytes) {
    var reader = ByteReader(bytes)
    guard let choice = reader.u8() else { return }
    let (decoder, sink) = (profile.makeDecoder(), SensorSink(series))
    if choice < 128 { return take(Int(choice), reader.rest(), decoder, sink) }
    while let place = reader.u8(), let length = reader.u16(),
      let value = reader.take(min(Int(length & 0x3FF), reader.remaining))
    {
      take(Int(place), value, decoder, sink)
    }
  }

  /// No part of a refused value has reached the sink.
  private func take(_ place: Int, _ value: RawBytes, _ decoder: any LiveDecoder, _ sink: SensorSink) {
    let source = profile.sources[place % profile.sources.count]
    if let fact = decoder.fact(source, value) {
      precondition("\(fact)".utf8.count < 256, "a fact without bound")
      return
    }
    let before = sink.samples
    do throws(DecodeError) { try decoder.decode(source, value, into: sink) } catch {
      precondition(sink.samples == before, "a value that is \(error.rawValue) left something behind")
    }
  }
}
