// Retained messages of a hub for Home Assistant: those that the broker may have, those to be published, and those to be
// removed.

internal import JSONText

struct HomeTopics {
  /// Topics for which the broker may have a retained message.
  var kept: Set<String>
  /// Descriptions as they should be, by topic.
  private(set) var wanted: [String: JSON] = [:]
  /// Topics of descriptions that are to be published; the last one is next.
  private(set) var unsaid: [String] = []
  /// Topics that are to be removed; the last one is next.
  private(set) var leaving: [String] = []
  /// Descriptions that were published on this connection.
  private var said: [String: JSON] = [:]
  /// Topics removed on this connection, without an acknowledgement so far.
  private var left: Set<String> = []

  init(kept: Set<String>) { self.kept = kept }

  /// Begins a connection: the broker may have lost what it did not acknowledge.
  mutating func connected() { (said, left) = ([:], []) }

  /// Sets what should be there; all else that the broker may have is to be removed.
  mutating func want(_ descriptions: [String: JSON], states: [String]) {
    let topics = Set(descriptions.keys).union(states)
    left.subtract(topics)
    leaving = kept.subtracting(topics).subtracting(left).sorted(by: >)
    kept.formUnion(topics)
    wanted = descriptions
    unsaid = descriptions.keys.filter { said[$0] != descriptions[$0] }.sorted(by: >)
  }

  /// Called when the next description was published.
  mutating func described() {
    guard let topic = unsaid.popLast() else { return }
    said[topic] = wanted[topic]
  }

  /// Called when the next removal was published.
  mutating func removed() {
    guard let topic = leaving.popLast() else { return }
    said[topic] = nil
    left.insert(topic)
  }

  /// Forgets the removed topics, which the broker has acknowledged. False if no topic was removed.
  mutating func forgetRemoved() -> Bool {
    if left.isEmpty { return false }
    kept.subtract(left)
    left = []
    return true
  }
}
