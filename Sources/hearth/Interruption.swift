// Ctrl-C as something that a command sees, where it has something left to do.

import Glibc

/// What came; a handler can write nothing else.
private nonisolated(unsafe) var signalThatCame: Int32 = 0

/// Takes Ctrl-C from now on until `end`. One at a time.
final class Interruption {
  private var before = sigaction()

  init() {
    signalThatCame = 0
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { signalThatCame = $0 }
    sigaction(SIGINT, &action, &before)
    // Whoever started this may have held it back.
    var held = sigset_t()
    sigemptyset(&held)
    sigaddset(&held, SIGINT)
    sigprocmask(SIG_UNBLOCK, &held, nil)
  }

  var came: Bool { signalThatCame != 0 }

  /// The next one does what it did before. Idempotent.
  func end() { sigaction(SIGINT, &before, nil) }
}
