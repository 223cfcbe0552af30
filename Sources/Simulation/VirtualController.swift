// A Bluetooth controller of the hub's machine: what a process leaves behind when it dies.

public import Bluetooth
public import EventLoop
import RadioPool

/// One controller. It outlives the hub's process: a link that it has is there when the next hub starts.
@LoopActor
public final class VirtualController {
  /// 0 for the first.
  public let number: Int
  /// The radio that drives it now.
  public internal(set) weak var radio: VirtualRadio?
  /// It does nothing until it is reset.
  public internal(set) var isHung = false {
    didSet { if isHung != oldValue { for link in links { link.controllerChanged() } } }
  }
  /// Links it carries at this moment, lingering ones included, oldest first.
  public private(set) var links: [VirtualLink] = []
  /// How much weaker than the first one it hears whatever there is, in dB: further ones stand behind a wall or have a
  /// smaller antenna.
  let attenuation: Int

  init(number: Int) {
    self.number = number
    attenuation = number * 5 % 12
  }

  func linkMade(_ link: VirtualLink) { links.append(link) }
  func linkEnded(_ link: VirtualLink) { links.removeAll { $0 === link } }
}

extension VirtualWorld {
  /// The radio of a hub with these adapters: the only one, or all of them as one.
  public func makeRadio(_ options: [VirtualRadioOptions], _ loop: any Loop) -> (
    radio: any Radio, radios: [VirtualRadio]
  ) {
    let radios = options.enumerated().map { VirtualRadio(self, options: $0.element, controller: $0.offset) }
    if radios.count == 1 { return (radios[0], radios) }
    let pool = RadioPool(loop)
    for radio in radios { pool.add(radio) }
    return (pool, radios)
  }
}
