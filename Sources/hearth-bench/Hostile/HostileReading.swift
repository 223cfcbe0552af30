// The steps of a visit, as far as memory and turns are concerned: data is listed, fetched, verified and decoded twice.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Reads all of one kind of data, or one item, like the middle of a visit.
@LoopActor
enum HostileReading {
  static func all(of domain: any FetchDomain) async -> String {
    var (items, values) = (0, 0)
    do throws(VisitTrouble) {
      for item in try await domain.list(known: []) {
        let sink = Fetched()
        try await domain.fetch(item, into: sink)
        items += 1
        values += await Self.values(of: domain.pieces(of: item), sink.bytes) ?? 0
        // A visit waits for the store between two items.
        await Task.yield()
      }
    } catch { return "refused: \(error)" }
    return "\(items) items, \(values) values"
  }

  static func one(_ pieces: any IncrementalDecoder, _ bytes: [UInt8]) async -> String {
    await values(of: pieces, bytes).map { "\($0) values" } ?? "refused"
  }

  /// nil if the bytes are invalid.
  private static func values(of pieces: any IncrementalDecoder, _ bytes: [UInt8]) async -> Int? {
    let sink = Counted()
    do throws(ItemDefect) {
      while try verify(pieces, bytes) { await Task.yield() }
      // Parts are counted before they are made.
      for _ in 0..<2 {
        pieces.rewind()
        sink.count = 0
        while try decode(pieces, bytes, sink) { await Task.yield() }
      }
    } catch { return nil }
    return sink.count
  }

  private static func verify(_ pieces: any IncrementalDecoder, _ bytes: [UInt8]) throws(ItemDefect) -> Bool {
    let result: Result<Bool, ItemDefect> = bytes.withUnsafeBytes { bytes in
      do throws(ItemDefect) { return .success(try pieces.verifyNext(bytes) == nil) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private static func decode(_ pieces: any IncrementalDecoder, _ bytes: [UInt8], _ sink: Counted) throws(ItemDefect)
    -> Bool
  {
    let result: Result<Bool, ItemDefect> = bytes.withUnsafeBytes { bytes in
      do throws(ItemDefect) { return .success(try pieces.decodeNext(bytes, into: sink)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Live values, one a turn.
  static func live(_ driver: any WearableDriver, _ source: LiveSource, _ database: GATTDatabase, _ values: [[UInt8]])
    async -> String
  {
    let (decoder, sink) = (driver.makeDecoder(), Heard())
    decoder.begin(database)
    for value in values {
      value.withUnsafeBytes { try? decoder.decode(source, $0, into: sink) }
      await Task.yield()
    }
    return "\(values.count) notifications, \(sink.oddities) odd"
  }

  private final class Fetched: ByteSink {
    private(set) var bytes: [UInt8] = []
    var offset: Int { bytes.count }
    func take(_ more: RawBytes) async throws(VisitTrouble) -> Taking {
      bytes += more
      return .more
    }
    func startOver(mark: String, size: Int?) async throws(VisitTrouble) { bytes = [] }
  }

  private final class Counted: ItemSink {
    var count = 0
    func append(
      _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
    ) { count += 1 }
    func noteAnomaly(_ what: StaticString) {}
  }

  private final class Heard: SampleSink {
    private(set) var oddities = 0
    func append(_ sample: Sample) {}
    func append(_ series: Series, values: UnsafeBufferPointer<Int64>) {}
    func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {}
    func learn(_ fact: WearableFact) {}
    func noteAnomaly(_ what: StaticString) { oddities += 1 }
  }
}
