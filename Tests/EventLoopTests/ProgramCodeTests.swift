import Glibc
import Testing

@testable import EventLoop

@Suite("The program's own code in memory")
struct ProgramCodeTests {
  private let maps = """
    55fa384ba000-55fa3891a000 r--p 00000000 fe:00 1234567                    /usr/bin/hearthd
    Size:               4480 kB
    Anonymous:             0 kB
    Swap:                  0 kB
    SwapPss:               0 kB
    VmFlags: rd mr mw me
    55fa3891a000-55fa398dd000 r-xp 0045f000 fe:00 1234567                    /usr/bin/hearthd
    Anonymous:             0 kB
    Swap:                  0 kB
    55fa398dd000-55fa3996c000 r--p 01421000 fe:00 1234567                    /usr/bin/hearthd
    Anonymous:           312 kB
    Swap:                  0 kB
    55fa3996b000-55fa3996c000 r--p 01421000 fe:00 1234567                    /usr/bin/hearthd
    Anonymous:             0 kB
    Swap:                  4 kB
    55fa3996c000-55fa39bdf000 rw-p 014af000 fe:00 1234567                    /usr/bin/hearthd
    Anonymous:             0 kB
    Swap:                  0 kB
    55fa665d4000-55fa66651000 rw-p 00000000 00:00 0                          [heap]
    Anonymous:             0 kB
    Swap:                  0 kB
    7ff6cdf3f000-7ff6ce095000 r-xp 00026000 fe:00 7654321                    /usr/lib/libc.so.6
    Anonymous:             0 kB
    Swap:                  0 kB
    7ff6ce1ed000-7ff6ce1ef000 r--s 00000000 fe:00 7654322                    /var/lib/hearth/data.mdb
    Anonymous:             0 kB
    Swap:                  0 kB
    7ff6ce2ed000-7ff6ce2ef000 r-xp 00000000 00:00 0                          [vdso]
    Anonymous:             0 kB
    Swap:                  0 kB
    7ff6ce2f0000-7ff6ce2e0000 r-xp 00000000 fe:00 1234567                    /usr/bin/hearthd
    Anonymous:             0 kB
    Swap:                  0 kB
    7ff6ce3f0000-7ff6ce3f1000 r-xp 00000000 fe:00 1234567                    /usr/bin/hearthd
    Anonymous:             0 kB
    rubbish

    """

  @Test func `is what is mapped of it as it is in the file, and never what was written to`() {
    func mappings(in maps: String, of program: String?) -> [Range<UInt>] {
      var mappings = CodeMappings(of: program)
      maps.split(separator: "\n").forEach { mappings.take($0) }
      return mappings.found
    }
    let own: [Range<UInt>] = [0x55fa_384b_a000..<0x55fa_3891_a000, 0x55fa_3891_a000..<0x55fa_398d_d000]
    #expect(mappings(in: maps, of: "/usr/bin/hearthd") == own)
    #expect(mappings(in: maps, of: "/usr/bin/hearth").isEmpty)
    #expect(mappings(in: "", of: "/usr/bin/hearthd").isEmpty)
    let all = own + [0x7ff6_cdf3_f000..<0x7ff6_ce09_5000]
    #expect(mappings(in: maps, of: nil) == all, "of libraries too, where that is wanted")
  }

  @Test func `is forgotten and mapped again while it runs`() {
    #expect(ProgramCode.forget() > 1 << 20)
    #expect(ProgramCode.forget() > 1 << 20, "and it runs all the same")
  }

  @Test func `is dropped also if the process has thousands of mappings`() throws {
    // Neighbours that may be read or not are mappings of their own: 4,000 of them, 2.8 MB of /proc/self/smaps.
    let (page, count) = (4096, 4000)
    let area = try #require(mmap(nil, page * count, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(area, page * count) }
    try #require(area != MAP_FAILED)
    for index in stride(from: 0, to: count, by: 2) {
      try #require(mprotect(area + index * page, page, PROT_NONE) == 0)
    }
    #expect(ProgramCode.forget() > 1 << 20)
  }
}
