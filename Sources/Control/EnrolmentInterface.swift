// The methods of `io.hearth.Hub` for enrolment, pairing and removal, and for settings of each wearable.

internal import Bluetooth
internal import EventLoop
internal import Hub
internal import HubProtocol
internal import Reasons

extension HubInterface: EnrolmentMethods {
  func enrollOpen(_ parameters: Methods.EnrollOpen.Parameters) async throws -> Methods.EnrollOpen.Reply {
    try await changed("open an enrolment window") {
      .init(
        enrolment: EnrolmentDocument(
          try service.openEnrolment(for: parameters.seconds.map { .seconds(Int64($0)) })))
    }
  }

  func enrollList(_ parameters: Methods.EnrollList.Parameters) -> Methods.EnrollList.Reply {
    .init(enrolment: EnrolmentDocument(service.enrolmentSnapshot()))
  }

  func enrollAccept(_ parameters: Methods.EnrollAccept.Parameters) async throws -> Methods.EnrollAccept.Reply {
    try await changed("accept \(harmless(parameters.which))", found: { ("", $0.device.name) }) {
      .init(device: DeviceDocument(try await service.accept(parameters.which, name: parameters.name)))
    }
  }

  func enrollClose(_ parameters: Methods.EnrollClose.Parameters) async throws {
    try await changed("close enrolment") { service.closeEnrolment() }
  }

  func rename(_ parameters: Methods.Rename.Parameters) async throws -> Methods.Rename.Reply {
    let (name, newName) = (parameters.name, parameters.newName)
    return try await changed("rename \(harmless(name)) to \(harmless(newName))", of: name) {
      .init(device: DeviceDocument(try await service.rename(name, to: newName)))
    }
  }

  func forget(_ parameters: Methods.Forget.Parameters) async throws -> Methods.Forget.Reply {
    try await changed("forget \(harmless(parameters.name))", of: parameters.name) {
      .init(warning: try await service.forget(parameters.name).map { TroubleDocument($0) })
    }
  }

  func eraseSet(_ parameters: Methods.EraseSet.Parameters) async throws -> Methods.EraseSet.Reply {
    let (name, word) = (parameters.name, parameters.choice)
    let choice = EraseChoice(rawValue: word)
    if choice == nil, word != "auto" { throw VarlinkError.invalidParameter("choice") }
    return try await changed("let erasing on \(harmless(name)) be \(word)", of: name) {
      .init(device: DeviceDocument(try await service.setErasing(name, choice)))
    }
  }

  func listenSet(_ parameters: Methods.ListenSet.Parameters) async throws -> Methods.ListenSet.Reply {
    let (name, word) = (parameters.name, parameters.choice)
    guard let choice: Bool? = ["on": true, "off": false, "auto": nil][word] else {
      throw VarlinkError.invalidParameter("choice")
    }
    return try await changed("let listening to \(harmless(name)) be \(word)", of: name) {
      .init(device: DeviceDocument(try await service.setListening(name, choice)))
    }
  }

  func absenceSet(_ parameters: Methods.AbsenceSet.Parameters) async throws -> Methods.AbsenceSet.Reply {
    let (name, word) = (parameters.name, parameters.choice)
    guard let choice = Self.absence(word) else { throw VarlinkError.invalidParameter("choice") }
    let bound = ["never": "for ever", "auto": "for as long as is configured"][word] ?? "for \(word) s"
    return try await changed("let \(harmless(name)) be away \(bound)", of: name) {
      .init(device: DeviceDocument(try await service.setAbsence(name, choice)))
    }
  }

  /// nil: an unknown word; `.some(nil)`: as configured.
  private static func absence(_ word: String) -> Duration?? {
    switch word {
    case "auto": return .some(nil)
    case "never": return .some(.zero)
    default:
      guard let seconds = UInt32(word), (300...31_536_000).contains(seconds) else { return nil }
      return .some(.seconds(Int64(seconds)))
    }
  }

  func pairings(_ parameters: Methods.Pairings.Parameters) -> Methods.Pairings.Reply {
    .init(pairings: service.pairings().map { PairingDocument($0) })
  }

  func pairAnswer(_ parameters: Methods.PairAnswer.Parameters) async throws {
    let answer: PairingAnswer
    switch (parameters.answer, parameters.passkey) {
    case ("yes", nil): answer = .yes
    case ("no", nil): answer = .no
    case ("passkey", let digits?): answer = .passkey(UInt32(digits))
    case ("passkey", nil), ("yes", _), ("no", _): throw VarlinkError.invalidParameter("passkey")
    default: throw VarlinkError.invalidParameter("answer")
    }
    // The digits stay out of the log.
    let what = "answer the pairing of \(harmless(parameters.name)) with \(parameters.answer)"
    try await changed(what, of: parameters.name) { try service.answerPairing(parameters.name, answer) }
  }
}
