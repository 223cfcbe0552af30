import EventLoop
import Reasons
import RingStore
import Testing

@testable import Vault

/// The sealed file of bonds: what it opens to, and what does not open it.
@Suite struct SealedBondsTests {
  /// Made with the reference implementation of Argon2 (argon2-cffi) and PyCryptodome's XChaCha20-Poly1305: 2 passes
  /// over 1 MiB, salt 00…0F, nonce 64…7B.
  private static let known = """
    686561727468626b010100000200000000040000000102030405060708090a0b0c0d0e0f6465666768696a6b6c6d6e6f7071\
    72737475767778797a7b8588b97d8ecff21e5b7f2bfee1f3d40c4715d0f1331bc890b34036b92a89ce198c701f71bb1f5d4c\
    0b1bb1f27208a80f80306f5916c86bcce65ee0747c4d9b02144a017a0b6cf60b5205ba31735476861d6495b1dc0c538f2d55\
    2cd1e54541b0c347026b68fb5caa54518af6628d2d9fbe59a551c792e4f5ed05d1ae2766d18a
    """

  private static let passphrase = Array("Grüße, Hub!".utf8)
  private static let quick = SealHeader(
    parameters: SealParameters(passes: 2, memory: 1024), salt: Array(0..<16), nonce: Array(100..<124))

  private static let bundle = BondBundle(
    hub: "ward-3", madeAt: WallTime(microseconds: 1_795_000_000_000_000),
    bonds: [
      BundledBond(
        name: "insole-01", kind: "insole", driver: "botz",
        bond: Bond(
          addressValue: 0xE6C2_E1BB_0002, addressKind: 2, wearable: WearableID(number: 0),
          createdAt: WallTime(microseconds: 1_794_000_000_000_000),
          keys: [BondKey(kind: 1, bytes: Array(0..<36)), BondKey(kind: 2, bytes: Array(200..<216))]))
    ])

  private static func bytes(_ hex: String) -> [UInt8] {
    [UInt8](hexadecimal: hex.filter { !$0.isWhitespace }) ?? []
  }

  private func reason(_ body: () throws -> Void) -> Reason? {
    do {
      try body()
      return nil
    } catch { return (error as? HearthError)?.reason }
  }

  @Test("a file made by other programs opens, and the same bundle under the same salt gives the same file")
  func knownAnswer() throws {
    let file = Self.bytes(Self.known)
    #expect(try SealedBonds.open(file, passphrase: Self.passphrase) == Self.bundle)
    #expect(try SealedBonds.seal(Self.bundle, passphrase: Self.passphrase, Self.quick) == file)
  }

  @Test("what is sealed for keeps opens again, differs every time, and shows no part of names and keys")
  func seal() throws {
    let one = try SealedBonds.seal(Self.bundle, passphrase: Self.passphrase)
    let two = try SealedBonds.seal(Self.bundle, passphrase: Self.passphrase)
    #expect(one != two && one.count == two.count)
    #expect(try SealHeader(one).parameters == .standard)
    #expect(try SealedBonds.open(one, passphrase: Self.passphrase) == Self.bundle)
    for secret in [Array("insole-01".utf8), Array("ward-3".utf8), [UInt8](0..<36)] {
      #expect(!(0...(one.count - secret.count)).contains { one[$0...].starts(with: secret) })
    }
  }

  @Test("a wrong passphrase and every changed byte behind the beginning do not open; other files are reported as such")
  func wrong() throws {
    let file = Self.bytes(Self.known)
    #expect(reason { _ = try SealedBonds.open(file, passphrase: Array("grüße, Hub!".utf8)) } == .bondPassphraseWrong)
    #expect(reason { _ = try SealedBonds.open(file, passphrase: []) } == .bondPassphraseMissing)
    #expect(
      reason { _ = try SealedBonds.open(file, passphrase: [UInt8](repeating: 65, count: 1025)) }
        == .bondPassphraseMissing)
    for place in stride(from: 0, to: file.count, by: 3) {
      var damaged = file
      damaged[place] ^= 1
      let found = reason { _ = try SealedBonds.open(damaged, passphrase: Self.passphrase) }
      // Another number of passes, or of memory, gives another key; byte 15 makes it 16 million passes.
      #expect(found == (place < 12 || place == 15 ? .bondFileDamaged : .bondPassphraseWrong), "byte \(place)")
    }
  }

  @Test("a file that is cut anywhere is damaged, and never opens")
  func cut() throws {
    let file = Self.bytes(Self.known)
    for length in stride(from: 0, to: file.count, by: 7) {
      let found = reason { _ = try SealedBonds.open(Array(file[..<length]), passphrase: Self.passphrase) }
      #expect(found == (length < 76 ? .bondFileDamaged : .bondPassphraseWrong), "\(length) bytes")
    }
    #expect(
      reason { _ = try SealedBonds.open(file + [UInt8](repeating: 0, count: 1 << 20), passphrase: Self.passphrase) }
        == .bondFileDamaged)
  }

  @Test(
    "a file that asks for more memory or passes than any hub would is refused before any is spent",
    arguments: [
      (0, 1024), (11, 1024), (UInt32.max, 1024), (3, 0), (3, 7), (3, 262_145), (3, UInt32.max),
    ] as [(UInt32, UInt32)])
  func bounds(passes: UInt32, memory: UInt32) throws {
    let file = SealHeader(
      parameters: SealParameters(passes: passes, memory: memory), salt: Self.quick.salt, nonce: Self.quick.nonce
    ).bytes
    #expect(
      reason { _ = try SealedBonds.open(file + [UInt8](repeating: 0, count: 64), passphrase: [1]) } == .bondFileDamaged)
  }

  @Test("bundles come back as they were, empty and full, and no other bytes are one")
  func bundles() throws {
    let key = BondKey(kind: 255, bytes: [UInt8](repeating: 9, count: BondKey.sizeLimit))
    let full = BondBundle(
      hub: String(repeating: "ü", count: 127), madeAt: WallTime(microseconds: .min),
      bonds: (0..<BondBundle.bondLimit).map { number in
        BundledBond(
          name: "w\(number)", kind: String(repeating: "k", count: 64), driver: "",
          bond: Bond(
            addressValue: UInt64(number), addressKind: 1, wearable: WearableID(number: 0),
            createdAt: WallTime(microseconds: -1),
            keys: [BondKey](repeating: key, count: Bond.keyLimit)))
      })
    #expect(BondBundle(full.bytes) == full)
    #expect(full.bytes.count + SealHeader.size + 16 <= SealedBonds.sizeLimit)
    let empty = BondBundle(hub: "", madeAt: WallTime(microseconds: 0), bonds: [])
    #expect(BondBundle(empty.bytes) == empty)
    let bytes = Self.bundle.bytes
    for length in 0..<bytes.count { #expect(BondBundle(Array(bytes[..<length])) == nil) }
    #expect(BondBundle(bytes + [0]) == nil)
    // Names are typed in a shell: an impossible one is damage.
    let strange = BundledBond(name: "a b", kind: "", driver: "", bond: Self.bundle.bonds[0].bond)
    #expect(BondBundle(BondBundle(hub: "", madeAt: empty.madeAt, bonds: [strange]).bytes) == nil)
  }
}
