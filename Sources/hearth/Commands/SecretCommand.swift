// The key of a wearable's encrypted recordings.

import ArgumentParser
import HubProtocol
import Reasons

extension SettingsCommand.Order {
  struct Secret: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the key (secret) of encrypted recordings, 32 hexadecimal digits.",
      usage: """
        hearth settings <name> set secret [--generate] [--secret-file <file>] [--yes-lose <n>]
        hearth settings <name> set secret none [--yes-lose <n>]
        """,
      discussion: """
        The key is asked for without an echo. With --generate the hub makes one that is never shown. A model that \
        cannot encrypt is refused (H2132), as it would stop recording with a secret. Recordings made under another \
        key become unreadable: fetch them first. If there are such recordings, --yes-lose N agrees to lose that \
        many.

        hearth settings band-07 set secret --generate
        """)
    @ParentCommand var settings: SettingsCommand

    @Argument(help: "none: no encryption any more.")
    var value: String?

    @Flag(help: "Let the hub make a secret, which is never shown.")
    var generate = false

    @Option(
      help: ArgumentHelp("Read the secret from the first line of a file, '-' for standard input.", valueName: "file"))
    var secretFile: String?

    @OptionGroup var agreement: AgreementOptions

    func validate() throws {
      if generate && secretFile != nil { throw ValidationError("--generate or --secret-file, not both") }
      if let value, value != "none" || generate || secretFile != nil {
        throw ValidationError(
          """
          a secret is not given on the command line, where others can read it: it is asked for, or --generate, or \
          --secret-file
          """)
      }
    }

    /// Requires the exact number of recordings that the wearable holds and no visit has fetched.
    func run() throws {
      try settings.order { client, session in
        let loss = try session.lossOfSecret(settings.name, client)
        if loss.unfetched > 0 { try session.agree(to: loss, agreement.given) }
        return try client.secretSet(try parameters()).orders
      }
    }

    private func parameters() throws -> Methods.SecretSet.Parameters {
      if value != nil || generate { return .init(name: settings.name, generate: generate) }
      if secretFile == nil, settings.root.options.noInput {
        throw Passphrase.missing("--no-input, and no --secret-file or --generate")
      }
      var digits =
        try secretFile.map { try Passphrase.firstLine(of: $0) }
        ?? Passphrase.ask(twice: false, prompt: "32 hexadecimal digits: ")
      defer { Passphrase.wipe(&digits) }
      let isKey = digits.count == 32 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
      if !isKey { throw Misuse(error: HearthError(.controlBadParameter, "a secret has 32 hexadecimal digits")) }
      return .init(name: settings.name, secret: String(decoding: digits, as: UTF8.self))
    }
  }
}
