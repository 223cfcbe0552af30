import EventLoop
import Reasons
import Testing

@testable import Updates

@Suite("The record of an update")
struct UpdateRecordTests {
  private static let text = """
    from=0.1.0
    to=0.2.0
    format=6
    began=2026-11-26T15:00:00Z
    boot=6f0a
    uptime=4711
    starts=0
    verdict=open
    why=

    """

  private func record(_ verdict: String, _ more: String = "") -> UpdateRecord? {
    UpdateRecord(Self.text.replacing("verdict=open", with: "verdict=\(verdict)") + more)
  }

  @Test("is read as the shell writes it; a name that comes twice has its last value")
  func read() throws {
    let record = try #require(UpdateRecord(Self.text))
    #expect(record.from == "0.1.0" && record.to == "0.2.0" && record.verdict == .open && record.why == "")
    #expect(record.uptime == 4711 && record.boot == "6f0a" && record.began == "2026-11-26T15:00:00Z")
    #expect(UpdateRecord(Self.text + "why=a=b\n")?.why == "a=b")
  }

  @Test("is nil for any other text, however hostile")
  func refused() {
    for text in ["", "from=1", "from=1\nto=2", "from=1\nto=2\nverdict=fine", "=\n=\n", "from=\nto=2\nverdict=good"] {
      #expect(UpdateRecord(text) == nil, "\(text)")
    }
    #expect(UpdateRecord(String(repeating: "a=b\n", count: 4000)) == nil)
    #expect(UpdateRecord("from=1\nto=2\nverdict=good\nuptime=99999999999999999999")?.uptime == 0)
  }

  @Test(
    "H8060 and H8061: an update that went back, or could not, is a trouble; what serves, and what was ordered, is not")
  func trouble() {
    #expect(record("open")?.trouble == nil && record("good")?.trouble == nil && record("aborted")?.trouble == nil)
    #expect(record("rolled-back")?.trouble == nil && record("returning", "final=rolled-back")?.trouble == nil)
    let trouble = HearthError(.updateReturned, "0.2.0 went back to 0.1.0: no answer")
    #expect(record("returned", "why=no answer")?.trouble == trouble)
    #expect(record("returning", "final=returned")?.trouble?.reason == .updateReturned)
    #expect(record("stuck")?.trouble?.reason == .updateStuck)
    #expect(record("returned", "seen=yes")?.trouble == nil, "somebody has seen to it")
  }

  @Test("apt's answer is read: installed, candidate, and each version that a source has")
  func policy() {
    let said = """
      hearth:
        Installed: 0.1.0
        Candidate: 0.2.0
        Version table:
           0.2.0 500
              500 file:/repo stable/main amd64 Packages
       *** 0.1.0 500
              500 file:/repo stable/main amd64 Packages
              100 /var/lib/dpkg/status

      """
    let policy = AptPolicy(said)
    #expect(policy.installed == "0.1.0" && policy.candidate == "0.2.0" && policy.versions == ["0.2.0", "0.1.0"])
    #expect(AptPolicy("") == AptPolicy("N: Unable to locate package hearth"))
    #expect(AptPolicy("hearth:\n  Installed: (none)\n  Candidate: (none)\n").candidate == nil)
  }
}
