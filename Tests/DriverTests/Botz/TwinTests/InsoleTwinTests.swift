import Bluetooth
import BotzTwin
import EventLoop
import Simulation
import Testing

@Suite("The simulated insole")
struct InsoleTwinTests {
  static let attempts =
    (InsoleVector.load("control_writes") + InsoleVector.load("set_time") + InsoleVector.load("conn_profile")).filter {
      $0.kind == "att-exchange" && $0.operation == "write" && !$0.isOfOtherEra
        && !["write-background_idle-as-documented", "write-stack-refused"].contains($0.id)
    }

  @Test("answers every command of the vectors as the firmware does", arguments: attempts)
  func commands(_ vector: InsoleVector) throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      let service = try #require(BluetoothUUID(vector.service))
      let characteristic = try #require(BluetoothUUID(vector.characteristic))
      #expect(try await bench.write(service, characteristic, vector.bytes) == vector.error)
    }
  }

  @Test("there are vectors to answer")
  func vectorsAreThere() { #expect(Self.attempts.count > 30) }

  @Test("serves files and errors over SMP byte for byte as the vectors say")
  func smpVectors() throws {
    let frames = InsoleVector.load("smp_fs")
    let files = InsoleVector.load("activity_file")
    func bytes(_ id: String, _ list: [InsoleVector]) throws -> [UInt8] {
      try #require(list.first { $0.id == id }).bytes
    }
    let complete = try bytes("file-complete", files)
    let request = try bytes("download-request-0", frames)
    let response = try bytes("download-response-0", frames)
    let status = try bytes("status-response", frames)
    let missing = try bytes("status-not-found-v2", frames)
    let hash = try bytes("hash-not-supported", frames)
    let close = try bytes("close-request", frames)
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      bench.insole.put(file: 7, complete)
      try await bench.connect()
      try await bench.subscribe(InsoleUUID.smp, InsoleUUID.smpData)
      #expect(try await bench.smp(request) == response)
      #expect(try await bench.smp(InsoleBench.request(1, InsoleBench.path(7), sequence: 2)) == status)
      #expect(try await bench.smp(InsoleBench.request(1, InsoleBench.path(8), sequence: 3)) == missing)
      #expect(try await bench.smp([0x08, 0, 0, 1, 0, 8, 4, 2, 0xA0]) == hash)
      #expect(try await bench.smp(close) == [0x0B, 0, 0, 2, 0, 8, 7, 4, 0xBF, 0xFF])
      // The first version says it otherwise: 5 is "no entry".
      var old = InsoleBench.request(1, InsoleBench.path(8), sequence: 9)
      old[0] = 0
      #expect(try await bench.smp(old) == [0x01, 0, 0, 6, 0, 8, 9, 1, 0xBF, 0x62, 0x72, 0x63, 0x05, 0xFF])
      #expect(bench.insole.files[0].isServedWhole)
      #expect(bench.insole.forbiddenFrames.isEmpty && bench.insole.forbidden.isEmpty)
    }
  }

  @Test("a long file comes in chunks of 2431 bytes cut into 118, and the ledger knows which bytes arrived")
  func longFile() throws {
    try VirtualLoop.run { loop in
      var traits = InsoleTraits()
      traits.files = .sessions([600])
      let bench = try await InsoleBench(loop, traits)
      let file = bench.insole.files[0]
      try await bench.connect()
      try await bench.subscribe(InsoleUUID.smp, InsoleUUID.smpData)
      let first = try #require(try await bench.smp(InsoleBench.request(0, InsoleBench.path(1), offset: 0)))
      // 21 notifications of 2,461 bytes, as the vector of the largest chunk has it.
      let pieces = try bench.values(InsoleUUID.smp, InsoleUUID.smpData)
      #expect(pieces.map(\.count) == [Int](repeating: 118, count: 20) + [first.count - 20 * 118])
      #expect(bench.insole.files[0].served.map(\.count) == [2431])
      #expect(!bench.insole.files[0].isServedWhole)
      #expect(try await bench.download(1) == file.bytes)
      #expect(bench.insole.files[0].isServedWhole)
      #expect(bench.insole.fetchSpans.count == 1)
    }
  }

  @Test(
    """
    asks the hub for its MTU and for the other foot, then for security; a hub that hosts the other foot's service is \
    mistaken for it
    """
  )
  func clientRole() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      var asked: [BluetoothAddress] = []
      bench.radio.onPairingRequest = { request in
        asked.append(request.address)
        bench.radio.answer(request.address, .yes)
      }
      var keys: [BondKeys] = []
      bench.radio.onKeys = { _, made in
        keys.append(made)
        return .kept
      }
      try await bench.connect()
      try await loop.sleep(for: .seconds(3))
      #expect(bench.received == [[0x02, 121, 0], [0x06, 1, 0, 0xFF, 0xFF, 0, 0x28] + InsoleUUID.otherFoot.wireBytes])
      #expect(bench.insole.answersFromHub == [[0x03, 0x05, 0x02], [0x01, 0x06, 0x01, 0x00, 0x0A]])
      #expect(asked == [bench.insole.address] && keys.count == 1 && bench.insole.securedLinks == 1)
      #expect(!bench.insole.mistookHubForItsOtherFoot)
      // The next link is encrypted with the stored key, without a question to a person.
      try await bench.hangUp()
      try await bench.connect()
      try await loop.sleep(for: .seconds(3))
      #expect(asked.count == 1 && bench.insole.securedLinks == 2)
    }
  }

  @Test("a hub that does not answer its questions hears no Security Request, and keeps the link")
  func unanswered() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      bench.answersQuestions = false
      try await bench.connect()
      try await loop.sleep(for: .seconds(40))
      #expect(bench.insole.forbidden == ["question 1 was not answered"])
      #expect(bench.insole.securedLinks == 0 && bench.closed.isEmpty)
    }
  }

  @Test("a lost key ends the link on one side, and refuses a second pairing on the other")
  func lostKeys() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      bench.radio.onPairingRequest = { bench.radio.answer($0.address, .yes) }
      bench.radio.onKeys = { _, _ in .kept }
      var failures: [LinkError] = []
      bench.radio.onPairingFailed = { failures.append($1) }
      try await bench.connect()
      try await loop.sleep(for: .seconds(3))
      try await bench.hangUp()
      // Lost at the insole: encryption fails and the link ends.
      let kept = bench.insole.bond
      bench.insole.bond = nil
      try await bench.connect()
      try await loop.sleep(for: .seconds(3))
      #expect(failures == [.keyMissing] && bench.closed == [.keyMissing])
      // Lost at the hub: the insole keeps its first bond and refuses to pair; the link goes on without.
      bench.insole.bond = kept
      bench.radio.setKeys([])
      try await bench.connect()
      try await loop.sleep(for: .seconds(3))
      #expect(failures == [.keyMissing, .authenticationFailed] && bench.closed == [.keyMissing])
      // Resetting the bonds helps: the link drops, and then they pair.
      _ = await bench.request([0x12] + (try bench.handle(InsoleUUID.control, InsoleUUID.vendor(0x8F))) + [1])
      try await loop.sleep(for: .seconds(1))
      #expect(bench.closed == [.keyMissing, .peerClosed])
      try await bench.connect()
      try await loop.sleep(for: .seconds(3))
      #expect(bench.insole.securedLinks == 2)
    }
  }

  @Test("builds of June 2025 refuse everything without encryption, and give the profile to be read with it")
  func eras() throws {
    try VirtualLoop.run { loop in
      var traits = InsoleTraits()
      traits.era = .june2025
      let old = try await InsoleBench(loop, traits)
      old.answersQuestions = false
      old.radio.onPairingRequest = { old.radio.answer($0.address, .yes) }
      old.radio.onKeys = { _, _ in .kept }
      let bearer = try await old.connect()
      #expect(try await old.control(0x8B, [1]) == 0x05)
      #expect(try await old.info(0xAB).last == 0x05)
      try await old.radio.secure(bearer)
      #expect(try await old.control(0x8B, [1]) == nil)
      #expect(try await old.read(InsoleUUID.control, InsoleUUID.vendor(0x8B)) == [1])
      #expect(try await old.info(0xAB).count == 4)
      traits.era = .august2025
      let later = try await InsoleBench(loop, traits)
      try await later.connect()
      #expect(try await later.control(0x8B, [1]) == nil)
      #expect(try await later.read(InsoleUUID.control, InsoleUUID.vendor(0x8B)) == [1])
      let now = try await InsoleBench(loop)
      try await now.connect()
      #expect(try await now.read(InsoleUUID.control, InsoleUUID.vendor(0x8B)).last == 0x02)
    }
  }

  @Test("the clock is set big-endian and falls back by 512 s")
  func clock() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      let atBoot = try await bench.read(InsoleUUID.information, 0x2A2B)
      #expect(atBoot.prefix(6) == [0xE9, 0x07, 6, 10, 17, 0] && atBoot.count == 12)
      #expect(try await bench.control(0x81, [0x68, 0xDB, 0xC6, 0x40]) == nil)
      #expect(try await bench.read(InsoleUUID.information, 0x2A2B) == [0xE9, 0x07, 9, 30, 12, 0, 0, 2, 0, 0, 0, 0])
      try await loop.sleep(for: .seconds(500))
      #expect(bench.insole.deviceEpoch == 1_759_233_600 + 500)
      try await loop.sleep(for: .seconds(20))
      #expect(bench.insole.deviceEpoch == 1_759_233_600 + 520 - 512)
    }
  }

  @Test("a session is 53 bytes until it is stopped, then whole, announced and numbered")
  func session() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      for part: UInt8 in [0xAB, 0xC2, 0xC3, 0xCD, 0xCE, 0xCF] {
        try await bench.subscribe(InsoleUUID.information, InsoleUUID.info(part))
      }
      #expect(try await bench.control(0x84, [1]) == nil)
      try await loop.sleep(for: .seconds(60))
      #expect(bench.insole.files.map(\.bytes.count) == [53] && bench.insole.files[0].isOpen)
      #expect(bench.insole.statusWord == 0x4200_0000)
      #expect(try bench.values(InsoleUUID.information, InsoleUUID.info(0xCD)).map(\.count) == [56])
      #expect(try bench.values(InsoleUUID.information, InsoleUUID.info(0xCE)).count > 50)
      #expect(try await bench.control(0x85, [1]) == nil)
      try await loop.sleep(for: .seconds(2))
      let file = bench.insole.files[0]
      let records = (file.bytes.count - 73) / 26
      #expect((file.bytes.count - 73) % 26 == 0 && records >= 58 && !file.isOpen)
      #expect(Array(file.bytes[file.bytes.count - 12..<file.bytes.count - 8]) == [UInt8(records), 0, 0, 0])
      #expect(try bench.values(InsoleUUID.information, InsoleUUID.info(0xC2)) == [[1]])
      let path = Array(InsoleBench.path(1).utf8)
      #expect(try bench.values(InsoleUUID.information, InsoleUUID.info(0xC3)) == [path + [0, 0, 0]])
      #expect(try await bench.info(0xC3) == path)
      #expect(bench.insole.statusWord == 0x4000_0000)
    }
  }

  @Test("every start while something runs is written down, and deleting one file deletes no file")
  func forbidden() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      _ = try await bench.control(0x84, [1])
      try await loop.sleep(for: .seconds(1))
      _ = try await bench.control(0x84, [3])
      #expect(bench.insole.forbidden == ["start 3 while running"])
      try await loop.sleep(for: .seconds(1))
      _ = try await bench.control(0x87, [1])
      #expect(bench.insole.forbidden.count == 2 && bench.insole.files.count == 1)
    }
  }

  @Test(
    """
    a start that crosses the beginning of a session on the air is distinguished from one by a hub that did not look, \
    or looked too long ago
    """
  )
  func crossed() throws {
    try VirtualLoop.run { loop in
      @LoopActor func start(
        afterAsking asks: Bool, _ between: @LoopActor (InsoleBench) async throws -> Void
      ) async throws -> (crossed: [String], forbidden: [String]) {
        let bench = try await InsoleBench(loop)
        try await bench.connect()
        if asks { _ = try await bench.info(0xAB) }
        bench.insole.startSession()
        try await between(bench)
        _ = try await bench.control(0x84, [5])
        return (bench.insole.crossed, bench.insole.forbidden)
      }
      let atOnce = try await start(afterAsking: true) { _ in }
      #expect(atOnce.forbidden.isEmpty && atOnce.crossed.count == 1, "\(atOnce)")
      #expect(atOnce.crossed.first?.hasPrefix("start 5 while running, ") ?? false)
      #expect(try await start(afterAsking: false) { _ in }.forbidden == ["start 5 while running"])
      // What was asked last is not the state; or the answer is old; or it told the session.
      #expect(try await start(afterAsking: true) { _ = try await $0.info(0xC2) }.forbidden == ["start 5 while running"])
      let late = try await start(afterAsking: true) { _ in try await loop.sleep(for: .seconds(11)) }
      #expect(late.forbidden == ["start 5 while running"])
      let told = try await start(afterAsking: true) { _ = try await $0.info(0xC7) }
      #expect(told.forbidden == ["start 5 while running"] && told.crossed.isEmpty)
    }
  }

  @Test(
    """
    commands that come too closely are written down, and so is a third profile that is asked for again, and a stream \
    that is ended with a code of its own
    """
  )
  func paceOfCommands() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      try await bench.connect()
      try await loop.sleep(for: .seconds(6))
      _ = try await bench.control(0x81, [0x6A, 0, 0, 0])
      _ = try await bench.control(0x8B, [1])
      #expect(bench.insole.forbidden.count == 1 && bench.insole.forbidden[0].hasSuffix("ms after 81"))
      for command in [(0x8B, 2), (0x8B, 2), (0x84, 3), (0x85, 3)] as [(UInt8, UInt8)] {
        try await loop.sleep(for: .milliseconds(600))
        _ = try await bench.control(command.0, [command.1])
      }
      #expect(
        bench.insole.forbidden.dropFirst() == [
          "profile 2 once more over a link on which it was refused", "stop 3 while foot",
        ])
    }
  }

  @Test("an erase works once in a boot, reports what it takes, and works again after a reset over SMP")
  func erase() throws {
    try VirtualLoop.run { loop in
      var traits = InsoleTraits()
      traits.files = .sessions([60, 90])
      let bench = try await InsoleBench(loop, traits)
      var erased: [[String]] = []
      bench.world.onErase = { _, files in erased.append(files.map(\.name)) }
      try await bench.connect()
      try await bench.subscribe(InsoleUUID.smp, InsoleUUID.smpData)
      #expect(try await bench.download(1)?.count == 73 + 60 * 26)
      #expect(try await bench.control(0x91, [1]) == nil)
      try await loop.sleep(for: .seconds(5))
      #expect(erased == [[InsoleBench.path(1), InsoleBench.path(2)]] && bench.insole.files.isEmpty)
      #expect(bench.insole.erasedFiles.map(\.wasServedWhole) == [true, false])
      // The announcement is stale, the next session begins at 1 again, and another erase is only acknowledged.
      #expect(try await bench.info(0xC2) == [2])
      bench.insole.startSession()
      try await loop.sleep(for: .seconds(10))
      bench.insole.stopSession()
      #expect(try await bench.control(0x91, [1]) == nil)
      try await loop.sleep(for: .seconds(5))
      #expect(bench.insole.files.map(\.id) == [1] && bench.insole.eraseCommands == 2 && bench.insole.erasures == 1)
      #expect(try await bench.smp([0x0A, 0, 0, 1, 0, 0, 4, 5, 0xA0])?.count == 10)
      try await loop.sleep(for: .seconds(2))
      #expect(bench.closed == [.peerClosed] && bench.insole.boots == 2)
      try await bench.connect()
      let path = String(decoding: try await bench.info(0xC3), as: UTF8.self)
      // A single read of a link at the least MTU.
      #expect(path.count == 22 && "/lfs1/hardware/activity_001.pb".hasPrefix(path))
      _ = try await bench.control(0x91, [1])
      try await loop.sleep(for: .seconds(5))
      #expect(bench.insole.files.isEmpty && erased.count == 2)
    }
  }

  @Test("after id 255 a session is appended to id 1; a full memory fails a session and says so")
  func memory() throws {
    try VirtualLoop.run { loop in
      var traits = InsoleTraits()
      traits.files = .lastIDTaken
      traits.memory = 2 * (73 + 60 * 26) + 200
      let bench = try await InsoleBench(loop, traits)
      let before = bench.insole.files[0].bytes
      bench.insole.startSession()
      try await loop.sleep(for: .seconds(60))
      bench.insole.stopSession()
      let after = bench.insole.files[0].bytes
      #expect(after.starts(with: before) && Array(after[before.count..<before.count + 4]) == Array("BOTZ".utf8))
      #expect(bench.insole.usedMemory == traits.memory)
      bench.insole.startSession()
      bench.insole.stopSession()
      #expect(bench.insole.statusWord & (1 << 21) != 0)
    }
  }

  @Test("the switches of files: empty, crashed, cut, without SMP, definite maps, slow commands")
  func switches() throws {
    try VirtualLoop.run { loop in
      var traits = InsoleTraits()
      traits.files = .crashed
      #expect(try await InsoleBench(loop, traits).insole.files.map(\.bytes.count) == [53])
      traits.files = .cut
      let cut = try await InsoleBench(loop, traits).insole.files[0].bytes.count
      #expect(![0, 20].contains((cut - 53) % 26))
      traits.repliesWithDefiniteMaps = true
      traits.controlLatency = .seconds(2)...(.seconds(3))
      let bench = try await InsoleBench(loop, traits)
      try await bench.connect()
      try await bench.subscribe(InsoleUUID.smp, InsoleUUID.smpData)
      #expect(try await bench.smp(InsoleBench.request(1, InsoleBench.path(9)))?[8] == 0xA1)
      let start = loop.now
      _ = try await bench.control(0x84, [5])
      #expect(loop.now - start > .seconds(2))
      traits.hasSMP = false
      #expect(try await InsoleBench(loop, traits).insole.handle(InsoleUUID.smp, InsoleUUID.smpData) == nil)
    }
  }

  @Test("a file whose last piece is lost with the link is not counted as served")
  func cutShort() throws {
    try VirtualLoop.run { loop in
      var traits = InsoleTraits()
      traits.files = .sessions([600])
      let bench = try await InsoleBench(loop, traits)
      try await bench.connect()
      try await bench.subscribe(InsoleUUID.smp, InsoleUUID.smpData)
      let frame = InsoleBench.request(0, InsoleBench.path(1), offset: 0)
      #expect(bench.bearer?.send([0x52] + (try bench.handle(InsoleUUID.smp, InsoleUUID.smpData)) + frame) == true)
      try await loop.sleep(for: .milliseconds(32))
      #expect(try bench.values(InsoleUUID.smp, InsoleUUID.smpData).count > 3)
      bench.insole.leave()
      try await loop.sleep(for: .seconds(6))
      #expect(bench.closed == [.linkLost] && bench.insole.files[0].served.isEmpty)
    }
  }

  @Test("each hostile conduct is on the air as its name says", arguments: InsoleConduct.allCases)
  func hostile(_ conduct: InsoleConduct) throws {
    try VirtualLoop.run { loop in
      var traits = InsoleTraits()
      traits.files = .sessions([200])
      traits.conduct = conduct
      let bench = try await InsoleBench(loop, traits)
      let honest = bench.insole.files[0].bytes
      try await bench.connect()
      try await bench.subscribe(InsoleUUID.smp, InsoleUUID.smpData)
      let status = try await bench.smp(InsoleBench.request(1, InsoleBench.path(1)))
      let first = try await bench.smp(InsoleBench.request(0, InsoleBench.path(1), offset: 0))
      let second = try await bench.smp(InsoleBench.request(0, InsoleBench.path(1), offset: 2431))
      switch conduct {
      case .claimsHugeFile: #expect(status?.suffix(6) == [0x1A, 0x3B, 0x9A, 0xCA, 0x00, 0xFF])
      case .offsetsGoBack: #expect(second?.dropFirst(9).prefix(7) == [0x63, 0x6F, 0x66, 0x66, 0x19, 0x09, 0x1B])
      case .changesWhileRead: #expect(second != nil && bench.insole.files[0].bytes != honest)
      case .brokenCBOR: #expect(first?.count == 52)
      case .wrongLengths, .silentSMP: #expect(first == nil)
      case .wrongSequence: #expect(first?[6] == 2)
      case .emptyChunks: #expect(second?.suffix(7) == [0x64, 0x64, 0x61, 0x74, 0x61, 0x40, 0xFF])
      case .oddValues: #expect(try await bench.info(0xAB).count == 5)
      case .keepsWhatIsErased:
        _ = try await bench.control(0x91, [1])
        try await loop.sleep(for: .seconds(5))
        #expect(bench.insole.files.count == 1)
      }
    }
  }

  @Test("its whole database is found by the hub's own client, with the colliding names apart")
  func discovery() throws {
    try VirtualLoop.run { loop in
      let bench = try await InsoleBench(loop)
      let bearer = try await bench.radio.connect(to: bench.insole.address, deadline: loop.now + .seconds(5))
      let client = GATTClient(bearer, loop: loop)
      let database = try await client.open()
      #expect(client.mtu == 121)
      let erase = try #require(database.characteristic(InsoleUUID.vendor(0x91), in: InsoleUUID.control))
      let cadence = try #require(database.characteristic(InsoleUUID.vendor(0x91), in: InsoleUUID.metrics))
      #expect(
        erase.valueHandle == bench.insole.handle(InsoleUUID.control, InsoleUUID.vendor(0x91))
          && erase.valueHandle != cadence.valueHandle)
      #expect(erase.configurationHandle == nil && cadence.configurationHandle != nil)
      #expect(try await client.read(cadence.valueHandle) == [0, 0])
      client.close(immediately: true)
    }
  }
}
