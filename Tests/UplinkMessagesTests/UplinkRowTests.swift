import CivilTime
import JSONText
import Testing

@testable import UplinkMessages

struct UplinkRowTests {
  private func row(_ text: String) throws -> UplinkRow {
    let json = try JSON.parse(Array(text.utf8))
    var heads: [RowHead] = []
    return try UplinkRow(json, after: &heads, wearer: { "(\($0))" })
  }

  private let place = #""enrolment":3,"way":"live","ordinal":18446744073709551615"#

  @Test func aSampleOfTheDaemonIsARow() throws {
    let row = try row(
      #"{"device":"a","address":"A0:9E:1A:00:00:01","series":"x","time":"2026-11-21T10:00:00.123456Z","#
        + #""value":[[1,2.50],[-3,0]],"unit":"g","origin":"live","kind":"maximum","manual":true,"wearer":"Ada","#
        + #""end":"2026-11-21T10:00:01Z","count":2,"data":"AQI=","clock":"unsure","quality":"low","parts":3,\#(place)}"#
    )
    #expect(row.parts == 3 && row.ordinal == .max && row.ring.enrolment == 3 && !row.ring.isFetched)
    #expect(row.numbers.map(\.text) == ["1", "2.5", "-3", "0"])
    #expect(row.time % 1_000_000 == 123_456 && row.end == 876_544)
    #expect(row.data == [1, 2] && row.count == 2 && row.likeness.wearer == "(Ada)")
    #expect(row.likeness.clockUnsure && row.likeness.lowQuality && row.likeness.manual)
  }

  @Test func aSampleThatIsLikeAnotherHasItsMembersButNotItsMeasurement() throws {
    var heads: [RowHead] = []
    func row(_ text: String) throws -> UplinkRow {
      try UplinkRow(try JSON.parse(Array(text.utf8)), after: &heads, wearer: { "(\($0))" })
    }
    let whole =
      #"{"device":"a","address":"A0:9E:1A:00:00:01","series":"x","time":"2026-11-21T10:00:00Z","value":#,"unit":"g","#
      + #""origin":"live","kind":"maximum","manual":true,"wearer":"Ada","end":"2026-11-21T10:00:01Z","clock":"unsure","#
      + #""quality":"low","parts":3,"enrolment":3,"way":"fetched","ordinal":7}"#
    // Also of one that 64 bits do not hold others take their members.
    #expect(throws: RowMismatch(member: "value")) { try row(whole.replacing(":#,", with: ":1e300,")) }
    let first = try row(whole.replacing(":#,", with: ":1,"))
    let like = try row(
      #"{"like":0,"after":2000000,"value":2,"end":"2026-11-21T10:00:04Z","ordinal":8}"#)
    #expect(like.likeness == first.likeness && like.ring == first.ring)
    #expect(like.ordinal == 8 && like.parts == 1 && like.end == 2_000_000 && like.time == first.time + 2_000_000)
    #expect(like.numbers.map(\.text) == ["2"])
    let again = try row(#"{"like":2,"after":-1,"value":3,"ordinal":9}"#)
    #expect(again.time == like.time - 1)
    #expect(again.ring == first.ring && !again.likeness.hasEnd && again.likeness.wearer == "(Ada)")
    for like in ["4", "-1", "\"0\"", "null", "1e9"] {
      let text = #"{"like":LIKE,"after":0,"value":3,"ordinal":9}"#.replacing("LIKE", with: like)
      #expect(throws: RowMismatch.self, "\(like)") { try row(text) }
    }
    #expect(heads.count == 4)
    for head in [#""like":0,"after":9223372036854775807"#, #""after":0"#] {
      let text = #"{\#(head),"value":3,"ordinal":9}"#
      #expect(throws: RowMismatch(member: "after"), "\(text)") { try row(text) }
    }
  }

  @Test(arguments: [
    "[]", "{}", #"{"series":"x"}"#, #"{"series":"x","time":"soon","enrolment":1,"way":"live","ordinal":1}"#,
    #"{"series":"x","time":"2026-11-21T10:00:00Z","enrolment":-1,"way":"live","ordinal":1}"#,
    #"{"series":"x","time":"2026-11-21T10:00:00Z","enrolment":1,"way":"live"}"#,
    #"{"series":"x","time":"2026-11-21T10:00:00Z","enrolment":1,"way":"live","ordinal":1,"value":[[[1]]]}"#,
    #"{"series":"x","time":"2026-11-21T10:00:00Z","enrolment":1,"way":"live","ordinal":1,"value":1e300}"#,
    #"{"series":"x","time":"2026-11-21T10:00:00Z","enrolment":1,"way":"live","ordinal":1,"data":"?"}"#,
    #"{"series":"x","time":"2026-11-21T10:00:00Z","enrolment":1,"way":"live","ordinal":1,"parts":0}"#,
    #"{"series":"x","time":"2026-11-21T10:00:00Z","enrolment":1,"way":"live","ordinal":1,"parts":3}"#,
  ])
  func whatIsNoRowIsRefusedAndNeverGuessed(_ text: String) {
    #expect(throws: RowMismatch.self) { try row(text) }
  }

  @Test func timesGoBothWays() {
    for text in [
      "1970-01-01T00:00:00.000Z", "2026-11-21T10:00:00.123Z", "2024-02-29T23:59:59.999999Z", "1969-12-31T23:59:59.999Z",
    ] {
      #expect(moment(rfc3339: text).map { momentText($0, .exact) } == text)
    }
    for text in ["", "2026-11-21", "2026-11-21T10:00:00", "2026-13-21T10:00:00Z", "2026-11-21T10:00:00.Z"] {
      #expect(moment(rfc3339: text) == nil, "\(text)")
    }
    _ = (momentText(.min, .exact), momentText(.max, .exact))
  }

  @Test func numbersAreExactOrNone() {
    #expect(ExactNumber("0.10")?.text == "0.1")
    #expect(ExactNumber("1e-05")?.text == "0.00001")
    #expect(ExactNumber("-9223372036854775808")?.mantissa == .min)
    for text in ["", "-", "1.2.3", "9223372036854775808", "1e19", "0.0000000000000000001", "x", "1e", "1e99999999999"] {
      #expect(ExactNumber(text) == nil, "\(text)")
    }
  }

  @Test func addressesAreNumbers() {
    #expect(addressNumber("A0:9E:1A:00:00:01") == 0xA09E_1A00_0001)
    for text in ["", "A0:9E:1A:00:00", "A0:9E:1A:00:00:0G", "A0:9E:1A:00:00:01:02"] {
      #expect(addressNumber(text) == 0)
    }
  }

  @Test func topicsHaveNoNameThatABrokerTakesForMore() {
    let topics = UplinkTopics(group: "g/1", hub: "gym.a b")
    #expect(topics.rows == "hearth/1/g_1/gym_a_b/rows")
    #expect(topics.deviceData("+#/") == "spBv1.0/g_1/DDATA/gym_a_b/___")
    #expect(topics.json("", "x") == "hearth/1/g_1/gym_a_b/json/_/x")
  }

  @Test func wearablesWhoseNamesDifferInAPointHaveTopicsOfTheirOwn() {
    let topics = UplinkTopics(group: "g", hub: "gym")
    #expect(topics.deviceBirth("strap.1") == "spBv1.0/g/DBIRTH/gym/strap~1")
    #expect(topics.deviceBirth("strap_1") == "spBv1.0/g/DBIRTH/gym/strap_1")
    for topic in [topics.deviceBirth, topics.deviceData, topics.deviceDeath, topics.home] {
      #expect(Set(["a.b", "a_b", "a-b", "a..b", "a._b", "a_.b"].map(topic)).count == 6)
    }
    #expect(topics.json("strap.1", "ecg") == "hearth/1/g/gym/json/strap~1/ecg")
  }

  @Test func jsonSaysTheSameInPlainWords() throws {
    let rows = [
      RowBatchWritingTests.row(0, "36.6"), RowBatchWritingTests.row(1, "36.5"),
      RowBatchWritingTests.row(3, time: 1_795_255_201_000_500, "37"),
    ]
    var places = RingPlaces()
    let json = places.runs(rows)[0].json(RowBatchWritingTests.head)
    let document = try JSON.parse(json)
    #expect(document["store"] == "fedcba9876543210" && document["first"] == 0 && document["rows"] == 3)
    #expect(document["gaps"] == .array([0, 1]))
    #expect(document["values"] == .array([.decimal("36.6"), .decimal("36.5"), 37]))
    #expect(document["steps_ms"] == .array([1000, .decimal("0.5")]))
  }
}
