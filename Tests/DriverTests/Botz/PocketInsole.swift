// The smallest insole that a session can visit: files, a status word, a clock, and faults that a test switches on.

import EventLoop
import Health
import Wearable

@testable import Bluetooth
@testable import BotzFamily
@testable import DriverTestSupport

@LoopActor
final class PocketInsole: LinkPeer {
  var database: GATTDatabase
  private(set) lazy var link = ScriptedLink(self)

  var activity = Botz.StatusWord.Activity.idle
  var uptime: Int64 = 3600
  /// Seconds by which its clock differs from the hub's.
  var clockError: Int64 = 0
  var takesTime = true
  var files: [UInt8: [UInt8]] = [:]
  var newest: UInt8 = 0
  var name = Botz.rightFootName
  var isUpdating = false
  var erasesLeft = 1
  /// Bytes of a chunk.
  var chunk = 2431
  var usesIndefiniteMaps = true

  /// What is read instead of its values, by characteristic.
  var says: [BluetoothUUID: [UInt8]] = [:]

  /// Called with every management request; a value takes the place of the answer's payload.
  var answer: ((FileManagement.Request) -> CBOR?)?
  /// Called with every whole answer; gives what is notified instead of its pieces.
  var cut: (([UInt8]) -> [[UInt8]])?
  /// Refuses until the link is encrypted.
  var wantsEncryption = false
  private(set) var asked: [FileManagement.Request] = []
  private var pending: [UInt8] = []

  init(hasManagement: Bool = true, hasProfileRead: Bool = false) {
    let information = GATTServiceDefinition(
      Botz.Information.service,
      [
        GATTCharacteristicDefinition(Botz.Information.currentTime, .read),
        GATTCharacteristicDefinition(Botz.Information.status, [.read, .notify]),
        GATTCharacteristicDefinition(Botz.Information.statusPack, [.read, .notify]),
        GATTCharacteristicDefinition(Botz.Information.footPressure, [.read, .notify]),
        GATTCharacteristicDefinition(Botz.Information.orientation, [.read, .notify]),
        GATTCharacteristicDefinition(Botz.Information.updateProgress, [.read, .notify]),
        GATTCharacteristicDefinition(Botz.Information.newestFile, [.read, .notify]),
      ])
    // The number of the erase again, at a place that would be a disaster if a write meant it.
    let metrics = GATTServiceDefinition(
      Botz.Metrics.service, [GATTCharacteristicDefinition(Botz.Metric.cadence.characteristic, [.read, .notify])])
    let control = GATTServiceDefinition(
      Botz.Control.service,
      [
        Botz.Control.setTime, Botz.Control.start, Botz.Control.stop, Botz.Control.connectionProfile,
        Botz.Control.eraseFlash,
      ].map {
        GATTCharacteristicDefinition(
          $0,
          hasProfileRead && $0 == Botz.Control.connectionProfile ? [.read, .write] : [.write, .writeWithoutResponse])
      })
    let management = GATTServiceDefinition(
      Botz.Management.service, [GATTCharacteristicDefinition(Botz.Management.frames, [.writeWithoutResponse, .notify])])
    let gap = GATTServiceDefinition(0x1800, [GATTCharacteristicDefinition(0x2A00, .read)])
    database = .made(of: [gap, metrics, information, control] + (hasManagement ? [management] : []))
  }

  /// Streams send values, if one is on.
  var streamsCome = true
  /// What else happens while time passes.
  var whenSettled: (() -> Void)?
  /// A session that ends says in its footer that it did so now.
  var endsNow = true

  func settled(_ duration: Duration) {
    whenSettled?()
    guard streamsCome, activity.isStream, duration >= .milliseconds(400) else { return }
    for (uuid, size) in [(Botz.Information.footPressure, 36), (Botz.Information.orientation, 20)] {
      let isOn = activity == .bothStreams || (activity == .footStream) == (uuid == Botz.Information.footPressure)
      if isOn, let characteristic = database.characteristic(uuid, in: Botz.Information.service) {
        link.notify(characteristic, [UInt8](repeating: 0, count: size))
      }
    }
  }

  /// The clock falls back 512 s after it was set, and repeatedly.
  var fallsBack = false
  private var setAt: Int64 = 0

  var clock: Int64 {
    let falls = fallsBack ? (link.now - setAt) / 512_000_000_000 * 512 : 0
    return link.hubTime.wall.microseconds / 1_000_000 + clockError - falls
  }

  private func guardEncryption() throws(VisitTrouble) {
    if wantsEncryption, !link.isSecured { throw .refused(.insufficientEncryption, what: "a request") }
  }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    if characteristic.uuid == 0x2A00 { return Array(name.utf8) }
    try guardEncryption()
    if let said = says[characteristic.uuid] { return said }
    let status = Botz.StatusWord(activity)
    switch characteristic.uuid {
    case Botz.Information.currentTime: return Botz.CurrentTime(seconds: UInt32(clamping: clock)).encode()
    case Botz.Information.status: return status.encode()
    case Botz.Information.statusPack: return Botz.StatusPack(status: status, uptime: UInt32(clamping: uptime)).encode()
    case Botz.Information.newestFile: return [newest]
    case Botz.Information.updateProgress:
      return Botz.UpdateProgress(
        isActive: isUpdating, state: isUpdating ? .inProgress : .idle, percent: 0, received: 0, total: 0
      ).encode()
    default: throw .refused(.readNotPermitted, what: "a read")
    }
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    try guardEncryption()
    guard let control = database.services.first(where: { $0.uuid == Botz.Control.service }),
      control.handles.contains(characteristic.valueHandle),
      let verdict = Botz.ControlWrite.judge(characteristic.uuid, value)
    else { throw .refused(.writeNotPermitted, what: "a write") }
    switch verdict {
    case .refused(let code): throw .refused(code, what: "a write")
    case .ignored: break
    case .accepted(let write): take(write)
    }
  }

  private func take(_ write: Botz.ControlWrite) {
    switch write {
    case .setTime(let time):
      if takesTime {
        (clockError, setAt) = (Int64(time.seconds) - link.hubTime.wall.microseconds / 1_000_000, link.now)
      }
    case .start(.session), .start(.resume): activity = .running
    case .start(.bothStreams): activity = .bothStreams
    case .start(.footStream): activity = .footStream
    case .start(.orientationStream): activity = .orientationStream
    case .stop(.session):
      if activity == .running || activity == .paused {
        newest = newest == 255 || files.isEmpty ? 1 : newest + 1
        // `file` ends it 8 s after its beginning.
        files[newest, default: []] += Self.file(
          start: endsNow ? UInt32(clamping: clock) - 8 : 1_795_255_200, records: 3)
      }
      activity = .idle
    case .stop(.pause): activity = .paused
    case .stop: activity = .idle
    case .eraseFlash:
      if erasesLeft > 0 { files = [:] }
      erasesLeft -= 1
    default: break
    }
  }

  // MARK: management

  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    pending += value
    guard let header = pending.withUnsafeBytes({ SMPHeader($0) }), pending.count >= SMPHeader.size + Int(header.length)
    else { return }
    let whole = pending
    pending = []
    guard let frame = whole.withUnsafeBytes({ try? SMPFrame($0) }), let request = FileManagement.Request(frame) else {
      return
    }
    asked.append(request)
    guard let payload = answer?(request) ?? content(request) else { return }
    var answered = SMPHeader(
      request.operation == .write ? .writeReply : .readReply, group: header.group, sequence: header.sequence,
      command: header.command)
    answered.version = frame.header.version
    let bytes = SMPFrame(answered, payload).encode(indefinite: usesIndefiniteMaps)
    for piece in cut?(bytes) ?? Self.pieces(bytes, link.mtu - 3) { link.notify(characteristic, piece) }
  }

  nonisolated static func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }

  private func content(_ request: FileManagement.Request) -> CBOR? {
    func file(_ name: String) -> [UInt8]? {
      Botz.FileNumber(name: name).flatMap { $0.path == name ? files[$0.value] : nil }
    }
    switch request {
    case .status(let name):
      guard let file = file(name) else { return FileManagement.Failure.notFound.payload(version: 1) }
      return .map(["len": .unsigned(UInt64(file.count))])
    case .download(let name, let offset):
      guard let file = file(name) else { return FileManagement.Failure.notFound.payload(version: 1) }
      let data = offset < file.count ? Array(file[offset..<min(offset + chunk, file.count)]) : []
      return FileManagement.Chunk(offset: offset, data: data, total: offset == 0 ? file.count : nil).payload
    case .close: return .map([])
    }
  }

  /// A file of version 3 as the insole writes it.
  nonisolated static func file(start: UInt32, records: Int, isClosed: Bool = true) -> [UInt8] {
    var bytes = Botz.ActivityHeader(start: start).encode()
    for number in 0..<records {
      var record = Botz.ActivityRecord(number: UInt32(number), time: start + 3 + UInt32(number))
      (record.cadence, record.pace, record.speed, record.contact, record.flight) = (
        160 + UInt16(number % 10), 330, 109, 245, 88
      )
      bytes += record.encode()
    }
    return isClosed
      ? bytes + Botz.ActivityFooter(end: start + 5 + UInt32(records), packetCount: UInt32(records)).encode() : bytes
  }

  /// What was asked about files, by kind.
  var statusCount: Int { asked.count { if case .status = $0 { true } else { false } } }
  var downloadCount: Int { asked.count { if case .download = $0 { true } else { false } } }
}
