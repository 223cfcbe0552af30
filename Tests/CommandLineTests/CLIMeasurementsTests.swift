import HubProtocol
import StoreDocuments
import Testing

@testable import EventLoop
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("What the command line prints of measurements of vital signs")
struct CLIMeasurementsTests {
  private static func record(_ minutes: Int64 = 0) -> VitalsRecordDocument {
    let start = now + .seconds(minutes * 60)
    func value(
      _ name: String, _ value: Double?, _ unit: String, _ confidence: String, _ method: String, _ flags: [String] = [],
      text: String? = nil, window: Double = 60
    ) -> VitalValueDocument {
      VitalValueDocument(
        name: name, value: value, text: text, unit: unit, confidence: confidence, windowS: window, method: method,
        flags: flags)
    }
    return VitalsRecordDocument(
      session: 7, number: 1, device: "strap-07", person: "Ada", wearer: "Ada", basis: "ppi", start: start.rfc3339,
      end: (start + .seconds(60)).rfc3339, requestedS: 60, actualS: 60.02, endedBy: "duration", artefactShare: 0.012,
      coverage: 0.98, gaps: [VitalsRecordDocument.Gap(startS: 4, lengthS: 2.25)], intervals: 64, leftOut: 0,
      results: [
        value("pulse_rate", 62.6, "bpm", "high", "PR-1"),
        value("rmssd", 42.518, "ms", "high", "TD-1", ["optical"]),
        value("lf_hf", 1.2345, "ratio", "low", "LS-1", ["window_short", "optical"]),
        value("stress_level", nil, "", "medium", "BI-1", ["optical", "corrected"], text: "very_high"),
      ],
      notReported: [
        VitalMissingDocument(name: "respiration_rate", reason: "no_breathing_line"),
        VitalMissingDocument(name: "energy", reason: "of_later_programs"),
      ])
  }

  @Test("the card shows each result with its confidence, window and method, then what is missing and why")
  func card() {
    #expect(
      measurementCard(Self.record(), hubTime, .plain) == """
        strap-07   2026-11-21 10:00:00, 60 s of measuring, Ada
        from pulse intervals, measured with light; all of its 60 s
                            VALUE      CONFIDENCE    FROM  METHOD
        pulse               63 bpm     high          60 s  PR-1
        RMSSD               42.5 ms    high          60 s  TD-1    from pulse intervals
        LF/HF               1.23       low           60 s  LS-1    short window, from pulse intervals
        stress level        very high  medium        60 s  BI-1    from pulse intervals, some beats corrected
        not reported:
          breathing rate            breathing does not show clearly in these beats; that can be normal
          energy                    of_later_programs
        signal: 1.2 % artefacts, 98 % of the time covered, 1 gap, the longest 2.3 s, 64 intervals kept
        No medical device.

        """)
  }

  @Test("a card without results says how the measurement ended, and the wearer if that is another person")
  func error() {
    var record = Self.record()
    (record.results, record.notReported, record.gaps, record.intervals) = ([], [], [], 0)
    (record.endedBy, record.code, record.sentence) = ("error", 3003, "the signal was lost during the measurement")
    (record.basis, record.wearer, record.leftOut, record.coverage) = ("rate", "Bob", 3, 1)
    #expect(
      measurementCard(record, hubTime, .plain) == """
        strap-07   2026-11-21 10:00:00, 60 s of measuring, Ada
        from heart rates or what the sensor itself measures; \
        ended by error 3003: the signal was lost during the measurement
        the wearable was Bob's then, as it is known now
        no results
        signal: 100 % of the time covered, 3 for which there was no room
        No medical device.

        """)
  }

  @Test("what measures once covers no time: its card says that it is one reading")
  func reading() {
    var record = Self.record()
    (record.intervals, record.coverage, record.gaps) = (0, 0, [])
    #expect(measurementCard(record, hubTime, .plain).hasSuffix("signal: one reading\nNo medical device.\n"))
    record.results = []
    #expect(measurementCard(record, hubTime, .plain).contains(" 0 % of the time covered"))
  }

  @Test("several are a line each, with the least confidence of what the line shows")
  func table() {
    var second = Self.record(5)
    (second.results, second.endedBy, second.code, second.person) = ([], "error", 8007, nil)
    let found = VitalsRecordsDocument(
      name: "strap-07", zone: "UTC", records: [Self.record(), second], unreadable: 1)
    #expect(
      render(found, hubTime, .plain) == """
        strap-07   2 measurements, times in UTC
        START                PERSON        LENGTH  PULSE  RMSSD  STRESS     CONFIDENCE  END
        2026-11-21 10:00:00  Ada             60 s     63   42.5  very high  medium      complete
        2026-11-21 10:05:00  Ada             60 s      -      -  -          -           error 8007
        1 record cannot be read by this program
        pulse in bpm, RMSSD in ms; all of the newest: hearth measurements strap-07 --last
        No medical device.

        """)
    let none = VitalsRecordsDocument(name: "strap-07", zone: "UTC", records: [], unreadable: 0)
    #expect(render(none, hubTime, .plain) == "strap-07   no measurements\n")
  }

  @Test("numbers are rounded to what they mean, and no number breaks the table")
  func numbers() {
    #expect(VitalWords.decimal(-0.04, 1) == "0.0" && VitalWords.decimal(-1.25, 1) == "-1.3")
    #expect(VitalWords.decimal(1e300, 2) == "?" && VitalWords.decimal(.nan, 0) == "?")
    #expect(VitalWords.percent(0) == "0 %" && VitalWords.percent(1) == "100 %" && VitalWords.percent(0.004) == "0.4 %")
  }
}
