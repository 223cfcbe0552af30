// A wearable for these tests alone: some files behind three GATT characteristics, and every misbehaviour that a test
// asks of it.
//
//     control (write)   1 list | 2 index offset u32 | 3 remove all | 4 clock | 5 state | 6 remove index
//     data (notify)     the command, then: list: index, mark, size u32, name; end FF. fetch: bytes; end: FF alone.
//                       others: a value
//     profile (write)   one octet
//     pulse (notify)    beats a minute

import Bluetooth
import EventLoop

let recorderService: BluetoothUUID = 0xFFF0
let recorderControl: BluetoothUUID = 0xFFF1
let recorderData: BluetoothUUID = 0xFFF2
let recorderProfile: BluetoothUUID = 0xFFF3
let recorderPulse: BluetoothUUID = 0xFFF4

struct RecorderFile: Equatable {
  var name: String
  var mark: UInt8
  var bytes: [UInt8]

  /// Big enough to take a while: `count` bytes that tell their place, and can be heart rates.
  static func of(_ count: Int, name: String = "a", mark: UInt8 = 1) -> RecorderFile {
    RecorderFile(name: name, mark: mark, bytes: (0..<count).map { byte(at: $0, mark) })
  }

  /// 20 to 255: heart rates that can be.
  static func byte(at place: Int, _ mark: UInt8) -> UInt8 {
    let mixed: Int = place &* 31 &+ place >> 8 &+ Int(mark)
    return UInt8(leastByte + mixed % (256 - leastByte))
  }

  static let leastByte = 20
}

@LoopActor
final class RecorderTwin {
  enum Event: Equatable {
    case listed
    case fetched(String, from: Int)
    case removedAll
    case removed(String)
    case finished
    case profile(UInt8)
    case linked
  }
  var files: [RecorderFile] = []
  private(set) var log: [Event] = []
  var isBusy = false
  var refusesList = false
  /// From one line of a listing to the next; nil: all at once.
  var listsEach: Duration?
  var removesNothing = false
  /// The next listing is nonsense, once.
  var breaksFraming = false
  /// Stops answering after so many bytes of payload, once.
  var fallsSilentAfter: Int?
  /// Cuts the link after so many bytes of payload, once.
  var cutsLinkAfter: Int?
  /// Cuts the link when it is asked for its files for that time, counted from 1.
  var cutsLinkAtListing: Int?
  /// Called before a file is read.
  var onFetch: (() -> Void)?
  /// Called once, after so many bytes of payload.
  var afterBytes: (count: Int, body: () -> Void)?
  /// µs since 1970 as it means it, at the loop's time zero.
  var clockOffset: Int64 = 0
  /// Called before everything is removed; false: the files stay, without an answer.
  var onRemoveAll: (() -> Bool)?
  /// Asked after everything was removed: false, and there is no answer.
  var afterRemoveAll: (() -> Bool)?
  /// Lines that are listed before the real ones.
  var hostileLines: [[UInt8]] = []
  /// Flips a byte of the next file that is read.
  var corruptsOnce = false
  /// How it answers profile writes.
  var profileAnswers: [UInt8: ATTErrorCode] = [:]
  /// What it answers each write of its control point; nil: that it was taken.
  var controlAnswer: ATTErrorCode?
  /// How often it tells a heart rate over its link; nil from the beginning: never.
  var beats: Duration?
  /// Sends no answers for now.
  var isMute = false
  /// What it tells as its heart rate; one octet is a good one.
  var pulse: [UInt8] = [72]
  /// The next value instead, each time; nil: no value this time.
  var next: (() -> [UInt8]?)?
  /// The answer of a faulty firmware; nil: it answers as it should.
  var tampers: (([UInt8]) -> [[UInt8]]?)?
  /// When something was written to its service, subscriptions aside.
  private(set) var writes: [Instant] = []
  var payload = 0
  weak var bearer: RecorderBearer?
  private var server: GATTServer
  let loop: any Loop

  init(_ loop: any Loop, profile: GATTProperties? = nil) {
    self.loop = loop
    var characteristics = [
      GATTCharacteristicDefinition(recorderControl, [.write]),
      GATTCharacteristicDefinition(recorderData, [.notify]),
    ]
    if let profile { characteristics.append(GATTCharacteristicDefinition(recorderProfile, profile, value: [0])) }
    characteristics.append(GATTCharacteristicDefinition(recorderPulse, [.notify]))
    server = GATTServer([GATTServiceDefinition(recorderService, characteristics)], ownMTU: 247)
  }

  /// What it says of itself from its next link on; nil: it has no such value.
  func become(
    name: String? = nil, serial: String? = nil, model: String? = nil, firmware: String? = nil, shift: Int = 0
  ) {
    var services: [GATTServiceDefinition] = []
    func value(_ uuid: BluetoothUUID, _ text: String?) -> [GATTCharacteristicDefinition] {
      text.map { [GATTCharacteristicDefinition(uuid, [.read], value: Array($0.utf8))] } ?? []
    }
    services.append(GATTServiceDefinition(.genericAccess, value(.deviceName, name)))
    let information = value(0x2A25, serial) + value(0x2A24, model) + value(.firmwareRevision, firmware)
    if !information.isEmpty { services.append(GATTServiceDefinition(0x180A, information)) }
    for _ in 0..<shift {
      services.append(GATTServiceDefinition(0xFFE0, [GATTCharacteristicDefinition(0xFFE1, [.read], value: [1])]))
    }
    services.append(
      GATTServiceDefinition(
        recorderService,
        [
          GATTCharacteristicDefinition(recorderControl, [.write]),
          GATTCharacteristicDefinition(recorderData, [.notify]),
          GATTCharacteristicDefinition(recorderPulse, [.notify]),
        ]))
    server = GATTServer(services, ownMTU: 247)
  }

  func linked(_ bearer: RecorderBearer) {
    server.reset()
    self.bearer = bearer
    note(.linked)
    beat(bearer)
  }

  private func beat(_ link: RecorderBearer) {
    guard let beats, bearer === link, !link.isClosed else { return }
    if !isMute, server.isSubscribed(to: recorderPulse), let value = next.map({ $0() }) ?? pulse,
      let pdu = server.notification(for: recorderPulse, value: value)
    {
      link.deliver(pdu)
    }
    loop.schedule(after: beats) { [weak self, weak link] in if let link { self?.beat(link) } }
  }

  func note(_ event: Event) { log.append(event) }
  func fetches(_ name: String) -> [Int] {
    log.compactMap { if case .fetched(name, let from) = $0 { from } else { nil } }
  }

  var clock: Int64 { loop.wall.microseconds + clockOffset }

  func received(_ pdu: [UInt8]) {
    if let answers = tampers?(pdu) {
      for answer in answers { bearer?.deliver(answer) }
      return
    }
    if pdu.first == 0x12 || pdu.first == 0x52, pdu.count >= 3 {
      let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
      if [recorderControl, recorderProfile].contains(where: { server.valueHandle(of: $0) == handle }) {
        writes.append(loop.now)
      }
    }
    // A write of the profile may be refused, which a table of values cannot.
    if pdu.first == 0x12, pdu.count == 4, let handle = server.valueHandle(of: recorderProfile),
      UInt16(pdu[1]) | UInt16(pdu[2]) << 8 == handle
    {
      note(.profile(pdu[3]))
      if let code = profileAnswers[pdu[3]] {
        bearer?.deliver([0x01, 0x12, pdu[1], pdu[2], code.rawValue])
        return
      }
    }
    if pdu.first == 0x12, pdu.count > 3, let code = controlAnswer, let handle = server.valueHandle(of: recorderControl),
      UInt16(pdu[1]) | UInt16(pdu[2]) << 8 == handle
    {
      bearer?.deliver([0x01, 0x12, pdu[1], pdu[2], code.rawValue])
      return
    }
    if let answer = pdu.withUnsafeBytes({ server.respond(to: $0) }) { bearer?.deliver(answer) }
    for write in server.takeWrites() {
      if write.characteristic == recorderControl, write.attribute == recorderControl { command(write.value) }
      if write.characteristic == recorderProfile, write.attribute == recorderProfile {
        server.setValue(write.value, for: recorderProfile)
      }
    }
  }

  private func list(_ lines: [[UInt8]], _ link: RecorderBearer?) {
    guard let listsEach else { return lines.forEach(notify) }
    for (place, line) in lines.enumerated() {
      loop.schedule(after: listsEach * (place + 1)) { [weak self, weak link] in
        guard let self, let link, bearer === link, !link.isClosed else { return }
        notify(line)
      }
    }
  }

  private func command(_ value: [UInt8]) {
    switch value.first {
    case 1:
      note(.listed)
      if let count = cutsLinkAtListing, log.count(where: { $0 == .listed }) == count {
        return bearer?.cut(.linkLost) ?? ()
      }
      if breaksFraming {
        breaksFraming = false
        return notify([1])
      }
      if refusesList { return notify([1, 0xFE]) }
      var lines = hostileLines.map { [1] + $0 }
      for (index, file) in files.enumerated() {
        let size = UInt32(file.bytes.count)
        lines.append(
          [1, UInt8(index), file.mark] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
            + Array(file.name.utf8))
      }
      list(lines + [[1, 0xFF]], bearer)
    case 2 where value.count == 6:
      fetch(Int(value[1]), Int(value[2]) | Int(value[3]) << 8 | Int(value[4]) << 16 | Int(value[5]) << 24)
    case 3:
      if let onRemoveAll, !onRemoveAll() { return }
      note(.removedAll)
      if !removesNothing { files = [] }
      if let afterRemoveAll, !afterRemoveAll() { return }
      notify([3, UInt8(files.count)])
    case 4: notify([4] + (0..<8).map { UInt8(truncatingIfNeeded: clock >> (8 * Int64($0))) })
    case 5: notify([5, isBusy ? 1 : 0])
    case 6 where value.count == 2 && Int(value[1]) < files.count:
      let file = files[Int(value[1])]
      note(.removed(file.name))
      if !removesNothing { files.remove(at: Int(value[1])) }
      notify([6, 0])
    case 7: note(.finished)
    default: break
    }
  }

  private func fetch(_ index: Int, _ offset: Int) {
    onFetch?()
    guard index < files.count else { return notify([2, 0xFF]) }
    note(.fetched(files[index].name, from: offset))
    send(files[index].bytes, offset)
  }

  /// A piece in each connection event.
  private func send(_ bytes: [UInt8], _ offset: Int) {
    guard offset < bytes.count else { return notify([2, 0xFF]) }
    var piece = Array(bytes[offset..<min(offset + 200, bytes.count)])
    if corruptsOnce {
      corruptsOnce = false
      piece[0] ^= 0x55
    }
    if let limit = cutsLinkAfter, payload + piece.count >= limit {
      cutsLinkAfter = nil
      payload += piece.count
      // The last pieces are lost with the link.
      return bearer?.cut(.linkLost) ?? ()
    }
    if let limit = fallsSilentAfter, payload + piece.count >= limit {
      fallsSilentAfter = nil
      return
    }
    payload += piece.count
    notify([2, 0] + piece)
    if let after = afterBytes, payload >= after.count {
      afterBytes = nil
      after.body()
    }
    let link = bearer
    loop.schedule(after: .milliseconds(15)) { [weak self] in
      guard let self, let link, bearer === link, !link.isClosed else { return }
      send(bytes, offset + piece.count)
    }
  }

  private func notify(_ value: [UInt8]) {
    guard server.isSubscribed(to: recorderData), let pdu = server.notification(for: recorderData, value: value) else {
      return
    }
    bearer?.deliver(pdu)
  }
}
