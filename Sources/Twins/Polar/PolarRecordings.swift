// Offline recordings: growing files, in parts, with their metadata.

import Bluetooth
import CNettle
import EventLoop

/// Running recording, with frames that are computed on demand.
final class PolarRecording {
  let run: PolarRun
  let began: Instant
  let folder: String
  let name: String
  /// Bytes from the header to the settings.
  private let metadata: [UInt8]
  private let key: [UInt8]
  /// Index of the key byte with which the frames are XORed.
  private let keyIndex: Int
  private var part = 0
  /// The first frame, and all others with their sizes.
  private var content: [UInt8] = []
  private var firstSize = 0
  /// True if there was no room for the next frame, so recording has stopped.
  private(set) var isFull = false

  init(_ run: PolarRun, began: Instant, settings: [UInt8], key: [UInt8], local: Int64) {
    self.run = run
    self.began = began
    let moment = PolarMoment(local)
    folder = "/U/0/\(moment.dateFolder)/R/\(moment.timeFolder)/"
    name = Self.name(run.signal.kind)
    self.key = key
    keyIndex = key.isEmpty ? 0 : Int(run.signal.seed % UInt64(key.count))
    metadata = Self.metadata(start: moment.text, settings: settings)
  }

  static func name(_ kind: PolarKind) -> String {
    switch kind {
    case .acc: "ACC"
    case .gyro: "GYRO"
    case .magnetometer: "MAG"
    case .ppg: "PPG"
    case .ppi: "PPI"
    case .heartRate: "HR"
    case .skinTemperature: "SKINTEMP"
    case .ecg, .pressure: "UNKNOWN"
    }
  }

  /// Magic, version, a free word, a hash of the firmware; start as text with a terminating zero; settings.
  private static func metadata(start: String, settings: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for word: UInt32 in [0x3D7C_4C2B, 1, 0, 0x5EED_F00D] { bytes.append(littleEndian: word) }
    return bytes + Array(start.utf8) + [0, UInt8(settings.count)] + settings
  }

  /// File of the present part. Without a key: strategy 0, metadata, no security, size of the first frame, frames. With
  /// a key: strategy 2; everything before the first frame in AES-128, in two parts with PKCS#7 padding to 16 bytes. The
  /// frames are XORed with one byte of the key; the security part has its index.
  private var file: [UInt8] {
    var size: [UInt8] = []
    size.append(littleEndian: UInt16(firstSize))
    if key.isEmpty { return [0] + metadata + [0] + size + content }
    func filled(_ bytes: [UInt8]) -> [UInt8] {
      let missing = 16 - bytes.count % 16
      return bytes + [UInt8](repeating: UInt8(missing), count: missing)
    }
    let plain = filled(filled(metadata + [2, 1, UInt8(keyIndex)]) + size)
    var secret = [UInt8](repeating: 0, count: plain.count)
    var context = aes128_ctx()
    nettle_aes128_set_encrypt_key(&context, key)
    nettle_aes128_encrypt(&context, plain.count, &secret, plain)
    let mask = key[keyIndex]
    return [2] + secret + content.map { $0 ^ mask }
  }

  private var path: String { folder + name + "\(part).REC" }

  /// Writes the frames so far into the files, as far as there is room. At the end the incomplete last frame is written
  /// too, and the last part becomes complete.
  func write(into files: inout PolarFiles, partSize: Int, reserve: Int, now: Instant, atEnd: Bool) {
    var room = files.free - reserve
    for frame in isFull ? [] : run.frames(at: now, atEnd: atEnd) {
      room -= 2 + frame.bytes.count
      guard room >= 0 else {
        isFull = true
        break
      }
      if metadata.count + content.count > partSize {
        files.put(path, file)
        part += 1
        content = []
      }
      if content.isEmpty {
        firstSize = frame.bytes.count
      } else {
        content.append(littleEndian: UInt16(frame.bytes.count))
      }
      content += frame.bytes
      run.noteDelivered(frame.samples)
    }
    if !content.isEmpty { files.put(path, file, isWhole: atEnd) }
  }
}

extension VirtualPolar {
  /// Starts a recording with the first settings offered, as the wearer or a phone does.
  public func beginRecording(_ kind: PolarKind) {
    guard recordings[kind] == nil, let offer = offer(kind, isRecording: true, inSDKMode: isSDKMode) else { return }
    guard var choice = PolarChoice([]) else { return }
    choice.rate = offer.rates.first
    choice.range = offer.ranges.first
    choice.bits = offer.bits == 0 ? nil : offer.bits
    choice.channels = offer.channels == 0 ? nil : offer.channels
    record(kind, choice)
  }

  /// Stops a recording likewise.
  public func endRecording(_ kind: PolarKind) { _ = stopRecording(kind) }

  func record(_ kind: PolarKind, _ choice: PolarChoice) {
    let now = world.loop.now
    let local = clock.now(at: now)
    var settings: [UInt8] = []
    if let rate = choice.rate { settings += [0, 1, UInt8(truncatingIfNeeded: rate), UInt8(rate >> 8)] }
    if let bits = choice.bits { settings += [1, 1, UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8)] }
    if let range = choice.range { settings += [2, 1, UInt8(truncatingIfNeeded: range), UInt8(range >> 8)] }
    if let channels = choice.channels { settings += [4, 1, channels] }
    if let factor = offer(kind, isRecording: true, inSDKMode: isSDKMode)?.factor {
      settings += [5, 1]
      settings.append(littleEndian: factor.bitPattern)
    }
    let run = PolarRun(
      PolarSignal(kind: kind, seed: random.next()), rate: trueRate(kind, choice.rate ?? 0), clock, at: now,
      model: traits.model)
    recordings[kind] = PolarRecording(run, began: now, settings: settings, key: choice.key, local: local)
    recordedRuns.append(run)
  }

  /// - Returns: whether it was running.
  func stopRecording(_ kind: PolarKind) -> Bool {
    guard let recording = recordings.removeValue(forKey: kind) else { return false }
    recording.write(
      into: &files, partSize: traits.partSize, reserve: traits.memoryLimits.goOn, now: world.loop.now, atEnd: true)
    writeIndex()
    return true
  }

  /// Updates the files; stops all recordings if the memory is full.
  func writeRecordings() {
    let now = world.loop.now
    for kind in PolarKind.allCases {
      guard let recording = recordings[kind], now - recording.began >= traits.recordingDelay else { continue }
      recording.write(
        into: &files, partSize: traits.partSize, reserve: traits.memoryLimits.goOn, now: now, atEnd: false)
    }
    if files.free < traits.memoryLimits.goOn || recordings.values.contains(where: \.isFull), !recordings.isEmpty {
      for kind in PolarKind.allCases { _ = stopRecording(kind) }
      triggerMode = 0
      triggers = [:]
    }
    writeIndex()
  }

  /// Starts the armed recordings.
  func fireTriggers(_ mode: UInt8) {
    guard triggerMode == mode else { return }
    for kind in PolarKind.allCases {
      guard let settings = triggers[kind], let choice = PolarChoice(settings[...]),
        let offer = offer(kind, isRecording: true, inSDKMode: isSDKMode),
        refusal(kind, choice, offer, isRecording: true) == nil
      else { continue }
      record(kind, choice)
    }
  }

  /// `PMDFILES.TXT`: size and path of every recording, a line each.
  private func writeIndex() {
    guard traits.recordsOffline else { return }
    let lines = files.files.filter { $0.path.hasSuffix(".REC") }.map { "\($0.bytes.count) \($0.path)\r\n" }.joined()
    if lines.isEmpty {
      _ = files.remove("/PMDFILES.TXT")
    } else {
      files.put("/PMDFILES.TXT", Array(lines.utf8), isWhole: false)
    }
  }
}
