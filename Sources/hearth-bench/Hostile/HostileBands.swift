// Data of a hostile imitation of each family of bands: days, history, looks (answers of a Moyoung band), and invalid
// frames.

import Bands
import Bluetooth
import EventLoop
import FitCloudFamily
import MoyoungFamily
import StateCodec
import TopStepNextFamily
import Wearable

enum HostileBands {
  static let all = next + fitCloud + moyoung

  private static let database = GATTDatabase.made([
    (Band.service, [(Band.command, .writeWithoutResponse), (Band.answer, .notify)])
  ])

  // MARK: The new platform

  /// Answer with as many days as messages have room for, each with a frame of maximal length.
  private static let next = [
    days("days of empty readings", 31) { place in [0x08, UInt8(place + 1)] + many([0x1A, 0], 2040) },
    days("days of extremes", 31) { place in [0x08, UInt8(place + 1)] + many([0x32, 2, 0x10, 60], 1020) },
    days("a day in 500 messages", 500) { place in
      [0x08, 1, 0x22, 248] + [1] + many([UInt8(place % 200 + 1), UInt8(place / 200 + 1)], 124)
    },
    days("days of lists in pieces", 31) { place in [0x08, UInt8(place + 1)] + many([0x22, 0], 2040) },
    days("2 MiB of days", 512) { place in
      [0x08, UInt8(place % 100 + 1)] + many([0x1A, 0], 1000) + [0x10, UInt8(place / 100 + 1)] + many([0x1A, 0], 1000)
    },
    HostileCase(name: "TopStep: headers within headers") {
      // Each claims to contain all that follows, and has a wrong checksum.
      let bytes = many([0xAB, 5, 1, 0, 0x0F, 0], 16_000)
      return (
        bytes.count,
        {
          let source = TopStepNextDriver().liveSources(in: database).first { $0.characteristic == Band.answer }
          guard let source else { return "no frames" }
          return await HostileReading.live(TopStepNextDriver(), source, database, pieces(bytes, 244))
        }
      )
    },
  ]

  private static func days(_ name: String, _ count: Int, _ message: @escaping @Sendable (Int) -> [UInt8]) -> HostileCase
  {
    HostileCase(name: "TopStep: \(name)") {
      var stream = [[UInt8]]()
      for (place, message) in (0..<count).map(message).enumerated() {
        stream += pieces(frame(5, 1, [UInt8(place >> 8), UInt8(place & 0xFF)], message), 244)
      }
      stream.append(frame(5, 0x22, [0xF0, 0], []))
      let days = [(Band.answer, [])] + stream.map { (Band.answer, $0) }
      return (
        stream.reduce(0) { $0 + $1.count },
        {
          let band = TopStepBand(days)
          let link = HostileLink(database) { band.hear($0) }
          guard let session = TopStepNextDriver().makeSession(link) else { return "no session" }
          do throws(VisitTrouble) { _ = try await session.check() } catch { return "no session: \(error)" }
          guard let domain = session.domains.first else { return "no days" }
          return await HostileReading.all(of: domain)
        }
      )
    }
  }

  /// Answers every request with an empty message, and a sync with its days.
  @LoopActor
  private final class TopStepBand {
    /// The first is the answer itself.
    private var days: [(BluetoothUUID, [UInt8])]
    private var pending: [UInt8] = []

    init(_ days: [(BluetoothUUID, [UInt8])]) { self.days = days }

    func hear(_ piece: [UInt8]) -> [(BluetoothUUID, [UInt8])] {
      pending += piece
      guard pending.count >= 10, pending.count >= 10 + Int(pending[4]) << 8 + Int(pending[5]) else { return [] }
      let (command, key, number) = (pending[1], pending[2], [pending[8], pending[9]])
      pending = []
      let answer = HostileBands.frame(command, key, number, [])
      guard command == 5, key == 0x21 else { return [(Band.answer, answer)] }
      days[0].1 = answer
      return days
    }
  }

  fileprivate static func frame(_ command: UInt8, _ key: UInt8, _ number: [UInt8], _ payload: [UInt8]) -> [UInt8] {
    let crc = CRC16ARC.of(payload)
    let length = [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    return [0xAB, command, key, 0] + length + [UInt8(crc >> 8), UInt8(crc & 0xFF)] + number + payload
  }

  // MARK: FitCloud

  /// A transfer of maximal length: head, then records.
  private static let fitCloud = [
    history(
      "an hour's rates a thousand times", "heart-rate", many([0, 60, 0x35, 0x6C, 0, 0, 0, 1] + many([70], 60), 963)),
    history("65,000 rates of one record", "heart-rate", [0xFD, 0xE8, 0x35, 0x6C, 0, 0, 0, 1] + many([70], 65_000)),
    history("steps in records of one item", "steps", many([0, 1, 0x35, 0x6C, 0, 0, 0, 1, 0, 9], 6500)),
    history("records without items", "spo2", many([0, 0, 0x35, 0x6C, 0, 0, 0, 1], 8190)),
    history("bytes of no known layout", "sport", many([0xA5], 65_000)),
    HostileCase(name: "FitCloud: frames within frames") {
      let bytes = many([0xAB, 0, 0, 0xF0, 0xAB, 0, 0, 0xF0], 8000)
      return (
        bytes.count,
        {
          let source = FitCloudDriver().liveSources(in: database).first { $0.characteristic == Band.answer }
          guard let source else { return "no frames" }
          return await HostileReading.live(FitCloudDriver(), source, database, pieces(bytes, 512))
        }
      )
    },
  ]

  private static func history(_ name: String, _ kind: String, _ records: [UInt8]) -> HostileCase {
    HostileCase(name: "FitCloud: \(name)") {
      let bytes = [1, 3, 1, 0, 0x6B, 0x02, 0, 0] + records
      return (
        bytes.count,
        {
          guard let pieces = HistoryBytes.pieces(kind) else { return "no such kind" }
          _ = HistoryBytes.span(kind, bytes)
          await Task.yield()
          return await HostileReading.one(pieces, bytes)
        }
      )
    }
  }

  // MARK: Moyoung

  private static let moyoungDatabase = GATTDatabase.made([
    (
      Moyoung.service,
      [(Moyoung.totals, .read), (Moyoung.command, .writeWithoutResponse), (Moyoung.answer, .notify)]
    )
  ])

  private static let readAt: [UInt8] = [0, 0x90, 0x26, 0x6B]

  /// A frame, or a training, of maximal length.
  private static let moyoung = [
    look("1,360 stages of sleep", "sleep/2026-11-25", 2, [0x2E, 0x51, 0, 0] + many([2, 22, 30], 1360)),
    look(
      "a day of a training's rates", "training-rates/1795555328", 5,
      [0, 0, 0x06, 0x6B] + [0xA0, 5] + many([0], 180) + many([90], 1440)),
  ]

  private static func look(_ name: String, _ id: String, _ kind: UInt8, _ content: [UInt8]) -> HostileCase {
    HostileCase(name: "Moyoung: \(name)") {
      let bytes = [1, kind, 0] + readAt + content
      return (
        bytes.count,
        {
          let session = MoyoungDriver().makeSession(HostileLink(moyoungDatabase))
          let domain = session?.domains.first { id.hasPrefix($0.id + "/") }
          guard let domain else { return "no such kind" }
          return await HostileReading.one(domain.pieces(of: HeldItem(id: id)), bytes)
        }
      )
    }
  }

  // MARK: Bytes

  static func many(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    [[UInt8]](repeating: bytes, count: count).flatMap { $0 }
  }

  static func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }
}
