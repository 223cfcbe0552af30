// Recordings that a visit ends and begins anew: remembered before they end, so that a link that is lost in between costs minutes and not the rest of the recording.

import EventLoop
import Wearable

/// What is to run and was ended by this hub. Kept in the hub's notes of the wearable until it was seen to run.
@LoopActor
final class PolarRenewals {
  /// One recording, as it was and will be.
  struct Renewal: Sendable, Hashable {
    let type: PMD.MeasurementType
    let selection: PMD.Selection
    /// It is not begun in the clear.
    var wasEncrypted = false

    /// `2:52/16/8//3`: number of the kind, and of each setting in their order the value; `2!:52/16/8//3` where it was encrypted. Five kinds fit a note
    /// (120 bytes) whatever their values, and all that a model records at once with the values that there are.
    fileprivate var word: String {
      let values = Self.settings.map { selection.values[$0].map { "\($0)" } ?? "" }.joined(separator: "/")
      return "\(type.rawValue)\(wasEncrypted ? "!" : ""):\(values)"
    }

    fileprivate init?(word: Substring) {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, let type = UInt8(parts[0].prefix { $0.isNumber }).flatMap(PMD.MeasurementType.init(rawValue:)), type.isData else { return nil }
      let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
      guard numbers.count == Self.settings.count else { return nil }
      var values: [PMD.Setting: UInt32] = [:]
      for (setting, number) in zip(Self.settings, numbers) where !number.isEmpty {
        guard let value = UInt32(number) else { return nil }
        values[setting] = value
      }
      self.init(type, PMD.Selection(values), wasEncrypted: parts[0].hasSuffix("!"))
    }

    init(_ type: PMD.MeasurementType, _ selection: PMD.Selection, wasEncrypted: Bool) {
      (self.type, self.selection, self.wasEncrypted) = (type, selection, wasEncrypted)
    }

    /// The factor is only told, never asked for.
    private static let settings = PMD.Setting.allCases.filter { $0 != .factor }
  }

  private let link: any WearableLink
  private let client: PMD.Client

  private static let note = "renewals"

  init(_ link: any WearableLink, _ client: PMD.Client) {
    self.link = link
    self.client = client
  }

  /// What was not seen to run since, by number of its kind.
  private(set) var pending: [Renewal] {
    get { (link.remembered(Self.note) ?? "").split(separator: " ").compactMap { Renewal(word: $0) } }
    set {
      let words = newValue.sorted { $0.type.rawValue < $1.type.rawValue }.map(\.word)
      link.remember(Self.note, words.isEmpty ? nil : words.joined(separator: " "))
    }
  }

  /// Before they are ended.
  func note(_ renewals: [Renewal]) {
    if renewals.isEmpty { return }
    pending = pending.filter { old in !renewals.contains { $0.type == old.type } } + renewals
  }

  /// They run, whether anew or still; or nobody wants them any more.
  func forget(_ types: some Sequence<PMD.MeasurementType>) {
    let pending = pending
    let left = pending.filter { !types.contains($0.type) }
    if left.count < pending.count { self.pending = left }
  }

  /// Ends a recording, which is whole then.
  ///
  /// - Returns: false where it goes on: the wearable refused.
  func end(_ renewal: Renewal) async throws(VisitTrouble) -> Bool {
    do throws(VisitTrouble) { try await client.stopRecording(renewal.type) } catch {
      guard let text = error.refusal else { throw error }
      link.note("\(renewal.type) goes on: \(text)")
      return false
    }
    return true
  }

  /// Begins another one with the same settings as the one that was ended.
  func beginAnew(_ renewal: Renewal) async throws(VisitTrouble) {
    do throws(VisitTrouble) { try await begin(renewal) } catch {
      guard let text = error.refusal else { throw error }
      // Nobody but an operator can mend what does not record any more.
      link.note("\(renewal.type) is no longer recorded: \(text)")
    }
  }

  /// - Throws: why it was not begun. What the wearable does not take at all is not tried again; what it does not take now is, at each visit.
  func begin(_ renewal: Renewal) async throws(VisitTrouble) {
    let (type, secret) = (renewal.type, link.orders.polarSecret)
    if renewal.wasEncrypted, secret == nil { throw .busy(what: "its key is not there any more, and it was encrypted", retryAfter: nil) }
    let encrypts = Polar.streams(of: link.known.polarModel)?.encrypts ?? false
    if let secret, encrypts, !renewal.wasEncrypted {
      do throws(VisitTrouble) {
        _ = try await client.start(type, .offline, renewal.selection, secret: secret)
        return
      } catch {
        guard case .unsupported = error else { throw error }
        link.note("it takes no key: \(type) is recorded in the clear, as before")
      }
    }
    do throws(VisitTrouble) { _ = try await client.start(type, .offline, renewal.selection, secret: renewal.wasEncrypted ? secret : nil) } catch {
      if case .unsupported = error { forget([type]) }
      throw error
    }
  }
}
