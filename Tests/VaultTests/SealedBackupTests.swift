import EventLoop
import Reasons
import RingStore
import Testing

@testable import Vault

/// The sealed file of a backup: its content once opened, and the refusal of all other files.
@Suite struct SealedBackupTests {
  private static let passphrase = Array("Grüße, Hub!".utf8)
  private static let quick = SealParameters(passes: 1, memory: 8)
  private static let head = BackupHead(
    hub: "ward-3", version: "0.1.0", madeAt: WallTime(microseconds: 1_795_000_000_000_000), storeFormat: 6,
    hasSamples: false, radio: RadioIdentity(value: 0xB827_EB01_0203, kind: 1))

  private static func row(_ size: Int) -> [UInt8] {
    [2, 4, 0] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + [0, 0, 0, 1]
      + [UInt8](repeating: 0x42, count: size)
  }

  /// Head, a file, pages of rows and an end.
  private static func entries(_ sizes: [Int] = [40]) -> [[UInt8]] {
    [BackupContent.head(head), BackupContent.file(name: "hearth.yaml", text: Array("hub: {name: ward-3}\n".utf8))]
      + sizes.map { BackupContent.rows(BackupPage(bytes: row($0), isLast: false)) }
      + [BackupContent.end(rows: UInt64(sizes.count))]
  }

  private static func seal(_ entries: [[UInt8]]) throws -> [UInt8] {
    var sealer = try BackupSealer(passphrase, quick)
    var file = sealer.header
    for entry in entries { file += sealer.add(entry) }
    return file + sealer.finish()
  }

  /// Opened in portions of `step` bytes.
  private static func open(_ file: [UInt8], step: Int = 1000, passphrase: [UInt8] = passphrase) throws -> [BackupEntry]
  {
    var opener = try BackupOpener(header: Array(file.prefix(BackupOpener.headerSize)), passphrase: passphrase)
    var content = BackupContentReader()
    var found: [BackupEntry] = []
    for start in stride(from: BackupOpener.headerSize, to: file.count, by: step) {
      found += try content.add(opener.add(Array(file[start..<min(start + step, file.count)])))
    }
    found += try content.add(opener.finish())
    try content.finish()
    return found
  }

  private func reason(_ body: () throws -> Void) -> Reason? {
    do { try body() } catch { return (error as? HearthError)?.reason }
    return nil
  }

  @Test("what is sealed opens again, in whatever portions it comes, differs every time, and shows no name")
  func roundTrip() throws {
    // The last piece empty, one byte long, full, and one byte more.
    let frame = Self.entries([]).reduce(0) { $0 + $1.count } + 5 + 11
    for size in [40, BackupSeal.pieceSize - frame - 1, BackupSeal.pieceSize - frame, BackupSeal.pieceSize - frame + 1] {
      let (one, two) = (try Self.seal(Self.entries([size])), try Self.seal(Self.entries([size])))
      #expect(one != two && one.count == two.count)
      for step in [1, 7, 60_000, 1 << 20] where step > 1 || size == 40 {
        let found = try Self.open(one, step: step)
        #expect(found.count == 4 && found.first == .head(Self.head) && found.last == .end(rows: 1))
        guard case .rows(let rows) = found[2] else {
          Issue.record("no rows")
          continue
        }
        #expect(rows.map(\.value.count) == [size] && rows[0].key == [0, 0, 0, 1])
      }
      let name = Array("ward-3".utf8)
      #expect(!(0...(one.count - name.count)).contains { one[$0...].starts(with: name) })
    }
  }

  @Test("H4201 and H4202: every flipped bit, every cut and every byte more is refused, and so is another passphrase")
  func damage() throws {
    let file = try Self.seal(Self.entries([40, 300]))
    #expect(reason { _ = try Self.open(file, passphrase: Array("another".utf8)) } == .backupPassphraseWrong)
    #expect(reason { _ = try Self.open(file, passphrase: []) } == .bondPassphraseMissing)
    for end in 0..<file.count {
      let found = reason { _ = try Self.open(Array(file[..<end])) }
      #expect(found == .backupDamaged || found == .backupPassphraseWrong, "cut at \(end)")
    }
    // Passes and memory are left out where the header alone would ask for minutes.
    for place in file.indices where !(12..<20).contains(place) {
      var changed = file
      changed[place] ^= 1 << UInt8(place % 8)
      let found = reason { _ = try Self.open(changed) }
      #expect(found == .backupDamaged || found == .backupPassphraseWrong, "flipped at \(place)")
    }
    for extra in [1, 17, 100] {
      #expect(reason { _ = try Self.open(file + [UInt8](repeating: 0, count: extra)) } != nil)
    }
  }

  @Test("pieces that are left out, given twice or in another order are refused, also a whole piece at the end")
  func pieces() throws {
    let file = try Self.seal(Self.entries([60_000, 60_000, 60_000]))
    let (start, size) = (BackupOpener.headerSize, BackupSeal.sealedSize)
    let (first, second) = (file[start..<(start + size)], file[(start + size)..<(start + 2 * size)])
    let (head, rest) = (file[..<start], file[(start + 2 * size)...])
    #expect(reason { _ = try Self.open(Array(head + second + first + rest)) } == .backupPassphraseWrong)
    #expect(reason { _ = try Self.open(Array(head + first + rest)) } == .backupDamaged)
    #expect(reason { _ = try Self.open(Array(head + first + first + second + rest)) } == .backupDamaged)
    #expect(reason { _ = try Self.open(Array(head + first)) } != nil)
    #expect(reason { _ = try Self.open(Array(head + first + second)) } == .backupDamaged)
    #expect(try Self.open(file).count == 6)
  }

  @Test("a later version, another kind of file, and memory that no hub asks for are reported before any key is made")
  func versions() throws {
    let file = try Self.seal(Self.entries())
    func changed(_ place: Int, _ value: UInt8) -> [UInt8] {
      var bytes = file
      bytes[place] = value
      return bytes
    }
    for (bytes, word) in [
      (changed(8, 2), "version 2"), (changed(0, 0x20), "no backup"), (changed(9, 7), "unknown way"),
      (changed(19, 0x7F), "no hub writes"),
    ] {
      do {
        _ = try Self.open(bytes)
        Issue.record("opened")
      } catch {
        #expect((error as? HearthError)?.reason == .backupDamaged)
        #expect((error as? HearthError)?.detail.contains(word) == true, "\(error)")
      }
    }
    let bonds = try SealedBonds.seal(BondBundle(hub: "", madeAt: WallTime(microseconds: 0), bonds: []), passphrase: [1])
    #expect(reason { _ = try Self.open(bonds) } == .backupDamaged)
    #expect(reason { _ = try SealedBonds.open(file, passphrase: Self.passphrase) } == .bondFileDamaged)
  }

  @Test(
    "content without a head, without an end, with something behind it, or with a file outside its folder is refused")
  func content() throws {
    let whole = Self.entries()
    let head = BackupContent.head(Self.head)
    for wrong in [
      [], [whole[3]], Array(whole.dropFirst()), Array(whole.dropLast()), whole + [whole[3]], [head] + whole,
      [head, BackupContent.end(rows: 1)], [head, [9, 0, 0, 0, 0], BackupContent.end(rows: 0)],
      [head, [3, 0xFF, 0xFF, 0xFF, 0xFF]],
    ]
      + ["../x.yaml", "/etc/passwd", "a/b/c", ".hidden", "", "a b"].map({
        [head, BackupContent.file(name: $0, text: []), BackupContent.end(rows: 0)]
      })
    {
      #expect(reason { _ = try Self.open(try Self.seal(wrong)) } == .backupDamaged, "\(wrong.map(\.count))")
    }
  }

  @Test("random bytes and random changes of content never leave it, from a fresh seed")
  func property() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed of SealedBackupTests.property: \(seed)")
    var random = Mixer(state: seed)
    let whole = Self.entries([40, 300, 7]).flatMap { $0 }
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        switch Int.random(in: 0...2, using: &random) {
        case 0 where !bytes.isEmpty:
          bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
        case 1 where !bytes.isEmpty: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        default: bytes.insert(.random(in: 0...255, using: &random), at: Int.random(in: 0...bytes.count, using: &random))
        }
      }
      var reader = BackupContentReader()
      var rows = 0
      do {
        for entry in try reader.add(bytes) { if case .rows(let found) = entry { rows += found.count } }
        try reader.finish()
        #expect(rows <= 3)
      } catch { #expect(error.reason == .backupDamaged) }
    }
  }

  /// SplitMix64.
  private struct Mixer: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }
  }
}
