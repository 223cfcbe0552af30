import Export
import Foundation
import HubProtocol
import Testing

@testable import EventLoop
@testable import hearth

/// A run that ended at a step, as by a power cut.
struct CutOff: Error {}

/// A hub, a folder, a state, and a receiver that takes files away.
final class DeliveryBench {
  let hub = PagedHub()
  let folder: URL
  var settings = DeliverySettings()
  /// Bytes of the files that the receiver took, by their names.
  private(set) var taken: [String: String] = [:]

  var to: URL { folder.appendingPathComponent("to") }
  var memory: DeliveryMemory { DeliveryMemory(folder: settings.state, cursor: settings.cursor) }
  /// Files under their own names, in their order.
  var names: [String] { everything.filter { !$0.hasPrefix(".") } }
  var everything: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: to.path)) ?? []).sorted() }

  init(_ form: ExportFormat = .ndjson) throws {
    // In memory, if the machine has such a folder: a few thousand waits for a disk are no part of what is tested.
    let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    folder = URL(fileURLWithPath: base).appendingPathComponent("hearth-delivery-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
    settings.to = to.path
    settings.state = folder.appendingPathComponent("state").path
    settings.format = form
    settings.ordinals = form == .ndjson
    try FileManager.default.createDirectory(atPath: settings.state, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// - Parameter cut: the step that the run does not take, and how often it takes it before.
  @discardableResult
  func run(cut: (step: DeliveryRun.Step, after: Int)? = nil) throws -> DeliveryRun.Outcome {
    let run = ExportRun(LineOutput(isCSV: false), RowMask(), isNDJSON: settings.format == .ndjson)
    var left = cut?.after ?? 0
    let delivery = DeliveryRun(
      settings, DeliveryFolder(path: to.path, stem: "gym-archive-"), memory, run, now: VirtualLoop.morning,
      writer: { [settings] in try settings.form.output(zone: { .utc }, to: $0) },
      reach: { step in
        if step != cut?.step { return }
        if left == 0 { throw CutOff() }
        left -= 1
      })
    if let person = settings.person {
      try delivery.carryAll { take in for page in hub.pages(of: person) { try take(page) } }
    } else {
      try delivery.carry(hub.connect())
    }
    return delivery.outcome
  }

  /// The receiver takes the oldest file away, if it is not the one that a run has just named.
  func take() throws {
    guard let name = names.first, try memory.load().pending?.name != name else { return }
    taken[name] = try text(name)
    try FileManager.default.removeItem(at: to.appendingPathComponent(name))
  }

  func text(_ name: String) throws -> String {
    try String(contentsOf: to.appendingPathComponent(name), encoding: .utf8)
  }

  /// All files that there ever were.
  func all() throws -> [(name: String, text: String)] {
    try (names.map { ($0, try text($0)) } + taken.map { ($0.key, $0.value) }).sorted { $0.0 < $1.0 }
  }

  /// Compares all files with all rows of the hub, or of the person: each row is in one line, or one gap has it.
  func account() throws {
    var seen: [String: Int] = [:]
    for (name, text) in try all() {
      #expect(text.hasSuffix("\n"), "\(name) ends within a line")
      for line in text.split(separator: "\n") {
        let json = try JSON.parse(Array(line.utf8))
        if json["correction"] != nil { continue }
        let about = json["gap"] ?? json
        func number(_ key: String) throws -> Int {
          guard case .integer(let number)? = about[key] else { throw CutOff() }
          return Int(number)
        }
        let ring = "\(try number("enrolment")) \(about["series"]?.text ?? "")"
        let range = json["gap"] == nil ? try number("ordinal")...number("ordinal") : try number("from")...number("to")
        for ordinal in range { seen["\(ring) \(ordinal)", default: 0] += 1 }
      }
    }
    let rows = hub.rings.enumerated().flatMap { index, ring in
      (0..<ring.newest + 1).filter { settings.person == nil || hub.wearer(index, $0) == settings.person }.map {
        "\(ring.enrolment) \(ring.series) \($0)"
      }
    }
    #expect(seen.filter { $0.value != 1 }.isEmpty, "in several places")
    #expect(Set(rows).subtracting(seen.keys).isEmpty, "in no file")
    #expect(seen.count == rows.count)
    let numbers = try all().map { $0.name.dropFirst("gym-archive-".count).prefix(6) }.map { Int($0) ?? 0 }
    #expect(numbers == Array(1..<numbers.count + 1), "a number is missing or twice")
  }
}
