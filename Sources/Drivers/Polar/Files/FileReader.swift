// Decoding of a file in slices: decompress some, parse some.

package import Bluetooth
import MessageReading
import PolarMessages

/// Decodes one file. Call `next` with the same bytes until it returns the content. Other tasks of the loop run between
/// two calls.
///
/// Between calls it holds the message so far, and the decompressed bytes of an incomplete field.
package final class FileReader {
  private let file: PolarFile
  private var message: any ContentReading
  private var inflation: Inflation.Stream?
  /// Bytes of the file that were read.
  private var place = 0
  /// Decompressed bytes that were not parsed yet.
  private var window: [UInt8] = []

  /// Bytes that one call decompresses: about as much work as parsing them.
  static let unpackedSlice = 64 << 10

  package init(_ file: PolarFile) {
    self.file = file
    message = Self.reading(file.kind)
    if file.isCompressed {
      inflation = Inflation.Stream(limit: file.kind.bounds.size)
      // Capacity for the longest field, so that growth never copies it. Untouched pages take no memory.
      window.reserveCapacity(file.kind.bounds.field + Self.unpackedSlice + Inflation.slice)
    }
  }

  /// The content; nil while more bytes are to be read.
  package func next(_ bytes: RawBytes) throws(FileContents.Defect) -> FileContents? {
    if bytes.count > file.kind.sizeLimit { throw .tooLarge }
    if case .sleepScore = file.kind { return .undescribed(bytes.count) }
    if case .skinContact = file.kind { return .undescribed(bytes.count) }
    return inflation == nil ? try nextPlain(bytes) : try nextPacked(bytes)
  }

  private func nextPlain(_ bytes: RawBytes) throws(FileContents.Defect) -> FileContents? {
    if place < bytes.count {
      let count = try read(RawBytes(rebasing: bytes[place...]))
      if count == 0 { throw .malformed }
      place += count
    }
    return place < bytes.count ? nil : message.contents
  }

  private func nextPacked(_ bytes: RawBytes) throws(FileContents.Defect) -> FileContents? {
    var isMore = true
    do throws(Inflation.Defect) {
      guard let inflation else { return nil }
      let until = window.count + Self.unpackedSlice
      // Input that decompresses to no output also takes time, so the calls are limited.
      for _ in 0..<8 where isMore && window.count < until { isMore = try inflation.next(bytes, into: &window) }
    } catch { throw .compression(error) }
    let count = try window.withUnsafeBytes { window in
      Result { () throws(FileContents.Defect) in try read(window) }
    }.get()
    window.removeFirst(count)
    if isMore { return nil }
    if window.isEmpty { return message.contents }
    // The remaining window is parsed in as many calls as it takes.
    if count == 0 { throw .malformed }
    return nil
  }

  private func read(_ bytes: RawBytes) throws(FileContents.Defect) -> Int {
    do throws(ReadingDefect) { return try message.next(bytes) } catch {
      throw error == .tooLarge ? .tooLarge : .malformed
    }
  }

  // MARK: by kind

  private static func reading(_ kind: PolarFile.Kind) -> any ContentReading {
    func of<Message: WireMessage>(_ shape: WireShape, _ make: @escaping (Message) -> FileContents)
      -> any ContentReading
    {
      ContentReader(reader: MessageReader<Message>(shape, kind.bounds), make: make)
    }
    return switch kind {
    case .activitySamples: of(FileShape.activity) { .activity($0) }
    case .dailySummary: of(FileShape.plain) { .summary($0) }
    case .automaticSamples: of(FileShape.automatic) { .automatic($0) }
    case .nightlyRecharge: of(FileShape.plain) { .recharge($0) }
    case .sleep: of(FileShape.sleep) { .sleep($0) }
    case .sleepTemperature: of(FileShape.plain) { .sleepTemperature($0) }
    case .skinTemperature: of(FileShape.temperature) { .temperature($0) }
    case .spo2Test: of(FileShape.plain) { .spo2($0) }
    case .trainingSession: of(FileShape.session) { .session($0) }
    case .exerciseBase: of(FileShape.base) { .base($0) }
    case .exerciseSamples: of(FileShape.samples) { .samples($0) }
    case .exerciseSamples2: of(FileShape.samples2) { .samples2($0) }
    case .route: of(FileShape.route) { .route($0) }
    case .route2: of(FileShape.route2) { .route2($0) }
    case .physicalData: of(FileShape.plain) { .physicalData($0) }
    // Kinds without a known format are not decoded.
    case .userIdentifier, .sleepScore, .skinContact: of(FileShape.plain) { .userIdentifier($0) }
    }
  }
}

private protocol ContentReading {
  mutating func next(_ bytes: RawBytes) throws(ReadingDefect) -> Int
  var contents: FileContents { get }
}

private struct ContentReader<Message: WireMessage>: ContentReading {
  var reader: MessageReader<Message>
  let make: (Message) -> FileContents

  mutating func next(_ bytes: RawBytes) throws(ReadingDefect) -> Int { try reader.next(bytes) }
  var contents: FileContents { make(reader.message) }
}
