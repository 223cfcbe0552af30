// Ctrl-C as a value that a command reads, for commands that have to clean up.

import Glibc

/// The signal that came. A signal handler can write only such a variable.
private nonisolated(unsafe) var signalThatCame: Int32 = 0

/// Catches Ctrl-C from now on until `end`. Only one instance at a time.
final class Interruption {
  private var before = sigaction()

  init() {
    signalThatCame = 0
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { signalThatCame = $0 }
    sigaction(SIGINT, &action, &before)
    // The parent process may have blocked the signal.
    var held = sigset_t()
    sigemptyset(&held)
    sigaddset(&held, SIGINT)
    sigprocmask(SIG_UNBLOCK, &held, nil)
  }

  var came: Bool { signalThatCame != 0 }

  /// Restores the former effect of Ctrl-C. Idempotent.
  func end() { sigaction(SIGINT, &before, nil) }
}
