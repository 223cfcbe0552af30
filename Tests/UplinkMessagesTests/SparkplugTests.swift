import SwiftProtobuf
import Testing

@testable import UplinkMessages

struct SparkplugTests {
  private func payload(_ bytes: [UInt8]) throws -> SparkplugPayload { try SparkplugPayload(serializedBytes: bytes) }

  @Test func sequencesBeginWithTheBirthAndGoRound() throws {
    var node = SparkplugNode(birthDeath: 255)
    let will = try payload(node.beginConnection())
    #expect(will.metrics.map(\.name) == ["bdSeq"] && will.metrics[0].longValue == 0 && !will.hasSeq)
    let birth = try payload(node.nodeBirth([SparkplugMetric("Status/Phase", .text("serving"), time: 5)], time: 9))
    #expect(birth.seq == 0 && birth.timestamp == 9)
    #expect(birth.metrics.map(\.name) == ["bdSeq", "Node Control/Rebirth", "Status/Phase"])
    #expect(birth.metrics[0].longValue == 0 && birth.metrics[0].datatype == 4)
    for expected in 1...255 as ClosedRange<UInt64> {
      #expect(try payload(node.data("", [], time: 1)).seq == expected)
    }
    #expect(try payload(node.data("", [], time: 1)).seq == 0)
    #expect(try payload(node.beginConnection()).metrics[0].longValue == 1)
  }

  @Test func dataGoByTheAliasOfTheBirthWithTheUnitSaidThere() throws {
    var node = SparkplugNode(birthDeath: 0)
    _ = node.nodeBirth([], time: 1)
    let rate = SparkplugMetric("heart_rate", .double(61), time: 2, unit: "bpm")
    let birth = try payload(node.deviceBirth("strap-01", [rate], time: 2))
    #expect(birth.metrics[0].properties.keys == ["engUnit"])
    #expect(birth.metrics[0].properties.values[0].stringValue == "bpm")
    #expect(node.isBorn("strap-01", "heart_rate") && !node.isBorn("strap-01", "spo2") && !node.isBorn("strap-02"))
    var late = rate
    late.isHistorical = true
    let data = try payload(node.data("strap-01", [late], time: 3))
    #expect(data.metrics[0].alias == birth.metrics[0].alias && !data.metrics[0].hasName)
    #expect(data.metrics[0].isHistorical && data.metrics[0].doubleValue == 61)
    let other = try payload(node.deviceBirth("strap-02", [rate], time: 2))
    #expect(other.metrics[0].alias != birth.metrics[0].alias, "aliases are of the whole node")
    _ = node.deviceDeath("strap-01", time: 4)
    #expect(!node.isBorn("strap-01"))
  }

  @Test func onlyTheRequestForBirthsIsHeard() {
    var request = SparkplugPayload()
    var metric = SparkplugPayload.Metric()
    metric.name = "Node Control/Rebirth"
    metric.booleanValue = true
    request.metrics = [metric]
    #expect(SparkplugCommand.asksForRebirth(serialized(request)))
    request.metrics[0].booleanValue = false
    #expect(!SparkplugCommand.asksForRebirth(serialized(request)))
    request.metrics[0].name = "Node Control/Reboot"
    request.metrics[0].booleanValue = true
    #expect(!SparkplugCommand.asksForRebirth(serialized(request)))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let size = Int.random(in: 0...64, using: &random)
      _ = SparkplugCommand.asksForRebirth((0..<size).map { _ in .random(in: 0...255, using: &random) })
    }
    #expect(!SparkplugCommand.asksForRebirth([UInt8](repeating: 0x12, count: 5000)))
  }
}
