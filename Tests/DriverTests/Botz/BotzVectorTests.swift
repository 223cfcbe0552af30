import Bluetooth
import Foundation
import Testing
import Wearable

@testable import BotzFamily
@testable import DriverTestSupport

@Suite("The vectors of the insole")
struct BotzVectorTests {
  @Test("are there, each with its own id, and every file can be read")
  func vectorsAreThere() throws {
    let files = try BotzVectors.files(in: BotzVectors.folder)
    #expect(!files.isEmpty, "no vectors in \(BotzVectors.folder.path)")
    for file in files {
      let vectors = try BotzVectors.load(file)
      #expect(!vectors.isEmpty && Set(vectors.map(\.id)).count == vectors.count, "\(file).json")
    }
    print("vectors of the insole from \(BotzVectors.folder.path): \(BotzVectors.all.count) in \(files.count) files")
    #expect(try BotzVectors.files(in: BotzVectors.ownFolder).count == 19)
  }

  @Test("are what the driver makes of them", arguments: BotzVectors.all)
  func vector(_ vector: BotzVector) throws {
    switch vector.kind {
    case "att-exchange": try exchange(vector)
    case "notification-sequence": try sequence(vector)
    case "rule": try rule(vector)
    default:
      guard let fields = try BotzDecoding.fields(of: vector) else { return notCovered("value", vector, isKnown: false) }
      expect(fields, vector)
      frame(vector, fields)
      if try !back(vector) { notCovered("encoding of \(vector.kind) \(vector.characteristic ?? "")", vector) }
    }
    for key in vector.otherKeys { notCovered("key \(key)", vector) }
  }

  /// Parts of our own vectors that are not compared, by their prefix, and why they are outside the hub's task.
  private static let notOurs: [(part: String, why: String)] = [
    ("encoding of advertising", "a hub advertises as no insole, and the twin has bytes of its own"),
    ("encoding of file", "an insole writes its files, and the twin writes them from the description"),
    ("encoding of layout", "no build sends it, or sends zeros, and no driver listens for it"),
    ("encoding of gatt-value", "an insole tells it and no hub does; the twin has bytes of its own"),
    ("field meaning", "a sentence about a frame without content, whose header is held"),
    ("exchange with 4fd5b68b", "a read that is refused: the hub reads a profile only if it can be read"),
    ("exchange with 7e500003", "a placeholder that no driver asks"),
    ("exchange with da2e7829", "it chooses the other foot, and the hub fetches of this one"),
  ]

  /// - Parameter isKnown: our own vectors have it, too, for one of the reasons above.
  private func notCovered(_ part: String, _ vector: BotzVector, isKnown: Bool = true) {
    let why = isKnown ? Self.notOurs.first { part.hasPrefix($0.part) }?.why : nil
    Attempts.notCovered("botz/\(vector.file)", why.map { "\(part): \($0)" } ?? part)
    #expect(why != nil || BotzVectors.folder != BotzVectors.ownFolder, "\(part) is held against nothing")
  }

  /// What a vector says about its bytes, and not in them.
  private func frame(_ vector: BotzVector, _ fields: [String: JSON]) {
    if let length = vector.length { #expect(vector.bytes?.count == length) }
    // Flags stand in what is advertised, and in no answer to a scan (Supplement to the Core Specification, A 1.3).
    if let pdu = vector.pdu { #expect(pdu == (fields["flags"] == nil ? "SCAN_RSP" : "ADV_IND")) }
    // The signalling channel of LE belongs to the kernel: only the parameters reach the hub.
    if let channel = vector.channel { #expect(channel == 5) }
    if vector.isOnWire != nil {
      #expect(!BotzDriver().liveSources.contains { $0.service == Botz.Orientation3D.service })
    }
  }

  private func expect(_ fields: [String: JSON], _ vector: BotzVector) {
    for (name, stated) in vector.stated {
      // A sentence.
      if name == "meaning" {
        notCovered("field meaning", vector)
      } else if let own = fields[name] {
        #expect(own.covers(stated), "\(name): \(own), stated \(stated)")
      } else {
        notCovered("field \(name)", vector, isKnown: false)
      }
    }
    if let legal = vector.legal, case .number(let minimum)? = fields["interval_min"] {
      #expect(minimum > 0 && (parameters(fields)?.defect == nil) == legal)
    }
  }

  /// The way back, for what a simulated insole sends and the hub writes.
  ///
  /// - Returns: there is one.
  private func back(_ vector: BotzVector) throws -> Bool {
    guard let bytes = vector.bytes else { return false }
    return try bytes.withUnsafeBytes { raw in
      switch (vector.kind, vector.characteristicUUID) {
      case ("smp-frame", _):
        let frame = try SMPFrame(raw)
        // Answers come with maps of unknown length; requests and answers read the same in either form.
        for indefinite in [false, true] {
          let again = try frame.encode(indefinite: indefinite).withUnsafeBytes { try SMPFrame($0) }
          #expect(again.payload == frame.payload && again.header.sequence == frame.header.sequence)
        }
        if vector.op == "write-without-response", frame.header.group == FileManagement.group {
          let request = try #require(FileManagement.Request(frame))
          #expect(request.frame(sequence: frame.header.sequence, version: frame.header.version).encode() == bytes)
        }
      case ("l2cap-signal", _): #expect(try Botz.ParameterSignal(raw).encode() == bytes)
      case ("gatt-value", Botz.Information.currentTime?):
        #expect(try Botz.CurrentTime(raw).encode() == bytes)
        let seconds = try UInt32(vector: try Botz.CurrentTime(raw).seconds)
        #expect(Botz.CurrentTime(seconds: seconds).encode() == bytes)
      case ("gatt-value", Botz.Information.status?): #expect(try Botz.StatusWord(raw).encode() == bytes)
      case ("gatt-value", Botz.Information.statusPack?): #expect(try Botz.StatusPack(raw).encode() == bytes)
      case ("gatt-value", Botz.Information.footPressure?): #expect(try Botz.FootPressure(raw).encode() == bytes)
      case ("gatt-value", Botz.Information.orientation?): #expect(try Botz.Orientation(raw).encode() == bytes)
      case ("gatt-value", Botz.Information.updateProgress?): #expect(try Botz.UpdateProgress(raw).encode() == bytes)
      case ("gatt-value", Botz.Information.liveRecord?): #expect(try Botz.ActivityRecord(raw).encode() == bytes)
      case ("gatt-value", Botz.Information.liveFooter?): #expect(try Botz.ActivityFooter(raw).encode() == bytes)
      case ("gatt-value", Botz.Information.liveHeader?):
        if let header = try Botz.ActivityHeader.live(raw) { #expect(header.encodeLive() == bytes) }
      default: return false
      }
      return true
    }
  }

  // MARK: exchanges

  private func exchange(_ vector: BotzVector) throws {
    let bytes = try #require(vector.bytes)
    let expectation = try #require(vector.expect)
    if let code = expectation.code, let name = expectation.name {
      // Codes have the names of the specification, but for those a service may choose itself.
      if code < 0x80 {
        #expect(
          ATTErrorCode(rawValue: code).description.hasPrefix(
            name.lowercased().replacing("attribute value", with: "value")))
      }
    }
    guard vector.isWrite, vector.serviceUUID == Botz.Control.service, let characteristic = vector.characteristicUUID
    else { return notCovered("exchange with \(vector.characteristic ?? "")", vector) }
    let verdict = try #require(Botz.ControlWrite.judge(characteristic, bytes), "a characteristic nobody knows")
    switch (verdict, expectation.att) {
    case (.refused(let code), "error"): #expect(code.rawValue == expectation.code)
    case (.ignored, "write-response"): #expect(vector.fields?["action"].map { $0 == .string("ignored") } ?? true)
    case (.accepted(let write), "write-response"):
      #expect(write.characteristic == characteristic && write.encode() == bytes)
      try accepted(write, vector, expectation)
    case (.accepted(.connectionProfile(let profile)), "error"):
      // What the stack or the link refuses cannot be told from the value: the idle parameters are illegal, everything
      // else depends on the link.
      let code = ATTErrorCode(rawValue: expectation.code ?? 0)
      #expect([.unlikelyError, .insufficientEncryption, .insufficientAuthentication].contains(code))
      if profile == .idle { #expect(Botz.AskedParameters.profile(profile).defect != nil) }
    case (_, "error") where expectation.code == ATTErrorCode.unlikelyError.rawValue: break  // a full queue inside
    default: Issue.record("\(verdict) where \(String(describing: expectation.att)) is expected")
    }
  }

  private func accepted(_ write: Botz.ControlWrite, _ vector: BotzVector, _ expectation: BotzVector.Expectation) throws
  {
    var fields: [String: JSON] = [:]
    switch write {
    case .setTime(let time): fields["epoch_s"] = .integer(time.seconds)
    case .start(let code):
      fields["action"] = .oneOf(
        [["start"], ["unpause", "resume"], ["foot-stream"], ["quaternion-stream"], ["both-streams"]][
          Int(code.rawValue) - 1
        ].map { .string($0) })
    case .stop(let code):
      fields["action"] = .oneOf(
        [["stop"], ["pause"], ["stop-foot-stream"], ["stop-quaternion-stream"], ["stop-both-streams"]][
          Int(code.rawValue) - 1
        ].map { .string($0) })
    case .calibrateMotion: fields["action"] = .string("bhi360-calibration")
    case .resetBonds: fields["action"] = .oneOf([.string("reset-bonds"), .string("reset"), .string("bond-reset")])
    case .eraseFlash: fields["action"] = .oneOf([.string("erase-flash"), .string("erase")])
    case .deleteFile(let id), .deleteLeftFile(let id): fields["id"] = .integer(id)
    case .connectionProfile(let profile): try profileFields(profile, expectation, &fields)
    case .calibrateWeight(let kilograms):
      fields["mode"] = .string(kilograms == nil ? "legacy" : "known")
      if let kilograms { fields["known_weight_kg"] = .number(Double(kilograms)) }
    case .position(let position): fields = positionFields(position)
    case .userInfo(let info):
      fields = [
        "age_years": .integer(info.age), "gender": .integer(info.gender), "height_mm": .integer(info.height),
        "weight_raw": .integer(info.weight),
        "height_cm": .number(Double(info.height) / 10), "weight_kg": .number(Double(info.weight) / 100),
      ]
    }
    expect(fields, vector)
  }

  private func positionFields(_ position: Botz.PositionUpdate) -> [String: JSON] {
    // Several names of one number.
    let names: [([String], Double)] = [
      (["opcode"], Double(position.opcode)),
      (["epoch_s", "timestamp", "timestamp_s", "time"], Double(position.seconds)),
      (["latitude_e7", "lat_e7", "latitude_1e7", "latitude_x1e7", "latitude_raw"], Double(position.latitude)),
      (["longitude_e7", "lon_e7", "longitude_1e7", "longitude_x1e7", "longitude_raw"], Double(position.longitude)),
      (["latitude", "latitude_deg", "lat_deg"], Double(position.latitude) / 1e7),
      (["longitude", "longitude_deg", "lon_deg"], Double(position.longitude) / 1e7),
      (["speed_cm_s", "speed_cms"], Double(position.speed)), (["distance_m"], Double(position.distance)),
      (["accuracy_m"], Double(position.accuracy)),
      (["elevation_change_m", "elevation_m", "elevation_delta_m"], Double(position.climb)),
      (["speed_m_s"], Double(position.speed) / 100),
    ]
    return Dictionary(uniqueKeysWithValues: names.flatMap { names, value in names.map { ($0, JSON.number(value)) } })
  }

  private func profileFields(
    _ profile: LinkProfile, _ expectation: BotzVector.Expectation, _ fields: inout [String: JSON]
  ) throws {
    let names: [LinkProfile: String] = [.foreground: "FOREGROUND", .background: "BACKGROUND", .idle: "BACKGROUND_IDLE"]
    fields["profile"] = names[profile].map { .string($0) }
    let published = try #require(BotzDriver().profileCharacteristic.published[profile])
    if let asked = expectation.params {
      #expect(
        asked["interval_min"] == Double(published.minimumInterval)
          && asked["interval_max"] == Double(published.maximumInterval))
      #expect(asked["latency"] == Double(published.latency) && asked["timeout"] == Double(published.timeout))
    }
    if expectation.then == "nothing" { #expect(published.defect != nil, "a legal request would be sent") }
  }

  // MARK: sequences and rules

  private func sequence(_ vector: BotzVector) throws {
    let parts = try #require(vector.hexList).map { try #require(Array(hexadecimal: $0)) }
    if vector.serviceUUID == Botz.FileProxy.service { return try fileProxy(parts, vector) }
    if vector.characteristicUUID == Botz.Management.frames {
      var reassembler = SMPReassembler()
      var frames: [[UInt8]] = []
      for part in parts {
        switch reassembler.take(part) {
        case .more: break
        case .whole(let frame): frames.append(frame)
        case .defective(let why): Issue.record("\(why)")
        }
      }
      #expect(frames.count == 1 && reassembler.isEmpty)
      let frame = try #require(frames.first)
      if case .string(let id)? = vector.fields?["reassembled_id"] {
        let near = try BotzVectors.load(vector.file) + BotzVectors.load(vector.file, in: BotzVectors.ownFolder)
        let whole = try #require(near.first { $0.id == id })
        #expect(frame == whole.bytes)
      }
      _ = try frame.withUnsafeBytes { try SMPFrame($0) }
      return
    }
    // Values in the order in which they are notified.
    for part in parts {
      let one = try value(part, like: vector)
      #expect(one != nil)
    }
  }

  private func value(_ bytes: [UInt8], like vector: BotzVector) throws -> [String: JSON]? {
    let text = BotzDecoding.hex(bytes)
    let json =
      #"{"id":"part","kind":"gatt-value","hex":"\#(text)","service":"\#(vector.service ?? "")","characteristic":"\#(vector.characteristic ?? "")"}"#
    return try BotzDecoding.fields(of: try JSONDecoder().decode(BotzVector.self, from: Data(json.utf8)))
  }

  /// The placeholder's answers are decoded to know what must not be believed; the driver never asks for them.
  private func fileProxy(_ parts: [[UInt8]], _ vector: BotzVector) throws {
    var fields: [String: JSON] = [:]
    var entries: [JSON] = []
    for part in parts {
      switch try part.withUnsafeBytes({ try Botz.FileProxyAnswer($0) }) {
      case .list(let count): fields["count"] = .integer(count)
      case .info: break
      case .entry(let number, let kind, let size, let time, let name):
        entries.append(
          .object([
            "id": .integer(number), "type": .integer(kind), "size": .integer(size), "timestamp": .integer(time),
            "name": .string(name),
          ]))
      case .details(let status, let number, let kind, let size, let time, let checksum):
        fields.merge([
          "status": .integer(status), "id": .integer(number), "type": .integer(kind), "size": .integer(size),
          "timestamp": .integer(time),
          "crc32": .integer(checksum),
        ]) { $1 }
      }
    }
    fields["entries"] = .array(entries)
    expect(fields, vector)
    #expect(!BotzDriver().liveSources.contains { $0.service == Botz.FileProxy.service })
  }

  private func rule(_ vector: BotzVector) throws {
    let fields = vector.fields ?? [:]
    if case .number(let interval)? = fields["interval"] {
      let names: [LinkProfile: String] = [
        .foreground: "FOREGROUND", .background: "BACKGROUND", .idle: "BACKGROUND_IDLE",
      ]
      let units = try UInt16(vector: interval)
      #expect(vector.derived?["profile"] == names[Botz.guessedProfile(interval: units)].map { .string($0) })
      return
    }
    let parameters = try #require(self.parameters(fields), "a rule nobody knows")
    let needed = Double((1 + Int(parameters.latency)) * Int(parameters.maximumInterval)) * 1.25 * 2
    expect(
      [
        "legal": .bool(parameters.defect == nil), "needs_more_than_ms": .number(needed),
        "has_ms": .integer(Int(parameters.timeout) * 10),
      ].merging(fields) { own, _ in own },
      vector)
  }

  private func parameters(_ fields: [String: JSON]) -> ConnectionParameters? {
    guard case .number(let minimum)? = fields["interval_min"], case .number(let maximum)? = fields["interval_max"],
      case .number(let latency)? = fields["latency"],
      case .number(let timeout)? = fields["timeout"]
    else { return nil }
    guard let minimum = UInt16(exactly: minimum), let maximum = UInt16(exactly: maximum),
      let latency = UInt16(exactly: latency), let timeout = UInt16(exactly: timeout)
    else { return nil }
    return ConnectionParameters(minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
  }
}
