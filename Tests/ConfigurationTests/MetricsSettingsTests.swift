import Foundation
import Testing

@testable import Configuration

@Suite("Valid places of the file for a collector")
struct MetricsSettingsTests {
  private func problem(_ file: String, unit: [String]?) throws -> String? {
    var configuration = Configuration()
    configuration.metrics.file = file
    return configuration.metricsProblem(unit: unit)
  }

  /// The one that is installed, as it is in the repository.
  private static let unit: [String] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("board/hearthd.service")
    return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").map { String($0) }
  }()

  @Test("no file is written unless one is named, from / on, that a collector would read")
  func key() throws {
    let folder = try Scratch()
    #expect(Configuration().metrics == Configuration.Metrics())
    #expect(Configuration().metricsProblem(unit: Self.unit) == nil)
    let path = try folder.file("hearth.yaml", "metrics: {file: /run/hearth/metrics.prom, format: openmetrics}\n")
    let metrics = try Configuration.load(path: path).metrics
    #expect(metrics.file == "/run/hearth/metrics.prom" && metrics.format == .openMetrics)
    for wrong in ["metrics.prom", "./metrics.prom", "/run/hearth/metrics.txt", "/run/.prom", "/run/a\tb.prom", "1"] {
      let problems = Configuration.check(path: try folder.file("wrong.yaml", "metrics: {file: \"\(wrong)\"}\n"))
        .problems
      #expect(problems.map(\.reason) == [.configBadValue], "\(wrong)")
      #expect(problems.first?.detail.contains("such as /run/hearth/metrics.prom") == true, "\(problems)")
    }
  }

  @Test("the unit's own folders are there when it starts; others that are, need a line in the unit")
  func sandbox() throws {
    let folder = try Scratch()
    #expect(try problem("/run/hearth/metrics.prom", unit: Self.unit) == nil)
    #expect(try problem("/var/lib/hearth/metrics.prom", unit: Self.unit) == nil)
    let elsewhere = try problem("\(folder.path)/m.prom", unit: Self.unit)
    #expect(elsewhere?.contains("hearthd.service may not write there") == true)
    #expect(elsewhere?.contains("ReadWritePaths=\(folder.path) ") == true)
    #expect(try problem("\(folder.path)/m.prom", unit: Self.unit + ["ReadWritePaths=-/nowhere +\(folder.path)"]) == nil)
    #expect(try problem("\(folder.path)/m.prom", unit: Self.unit + ["ReadWritePaths=/tmp"]) == nil)
    #expect(try problem("\(folder.path)/m.prom", unit: Self.unit + ["ReadWritePaths=/tmp", "ReadWritePaths="]) != nil)
    #expect(try problem("\(folder.path)/m.prom", unit: Self.unit + ["ProtectSystem=full"]) == nil)
    #expect(try problem("/run/hearth-2/m.prom", unit: Self.unit)?.contains("is not there") == true)
  }

  @Test("without a unit only the folder is looked for")
  func noUnit() throws {
    let folder = try Scratch()
    #expect(try problem("\(folder.path)/m.prom", unit: nil) == nil)
    #expect(
      try problem("/nowhere/m.prom", unit: nil) == "metrics.file needs the folder /nowhere, which is not there")
    #expect(try problem("/run/hearth/metrics.prom", unit: nil) == nil)
  }

  @Test("the unit is read with its drop-ins in the order of their names, the first folder's before others of its name")
  func dropIns() throws {
    let folder = try Scratch()
    let folders = ["etc", "lib"].map { "\(folder.path)/\($0)" }
    #expect(UnitSandbox.installed(in: folders) == nil)
    try folder.file("lib/hearthd.service", "[Service]\nProtectSystem=strict\nRuntimeDirectory=hearth\n")
    try folder.file("lib/hearthd.service.d/20.conf", "ReadWritePaths=/vendor\n")
    try folder.file("etc/hearthd.service.d/20.conf", "ReadWritePaths=/b\n")
    try folder.file("etc/hearthd.service.d/10.conf", "ReadWritePaths=/a\n")
    try folder.file("etc/hearthd.service.d/30.conf.off", "ReadWritePaths=\n")
    let sandbox = UnitSandbox(try #require(UnitSandbox.installed(in: folders)))
    #expect(sandbox.isStrict && sandbox.made == ["/run/hearth"] && sandbox.writable == ["/a", "/b"])
  }
}
