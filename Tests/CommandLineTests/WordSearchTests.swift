import ArgumentParser
import Reasons
import Testing

@testable import hearth

@Suite("Words that people search for")
struct WordSearchTests {
  /// One line for each question of a ward or a gym: the words that come to mind, then the pages that answer it. Each
  /// word must find one of them.
  private static let questions = """
    offline, missing, not found: devices device watch
    battery, low, charge: devices
    LED, blinking, red: led
    backup, copy: backup
    restore, recover: restore
    move, migrate, replace: restore backup bond
    export, CSV, Excel: export items
    GDPR, delete, erase: device wearer store
    time, clock, NTP: clock doctor
    swap, exchange: wearer
    broken, fault, health: doctor status hearth
    firmware, update, upgrade: update device
    log, journal: log events
    password, key, encryption: settings bond wearer
    pairing, pair, bond: pair enroll bond
    add, enroll, register: enroll
    remove, unpair, forget: device
    disk, full, SD card: store doctor
    dongle, adapter, USB: radio doctor
    alarm, limit, alert: alerts
    wearer, patient, person: wearer
    pause, stop, stream: device settings live
    MQTT, uplink, cloud: uplink
    database, PostgreSQL, SQL: hearth-sink
    signal, range, RSSI: link doctor
    disconnect, dropped, connection: link events
    blood pressure, measure, SpO2: measure
    gap, no data, stale: coverage
    live, monitor, dashboard: watch live
    restart, reboot: hearthd doctor
    silence, mute, snooze: mute
    capacity, maximum, slots: devices device link radio
    workout, training, session: training
    research, anonymous, pseudonym: export
    config, settings, configuration: config settings setup
    demo, simulator, test: hearth
    sync, download, fetch: sync visit
    steps, sleep, history: days items
    status, diagnose, support: status doctor
    Prometheus, metrics, Grafana: hearth-hall hearth-sink hearthd hearth.yaml uplink
    """

  /// Words of earlier versions of the program.
  private static let former = [
    "lamp", "standing", "owed", "steady", "poor", "brief", "effort", "room", "lane", "rank", "strike", "trust", "claim",
  ]

  private static let table: [(word: String, answers: [String])] = pageLines(questions).flatMap { line in
    let answers = line.text.split(separator: " ").map { String($0) }
    return line.page.split(separator: ",").map { (word: String($0.drop { $0 == " " }), answers: answers) }
  }

  /// The name of a page without its section, as the last word of its call has it.
  private static func bare(_ page: String) -> String { String(page.prefix { $0 != "(" }) }

  private static func lastWord(_ call: String) -> String { call.split(separator: " ").last.map { String($0) } ?? "" }

  /// What man -k searches of the pages of that name: abstracts and everyday words.
  private static func nameLine(_ name: String) -> String {
    let commands = HearthCommand.configuration.subcommands.filter { $0._commandName == name }
    let all = pageLines(otherPages) + pageLines(everydayWords) + pageLines(formerWords)
    let tables = all.filter { bare($0.page) == name }
    return (commands.map { $0.configuration.abstract } + tables.map { $0.text }).joined(separator: ", ").lowercased()
  }

  @Test("hearth explain finds a page that answers the question, for each of its words")
  func explained() {
    #expect(Self.table.count >= 90)
    for (word, answers) in Self.table {
      let found = WordSearch(word).pages.map { Self.lastWord($0.call) }
      #expect(found.contains { answers.contains($0) }, "\(word): \(found)")
    }
  }

  @Test("so does man -k")
  func nameLines() {
    for (word, answers) in Self.table {
      let found = answers.contains { $0.contains(word) || Self.nameLine($0).contains(word.lowercased()) }
      #expect(found, "\(word): not in the name line of \(answers)")
    }
  }

  @Test("words of earlier versions find what took their place, with man -k too", arguments: former)
  func formerWord(_ word: String) {
    let found = WordSearch(word).pages.map { Self.lastWord($0.call) }
    #expect(found.contains { Self.nameLine($0).contains(word) }, "\(word): \(found)")
  }

  @Test("each command has everyday words, and each page of the tables is there")
  func pages() {
    let commands = Set(HearthCommand.configuration.subcommands.map { $0._commandName })
    let known = commands.union(pageLines(otherPages).map { $0.page })
    let named = pageLines(everydayWords).map { $0.page }
    #expect(Set(named) == known)
    #expect(named.count == known.count, "a page has two lines")
    #expect(known.isSuperset(of: pageLines(formerWords).map { $0.page }))
  }

  @Test("codes are found by their sentence, pages first by their name")
  func order() throws {
    #expect(WordSearch("battery").codes.contains(.batteryLow))
    #expect(WordSearch("SD card").pages.map { $0.call } == ["hearth store", "hearth doctor"])
    #expect(try #require(WordSearch("alarms").pages.first).call == "hearth alerts")
    #expect(WordSearch("is my strap offline").pages.contains { $0.call == "hearth devices" })
    #expect(WordSearch("qqqq").isEmpty && WordSearch("").isEmpty && WordSearch("?").isEmpty)
    #expect(WordSearch.suggestion(for: "pasword") == "password")
  }

  @Test(
    "words are the same but for their endings",
    arguments: [
      ("logs", "log", true), ("encrypt", "encryption", true), ("batteries", "battery", true), ("add", "address", false),
      ("restart", "restore", false), ("broker", "broken", false), ("configure", "configuration", true),
    ])
  func endings(asked: String, word: String, isSame: Bool) {
    #expect(WordSearch.isSame(asked, word) == isSame)
  }

  @Test("results have 80 columns at most, and say how many codes they leave out")
  func text() {
    let text = render(WordSearch("wearable"))
    #expect(text.split(separator: "\n").allSatisfy { columns(String($0)) <= 80 })
    #expect(text.contains(" more: another word narrows the search\n"))
    #expect(json(of: WordSearch("battery"), "battery").pretty.contains("H2142"))
  }
}
