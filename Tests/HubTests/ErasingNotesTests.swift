import Custody
import EventLoop
import StateCodec
import Testing

@testable import Hub

@Suite("What is remembered of removals that had no effect")
struct ErasingNotesTests {
  private static let day = Duration.seconds(86_400)

  private func when(_ after: Duration = .zero, booted: Int64? = nil, firmware: String? = nil)
    -> ErasingNotes.Circumstances
  {
    ErasingNotes.Circumstances(
      booted: booted.map { WallTime(microseconds: $0 * 1_000_000) }, firmware: firmware,
      now: WallTime(microseconds: 1_800_000_000_000_000) + after)
  }

  /// As the next life of the hub has them.
  private func restarted(_ notes: ErasingNotes) -> ErasingNotes {
    var kept = RememberedStates()
    #expect(throws: Never.self) { try kept.keep(notes) }
    return kept[ErasingNotes.self] ?? ErasingNotes()
  }

  @Test("what was kept is not asked for again for a day, and other things are")
  func day() {
    var notes = ErasingNotes()
    notes.noteIneffective(RemovalID(name: "/U/0/20261120"), when())
    notes.noteIneffective(RemovalID(name: "/U/0/20261120/ACT/ASAMPL0.BPB"), when())
    notes = restarted(notes)
    for name in ["/U/0/20261120", "/U/0/20261120/ACT/ASAMPL0.BPB"] {
      #expect(
        notes.isUseless(RemovalID(name: name), when(Self.day - .seconds(1)))
          && !notes.isUseless(RemovalID(name: name), when(Self.day)))
    }
    #expect(!notes.isUseless(RemovalID(name: "/U/0/20261121"), when()))
    #expect(notes.keepsWhatWasRemoved(when()) && !notes.keepsWhatWasRemoved(when(Self.day)))
  }

  @Test(
    """
    one that reports its last start is asked again after a restart and not before; other firmware is asked in any case
    """
  )
  func restart() {
    var notes = ErasingNotes()
    notes.noteIneffective(RemovalID(name: "all files"), when(booted: 1000, firmware: "2.0"))
    notes = restarted(notes)
    #expect(notes.isUseless(RemovalID(name: "all files"), when(Self.day * 30, booted: 1100, firmware: "2.0")))
    #expect(
      !notes.isUseless(RemovalID(name: "all files"), when(booted: 90_000, firmware: "2.0"))
        && !notes.isUseless(RemovalID(name: "all files"), when(booted: 1000, firmware: "2.1")))
    #expect(notes.isUseless(RemovalID(name: "all files"), when(booted: 1000)), "nobody knows that it is another")
  }

  @Test("after eight in a row there is no request, unless it removed something meanwhile")
  func row() {
    var notes = ErasingNotes()
    for number in 1...7 {
      notes.noteIneffective(RemovalID(name: "file \(number)"), when(booted: 1_793_491_200, firmware: "2.0.13"))
    }
    var other = notes
    notes.noteIneffective(RemovalID(name: "file 8"), when(booted: 1_793_491_200, firmware: "2.0.13"))
    #expect(restarted(notes).isUseless(RemovalID(name: "file 9"), when(booted: 1_793_491_200)))
    other.noteEffective()
    other.noteIneffective(RemovalID(name: "file 8"), when(booted: 1_793_491_200))
    other = restarted(other)
    #expect(
      !other.isUseless(RemovalID(name: "file 9"), when(booted: 1_793_491_200))
        && other.isUseless(RemovalID(name: "file 8"), when(booted: 1_793_491_200)))
  }

  @Test(
    """
    a removal that is taken once is spent when it is called, which is no trouble, and not by one that was not called \
    after all
    """
  )
  func once() {
    var notes = ErasingNotes()
    notes.noteCalled(RemovalID(name: "all files"), when(booted: 1000))
    #expect(
      restarted(notes).isUseless(RemovalID(name: "all files"), when(booted: 1000))
        && !restarted(notes).keepsWhatWasRemoved(when(booted: 1000)))
    notes.forget(RemovalID(name: "all files"))
    #expect(!restarted(notes).isUseless(RemovalID(name: "all files"), when(booted: 1000)))
  }

  @Test("an invalid note is no state: more calls or failures than there may be")
  func foreign() {
    var states = RememberedStates()
    for failures in [0, 8, 9] as [UInt8] {
      var fields = FieldWriter()
      fields.put(2) {
        $0.put(1, Int64.min)
        $0.put(4, failures)
      }
      states.load(ErasingNotes.name, RememberedStates.Entry(version: 1, fields: fields.fields))
      #expect((states[ErasingNotes.self] == nil) == (failures > 8))
      #expect(states[ErasingNotes.self]?.isUseless(RemovalID(name: "all files"), when()) != true)
    }
    var calls = FieldWriter()
    calls.put(2) { period in
      period.put(1, Int64(0))
      period.put(4, UInt8(0))
      for number in 0..<9 as Range<UInt32> {
        period.put(5) {
          $0.put(1, number)
          $0.put(2, flag: false)
        }
      }
    }
    states.load(ErasingNotes.name, RememberedStates.Entry(version: 1, fields: calls.fields))
    #expect(states[ErasingNotes.self] == nil)
  }
}
