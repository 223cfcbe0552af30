import EventLoop
import Testing

@Suite("Conversations with a wearable, byte for byte")
struct ConversationTests {
  @Test("the script is followed to its end, without any other event", arguments: ConversationScript.all)
  func conversation(_ script: ConversationScript) throws {
    do {
      try VirtualLoop.run { loop in try await ConversationRunner(loop).play(script) }
    } catch let error as ConversationError {
      Issue.record("\(error.description)")
    }
  }

  @Test("no conversation is lost on the way to the runner")
  func scriptsAreFound() throws {
    #expect(ConversationScript.all.count >= 60)
    for script in ConversationScript.all { #expect(try script.steps().count >= 2) }
  }
}
