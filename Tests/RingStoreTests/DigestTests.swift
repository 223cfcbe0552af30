import EventLoop
import Health
import Testing

@testable import RingStore

@Suite struct DigestTests {
  /// The first 64 vectors of the reference code: key 00 01 … 0F, input 00 01 … of 0 to 63 bytes. Made with OpenSSL's
  /// own SipHash.
  static let vectors = """
    A3817F04BA25A8E66DF67214C7550293 DA87C1D86B99AF44347659119B22FC45 8177228DA4A45DC7FCA38BDEF60AFFE4 \
    9C70B60C5267A94E5F33B6B02985ED51
    F88164C12D9C8FAF7D0F6E7C7BCD5579 1368875980776F8854527A07690E9627 14EECA338B208613485EA0308FD7A15E \
    A1F1EBBED8DBC153C0B84AA61FF08239
    3B62A9BA6258F5610F83E264F31497B4 264499060AD9BAABC47F8B02BB6D71ED 00110DC378146956C95447D3F3D0FBBA \
    0151C568386B6677A2B4DC6F81E5DC18
    D626B266905EF35882634DF68532C125 9869E247E9C08B10D029934FC4B952F7 31FCEFAC66D7DE9C7EC7485FE4494902 \
    5493E99933B0A8117E08EC0F97CFC3D9
    6EE2A4CA67B054BBFD3315BF85230577 473D06E8738DB89854C066C47AE47740 A426E5E423BF4885294DA481FEAEF723 \
    78017731CF65FAB074D5208952512EB1
    9E25FC833F2290733E9344A5E83839EB 568E495ABE525A218A2214CD3E071D12 4A29B54552D16B9A469C10528EFF0AAE \
    C9D184DDD5A9F5E0CF8CE29A9ABF691C
    2DB479AE78BD50D8882A8A178A6132AD 8ECE5F042D5E447B5051B9EACB8D8F6F 9C0B53B4B3C307E87EAEE08678141F66 \
    ABF248AF69A6EAE4BFD3EB2F129EEB94
    0664DA1668574B88B935F3027358AEF4 AA4B9DC4BF337DE90CD4FD3C467C6AB7 EA5C7F471FAF6BDE2B1AD7D4686D2287 \
    2939B0183223FAFC1723DE4F52C43D35
    7C3956CA5EEAFC3E363E9D556546EB68 77C6077146F01C32B6B69D5F4EA9FFCF 37A6986CB8847EDF0925F0F1309B54DE \
    A705F0E69DA9A8F907241A2E923C8CC8
    3DC47D1F29C448461E9E76ED904F6711 0D62BF01E6FC0E1A0D3C4751C5D3692B 8C03468BCA7C669EE4FD5E084BBEE7B5 \
    528A5BB93BAF2C9C4473CCE5D0D22BD9
    DF6A301E95C95DAD97AE0CC8C6913BD8 801189902C857F39E73591285E70B6DB E617346AC9C231BB3650AE34CCCA0C5B \
    27D93437EFB721AA401821DCEC5ADF89
    89237D9DED9C5E78D8B1C9B166CC7342 4A6D8091BF5E7D651189FA94A250B14C 0E33F96055E7AE893FFC0E3DCF492902 \
    E61C432B720B19D18EC8D84BDC63151B
    F7E5AEF549F782CF379055A608269B16 438D030FD0B7A54FA837F2AD201A6403 A590D3EE4FBF04E3247E0D27F286423F \
    5FE2C1A172FE93C4B15CD37CAEF9F538
    2C97325CBD06B36EB2133DD08B3A017C 92C814227A6BCA949FF0659F002AD39E DCE850110BD8328CFBD50841D6911D87 \
    67F14984C7DA791248E32BB5922583DA
    1938F2CF72D54EE97E94166FA91D2A36 74481E9646ED49FE0F6224301604698E 57FCA5DE98A9D6D8006438D0583D8A1D \
    9FECDE1CEFDC1CBED4763674D9575359
    E3040C00EB28F15366CA73CBD872E740 7697009A6A831DFECCA91C5993670F7A 5853542321F567A005D547A4F04759BD \
    5150D1772F50834A503E069A973FBD7C
    """.split { $0 == " " || $0 == "\n" }.map(String.init)

  private func hash(_ input: [UInt8], pieces: (inout SipHash128, UnsafeRawBufferPointer) -> Void = { $0.update($1) })
    -> String
  {
    var hash = SipHash128(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
    input.withUnsafeBytes { pieces(&hash, $0) }
    let (first, second) = hash.finish()
    return hexadecimal(BatchDigest(first: first, second: second).bytes)
  }

  @Test("SipHash-2-4-128 gives the reference vectors, in one piece, byte by byte, and in words after an odd start")
  func vectors() {
    #expect(Self.vectors.count == 64)
    for (count, expected) in Self.vectors.enumerated() {
      let input = Array(UInt8(0)..<UInt8(count))
      #expect(hash(input) == expected)
      #expect(hash(input) { hash, bytes in for byte in bytes { hash.update(byte) } } == expected)
      for cut in 0...count {
        #expect(
          hash(input) { hash, bytes in
            hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
            hash.update(UnsafeRawBufferPointer(rebasing: bytes[cut...]))
          } == expected)
      }
    }
  }

  private func columns() -> (ItemColumns, ItemColumns) {
    var rates = ItemColumns(valueCount: 1, hasBytes: false)
    rates.append(time: 1_700_000_000_000_000, flags: 1, value: 72)
    rates.append(time: 1_700_000_001_000_000, flags: 5, value: -3)
    var waves = ItemColumns(valueCount: 3, hasBytes: true)
    let blob = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    [7_692_307, 100, 256].withUnsafeBufferPointer { values in
      blob.withUnsafeBytes { waves.append(time: -1, flags: 1, values: values, bytes: $0) }
    }
    return (rates, waves)
  }

  @Test("the digest of a batch is that of the bytes which the format says, from columns and item by item")
  func canonical() {
    let (rates, waves) = columns()
    var hasher = BatchHasher(source: "Ärchiv/2026-11-21.rec")
    hasher.add(series: 1, way: .fetched, rates)
    hasher.add(series: 6, way: .fetched, waves)
    // Made from the table in FORMAT.md, with Python and OpenSSL.
    #expect(hexadecimal(hasher.finish().bytes) == "8524120D6908530123F708DE0C4BA90F")

    var single = BatchHasher(source: "Ärchiv/2026-11-21.rec")
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    single.begin(series: 1, way: .fetched, valueCount: 1, items: 2)
    single.item(time: 1_700_000_000_000_000, flags: 1, values: [72], bytes: none)
    single.item(time: 1_700_000_001_000_000, flags: 5, values: [-3], bytes: none)
    single.begin(series: 6, way: .fetched, valueCount: 3, items: 1)
    waves.heap.withUnsafeBytes { single.item(time: -1, flags: 1, values: [7_692_307, 100, 256], bytes: $0) }
    #expect(hexadecimal(single.finish().bytes) == "8524120D6908530123F708DE0C4BA90F")
  }

  @Test("batches that differ in anything have different digests")
  func differences() {
    func digest(
      _ source: String = "s", _ series: UInt16 = 1, _ way: Way = .fetched, times: [Int64] = [1, 2], flags: UInt8 = 1,
      values: [Int64] = [3, 4],
      groups: Int = 1
    ) -> BatchDigest {
      var hasher = BatchHasher(source: source)
      let perGroup = times.count / groups
      for group in 0..<groups {
        var columns = ItemColumns(valueCount: 1, hasBytes: false)
        for index in (group * perGroup)..<((group + 1) * perGroup) {
          columns.append(time: times[index], flags: flags, value: values[index])
        }
        hasher.add(series: series, way: way, columns)
      }
      return hasher.finish()
    }
    let all = [
      digest(), digest("t"), digest(""), digest("s", 2), digest("s", 1, .live), digest(times: [2, 1]),
      digest(times: [1, 3]), digest(flags: 5),
      digest(values: [4, 3]), digest(values: [3, -4]), digest(groups: 2), digest(times: []),
      digest(times: [], groups: 2), digest(times: [1]),
    ]
    #expect(Set(all).count == all.count)
    #expect(digest() == digest())
  }

  @Test("a digest is sixteen bytes, no more and no less")
  func bytes() {
    let digest = BatchDigest(first: 0x0807_0605_0403_0201, second: 0x100F_0E0D_0C0B_0A09)
    #expect(digest.bytes == Array(1...16))
    #expect(digest.bytes.withUnsafeBytes { BatchDigest($0) } == digest)
    #expect(Array(digest.bytes.dropLast()).withUnsafeBytes { BatchDigest($0) } == nil)
    #expect((digest.bytes + [0]).withUnsafeBytes { BatchDigest($0) } == nil)
  }
}
