// Assignment of GPIO lines to LEDs. Read from `board/*.yaml` by the module Configuration.

/// Board with LEDs. Lines are found by chip label and line name, because numbers of chips and lines differ between
/// kernels.
public struct Board: Sendable, Equatable {
  /// A GPIO line by its name.
  public struct LineSpec: Sendable, Equatable {
    /// Name in the kernel, for example `GPIO17`; `gpioinfo` lists them.
    public var name: String
    /// True if the LED lights when the line is low.
    public var activeLow: Bool

    /// A line; `activeLow`: a low level means on.
    public init(name: String, activeLow: Bool = false) {
      self.name = name
      self.activeLow = activeLow
    }
  }

  /// Push button between a line and ground (`activeLow`) or 3.3 V. The line's own resistor defines its level while the
  /// button is released.
  public struct ButtonSpec: Sendable, Equatable {
    /// Label of its chip; nil: the chip of the LEDs.
    public var chipLabel: String?
    /// Line of the button.
    public var line: LineSpec

    /// A button; `chipLabel` nil: on the board's chip.
    public init(chipLabel: String? = nil, line: LineSpec) {
      self.chipLabel = chipLabel
      self.line = line
    }
  }

  /// Name as in `lights.board`, for example `hearth-hat-1`.
  public var name: String
  /// Labels of the chip, tried in order: several Raspberry Pi models have the same header, but differently labelled
  /// chips.
  public var chipLabels: [String]
  /// LEDs of the board, at least one.
  public var lines: [Lamp: LineSpec]
  /// Line that dims all LEDs at night while it is active; nil: the board's LEDs can only be on or off.
  public var dimmer: LineSpec?
  /// Button of the board; nil: it has no button.
  public var button: ButtonSpec?

  /// A board with its lines.
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
