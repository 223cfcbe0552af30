// What the driver makes of the bytes of a vector, in the vectors' own words.

import Bluetooth
import EventLoop
import GATTServices
import GATTVectorFormats
import Testing
import Wearable

@testable import BotzFamily
@testable import DriverTestSupport

enum BotzDecoding {
  /// Everything the driver can say about a value; nil if it does not know it.
  static func fields(of vector: BotzVector) throws -> [String: JSON]? {
    let bytes = try #require(vector.bytes, "no bytes")
    return try bytes.withUnsafeBytes { bytes in
      switch vector.kind {
      case "advertising": advertising(bytes)
      case "gatt-value": try value(vector, bytes)
      case "smp-frame": frame(try SMPFrame(bytes))
      case "file": try file(vector, bytes)
      case "layout": try layout(bytes)
      case "l2cap-signal": try signal(bytes)
      default: nil
      }
    }
  }

  // MARK: values

  private static func value(_ vector: BotzVector, _ bytes: RawBytes) throws -> [String: JSON]? {
    guard let service = vector.serviceUUID, let characteristic = vector.characteristicUUID else { return nil }
    if service == Botz.Metrics.service { return try metric(vector, characteristic, bytes) }
    if service == 0x180A { return ["text": .string(DeviceInformation.text(bytes))] }
    if service == 0x180F {
      let level = JSON.integer(try BatteryLevel(bytes).percent)
      return ["percent": level, "battery_pct": level, "level": level, "level_pct": level]
    }
    if service == Botz.Orientation3D.service { return try layout(bytes) }
    guard service == Botz.Information.service else { return nil }
    switch characteristic {
    case Botz.Information.currentTime: return time(try Botz.CurrentTime(bytes))
    case Botz.Information.status: return status(try Botz.StatusWord(bytes))
    case Botz.Information.footPressure:
      let value = try Botz.FootPressure(bytes)
      return ["timestamp_ms": .integer(value.uptime), "right": numbers(value.right), "left": numbers(value.left)]
    case Botz.Information.orientation: return orientation(try Botz.Orientation(bytes))
    case Botz.Information.chargeState: return ["charge_status": .integer(try Botz.ChargeState(bytes).rawValue)]
    case Botz.Information.batteryLevels:
      let levels = try Botz.BatteryLevels(bytes)
      return ["right_pct": .integer(levels.right), "left_pct": .integer(levels.left)]
    case Botz.Information.weight:
      let tenths = try Botz.Weight(bytes).tenths
      return ["weight_kg_x10": .integer(tenths), "weight_kg": .number(Double(tenths) / 10)]
    case Botz.Information.statusPack: return pack(try Botz.StatusPack(bytes))
    case Botz.Information.updateProgress, Botz.Information.leftUpdateProgress:
      return progress(try Botz.UpdateProgress(bytes))
    case Botz.Information.newestFile, Botz.Information.leftNewestFile:
      let number = try Botz.NewestFile(bytes).number
      return ["id": .integer(number?.value ?? 0), "path": number.map { .string($0.path) } ?? .null]
    case Botz.Information.newestFilePath, Botz.Information.leftNewestFilePath:
      let text = Botz.AnnouncedPath(bytes).text
      // What the hub makes of it: the number, and from that the path.
      return ["path": .string(text), "usable_path": Botz.FileNumber(name: text).map { .string($0.path) } ?? .null]
    case Botz.Information.liveHeader:
      let header = try Botz.ActivityHeader.live(bytes)
      return [
        "header": header.map(Self.header) ?? .null, "trailing": .string(hex(bytes.dropFirst(Botz.ActivityHeader.size))),
      ]
    case Botz.Information.liveRecord: return ["record": record(try Botz.ActivityRecord(bytes))]
    case Botz.Information.liveFooter: return ["footer": footer(try Botz.ActivityFooter(bytes))]
    case Botz.Information.leftManufacturer, Botz.Information.leftModel, Botz.Information.leftSerial,
      Botz.Information.leftHardware,
      Botz.Information.leftFirmware:
      return ["text": .string(DeviceInformation.text(bytes))]
    default: return nil
    }
  }

  private static func metric(_ vector: BotzVector, _ characteristic: BluetoothUUID, _ bytes: RawBytes) throws
    -> [String: JSON]?
  {
    guard let metric = Botz.Metric(characteristic: characteristic) else { return nil }
    let value = JSON.integer(try metric.value(bytes))
    var reader = ByteReader(bytes)
    let raw = bytes.count >= 4 ? reader.u32().map { JSON.integer($0) } : value
    // Each file names its one number as it likes.
    return Dictionary(
      uniqueKeysWithValues: vector.stated.keys.map { name in
        if name == "always_zero" { return (name, metric.secondWord(bytes).map { .integer($0) } ?? .null) }
        return (name, name.contains("raw") ? raw ?? .null : value)
      })
  }

  private static func time(_ time: Botz.CurrentTime) -> [String: JSON] {
    [
      "year": .integer(time.year), "month": .integer(time.month), "day": .integer(time.day),
      "hour": .integer(time.hour), "minute": .integer(time.minute),
      "second": .integer(time.second), "day_of_week": .integer(time.weekday), "fractions256": .integer(time.fraction),
      "adjust_reason": .integer(time.adjustReason), "dst_offset": .integer(time.daylightSaving),
      "time_zone": .integer(time.timeZone),
      "epoch_s": .integer(time.seconds),
    ]
  }

  private static func status(_ status: Botz.StatusWord) -> [String: JSON] {
    let activity: JSON =
      switch status.activity {
      case .idle: .string("idle")
      case .running: .string("running")
      case .paused: .string("paused")
      case .footStream: .string("foot_stream")
      case .bothStreams: .string("both_stream")
      case .orientationStream:
        .oneOf([.string("quat_stream"), .string("quaternion_stream"), .string("orientation_stream")])
      }
    return [
      "status": .integer(status.bits), "bits": .array(status.names.map { .string($0) }),
      "has_error": .bool(status.hasError), "activity": activity,
    ]
  }

  private static func pack(_ pack: Botz.StatusPack) -> [String: JSON] {
    [
      "status": .integer(pack.status.bits), "battery_pct": .integer(pack.batteryPercent),
      "charge_status": .integer(pack.chargeState),
      "temperature_c": .integer(pack.temperatureCelsius), "activity_state": .integer(pack.activityState),
      "uptime_s": .integer(pack.uptime),
      "free_storage_mb": .integer(pack.freeMegabytes), "connected_devices": .integer(pack.linkedDevices),
      "reserved": .integer(pack.reserved),
    ]
  }

  private static func progress(_ progress: Botz.UpdateProgress) -> [String: JSON] {
    [
      "active": .integer(progress.active), "status": .integer(progress.stateCode),
      "percent": .integer(progress.percent),
      "bytes_received": .integer(progress.received), "total_size": .integer(progress.total),
      "error_code": .integer(progress.error),
    ]
  }

  private static func orientation(_ value: Botz.Orientation) -> [String: JSON] {
    func components(_ quaternion: SIMD4<Int16>, _ scale: Double) -> JSON {
      .object(
        Dictionary(
          uniqueKeysWithValues: zip(["x", "y", "z", "w"], 0..<4).map { ($0, .number(Double(quaternion[$1]) / scale)) }))
    }
    let scale = Double(Botz.Orientation.scale)
    return [
      "timestamp_ms": .integer(value.uptime), "right_raw": components(value.right, 1),
      "left_raw": components(value.left, 1),
      "right": components(value.right, scale), "left": components(value.left, scale),
    ]
  }

  // MARK: files

  static func header(_ header: Botz.ActivityHeader) -> JSON {
    .object([
      "magic": .string("BOTZ"), "version": .integer(Botz.ActivityHeader.version), "start_time": .integer(header.start),
      "sample_rate_hz": .integer(header.sampleRate), "fw_version": .string(header.firmware),
      "height_cm": .integer(header.height),
      "weight_kg": .integer(header.weight), "age_years": .integer(header.age), "sex": .integer(header.sex),
      "battery_mv": .integer(header.batteryMillivolts),
      "battery_pct": .integer(header.batteryPercent), "battery_status": .integer(header.batteryState),
      "service_uuid": .string(header.service.description),
    ])
  }

  static func record(_ record: Botz.ActivityRecord) -> JSON {
    .object([
      "packet_number": .integer(record.number), "timestamp": .integer(record.time),
      "cadence_spm": .integer(record.cadence),
      "pace_s_per_km": .integer(record.pace), "speed_kmh_x10": .integer(record.speed),
      "balance_lr_pct": .integer(record.balance),
      "ground_contact_ms": .integer(record.contact), "flight_time_ms": .integer(record.flight),
      "contact_time_asymmetry": .integer(record.contactAsymmetry),
      "force_asymmetry": .integer(record.forceAsymmetry), "pronation_asymmetry": .integer(record.pronationAsymmetry),
      "left_strike": .integer(record.strikeLeft), "right_strike": .integer(record.strikeRight),
      "avg_pronation_deg": .integer(record.pronation),
      "vertical_ratio": .integer(record.verticalRatio),
    ])
  }

  static func footer(_ footer: Botz.ActivityFooter) -> JSON {
    .object([
      "end_time": .integer(footer.end), "record_count": .integer(footer.recordCount),
      "packet_count": .integer(footer.packetCount),
      "crc": .integer(footer.checksum), "battery_mv": .integer(footer.batteryMillivolts),
      "battery_pct": .integer(footer.batteryPercent),
      "battery_status": .integer(footer.batteryState),
    ])
  }

  private static func file(_ vector: BotzVector, _ bytes: RawBytes) throws -> [String: JSON] {
    let names = vector.stated
    if names["record"] != nil {
      let record = try Botz.ActivityRecord(bytes)
      return ["record": Self.record(record), "speed_kmh": .number(Double(record.speed) / 10)]
    }
    if names["footer"] != nil, names["header"] == nil { return ["footer": footer(try Botz.ActivityFooter(bytes))] }
    var fields: [String: JSON] = ["length": .integer(bytes.count)]
    do throws(Botz.ActivityFile.Defect) {
      let file = try Botz.ActivityFile(bytes)
      let sessions = file.sessions.map { session($0, bytes) }
      fields["sessions"] = .array(sessions.map { .object($0) })
      if let first = sessions.first { fields.merge(first) { first, _ in first } }
      fields["supported"] = .bool(file.unknownVersion == nil)
    } catch {
      guard case .unknownVersion(let version) = error else { throw error }
      fields["header"] = .object(["magic": .string("BOTZ"), "version": .integer(version)])
      fields["version"] = .integer(version)
      fields["supported"] = .bool(false)
      fields["unsupported"] = .bool(true)
    }
    return fields
  }

  private static func session(_ session: Botz.ActivityFile.Session, _ bytes: RawBytes) -> [String: JSON] {
    var records: [JSON] = []
    var times: [Int64] = []
    var clock = Botz.ClockUnwrapper(start: session.header.start)
    session.forEachRecord(in: bytes) {
      records.append(record($0))
      times.append(clock.unwrap($0.time))
    }
    let rest = bytes[session.rest]
    var fields: [String: JSON] = [
      "header": header(session.header), "records": .array(records), "footer": session.footer.map(footer) ?? .null,
      "unwrapped_timestamps": .integers(times), "whole_records": .integer(records.count),
      "record_count": .integer(records.count),
      "is_closed": .bool(session.footer != nil),
    ]
    for name in ["trailing", "rest", "tail", "cut", "trailing_hex", "partial_record_hex"] {
      fields[name] = .string(hex(rest))
    }
    for name in [
      "trailing_bytes", "cut_bytes", "rest_bytes", "partial_bytes", "partial_record_bytes", "leftover_bytes",
    ] { fields[name] = .integer(rest.count) }
    if let end = session.footer?.end { fields["unwrapped_end_time"] = .integer(clock.unwrap(end)) }
    return fields
  }

  // MARK: frames

  static func frame(_ frame: SMPFrame) -> [String: JSON] {
    let header = frame.header
    var fields: [String: JSON] = [
      "header": .object([
        "version": .integer(header.version), "op": .integer(header.operation.rawValue), "flags": .integer(header.flags),
        "len": .integer(header.length),
        "group": .integer(header.group), "seq": .integer(header.sequence), "id": .integer(header.command),
      ])
    ]
    if let payload = frame.payload { fields["payload"] = json(payload) }
    return fields
  }

  private static func json(_ value: CBOR) -> JSON {
    switch value {
    case .unsigned(let number): .integer(number)
    case .negative(let number): .number(-1 - Double(number))
    case .text(let text): .string(text)
    case .bytes(let bytes): .string(hex(bytes))
    case .array(let items): .array(items.map(json))
    case .bool(let value): .bool(value)
    case .other: .null
    case .map(let pairs):
      .object(
        Dictionary(
          pairs.flatMap { pair -> [(String, JSON)] in
            guard case .text(let key) = pair.key else { return [] }
            if case .bytes(let bytes) = pair.value {
              return [(key + "_hex", json(pair.value)), (key + "_len", .integer(bytes.count))]
            }
            return [(key, json(pair.value))]
          }, uniquingKeysWith: { first, _ in first }))
    }
  }

  // MARK: the rest

  private static func advertising(_ bytes: RawBytes) -> [String: JSON] {
    let data = AdvertisingData(bytes)
    let long = data.services.filter { $0.short == nil }.map { JSON.string($0.description) }
    let short = data.services.filter { $0.short != nil }.map { JSON.string($0.description.lowercased()) }
    var fields: [String: JSON] = ["complete_uuid16": .array(short), "complete_uuid128": .array(long)]
    if let flags = data.flags { fields["flags"] = .integer(flags) }
    if let name = data.name { fields["complete_local_name"] = .string(name) }
    let scanResult = ScanResults.scanResult(name: data.name, services: data.services)
    switch data.name {
    case Botz.leftFootName: (fields["role"], fields["foot"]) = (.string("secondary"), .string("left"))
    case Botz.rightFootName: (fields["role"], fields["foot"]) = (.string("primary"), .string("right"))
    default: fields["role"] = .string("unknown")
    }
    // The left foot is never accepted; without a name it may be a right one.
    let isOurs = data.name == Botz.rightFootName || data.name == nil && !long.isEmpty
    #expect((BotzDriver().recognise(scanResult) != nil) == isOurs)
    return fields
  }

  private static func layout(_ bytes: RawBytes) throws -> [String: JSON]? {
    switch bytes.count {
    case 17:
      let value = try Botz.Dormant.FootSequence(bytes)
      return ["seq": .integer(value.sequence), "values": numbers(value.values)]
    case 16:
      let value = try Botz.Dormant.MotionSequence(bytes)
      return [
        "seq": .integer(value.sequence), "x": .integer(value.orientation[0]), "y": .integer(value.orientation[1]),
        "z": .integer(value.orientation[2]),
        "w": .integer(value.orientation[3]), "gx": .integer(value.rotation[0]), "gy": .integer(value.rotation[1]),
        "gz": .integer(value.rotation[2]),
        "accuracy": .integer(value.accuracy),
      ]
    case 7:
      let value = try Botz.Dormant.AccelerationSequence(bytes)
      var fields: [String: JSON] = ["seq": .integer(value.sequence)]
      for (index, number) in [value.x, value.y, value.z].enumerated() {
        let axis = ["x", "y", "z"][index]
        for name in [axis, "a" + axis, "acc_" + axis, "l" + axis, "lacc_" + axis] { fields[name] = .integer(number) }
      }
      return fields
    case 20:
      let value = try Botz.Dormant.Orientation3D(bytes)
      func foot(_ value: SIMD4<Int16>) -> JSON {
        .object(["w": .integer(value[0]), "x": .integer(value[1]), "y": .integer(value[2]), "z": .integer(value[3])])
      }
      return [
        "delta_ms": .integer(value.elapsed), "left": foot(value.left), "right": foot(value.right),
        "left_contact": .integer(value.leftContact),
        "right_contact": .integer(value.rightContact), "all_zero": .bool(value.isAllZero),
      ]
    default: return nil
    }
  }

  private static func signal(_ bytes: RawBytes) throws -> [String: JSON] {
    switch try Botz.ParameterSignal(bytes) {
    case .request(let identifier, let parameters):
      [
        "code": .integer(0x12), "identifier": .integer(identifier), "length": .integer(8),
        "interval_min": .integer(parameters.minimumInterval),
        "interval_max": .integer(parameters.maximumInterval), "latency": .integer(parameters.latency),
        "timeout": .integer(parameters.timeout),
      ]
    case .response(let identifier, let result):
      ["code": .integer(0x13), "identifier": .integer(identifier), "length": .integer(2), "result": .integer(result)]
    }
  }

  private static func numbers(_ values: SIMD8<UInt16>) -> JSON { .integers((0..<8).map { values[$0] }) }

  static func hex(_ bytes: some Sequence<UInt8>) -> String { hexadecimal(bytes).lowercased() }
}
