// Which line of which chip drives which lamp. Read from `board/*.yaml` by the configuration room.

/// A board with lamps. Lines are found by chip label and line name: numbers of chips and lines differ between kernels.
public struct Board: Sendable, Equatable {
  public struct LineSpec: Sendable, Equatable {
    /// As the kernel names it, for example `GPIO17`; `gpioinfo` lists them.
    public var name: String
    /// True if the lamp lights when the line is low.
    public var activeLow: Bool

    public init(name: String, activeLow: Bool = false) {
      self.name = name
      self.activeLow = activeLow
    }
  }

  /// A push button between a line and ground (`activeLow`) or 3.3 V; the line's own resistor holds it while nobody
  /// presses.
  public struct ButtonSpec: Sendable, Equatable {
    /// Label of its chip; nil: the chip of the lamps.
    public var chipLabel: String?
    public var line: LineSpec

    public init(chipLabel: String? = nil, line: LineSpec) {
      self.chipLabel = chipLabel
      self.line = line
    }
  }

  /// As in `lights.board`, for example `hearth-hat-1`.
  public var name: String
  /// Labels of the chip, tried in order; one header serves several Raspberry Pi models whose chips are labelled
  /// differently.
  public var chipLabels: [String]
  /// The lamps the board has, at least one.
  public var lines: [Lamp: LineSpec]
  /// A line that dims all lamps while it is active, for the night; nil: the board's lamps can only be on or off.
  public var dimmer: LineSpec?
  public var button: ButtonSpec?

  public init(
    name: String, chipLabels: [String], lines: [Lamp: LineSpec], dimmer: LineSpec? = nil, button: ButtonSpec? = nil
  ) {
    self.name = name
    self.chipLabels = chipLabels
    self.lines = lines
    self.dimmer = dimmer
    self.button = button
  }
}
