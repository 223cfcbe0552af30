// Bluetooth controller of the hub's machine: it survives when a process dies.

public import Bluetooth
public import EventLoop
import RadioPool

/// Controller of the machine. Outlives the hub's process: its links still exist when the next hub starts.
@LoopActor
public final class VirtualController {
  /// Index; 0 for the first controller.
  public let number: Int
  /// The radio that controls it now.
  public internal(set) weak var radio: VirtualRadio?
  /// Whether it hangs until a reset.
  public internal(set) var isHung = false {
    didSet { if isHung != oldValue { for link in links { link.controllerChanged() } } }
  }
  /// Links that it carries at this moment, lingering ones included, oldest first.
  public private(set) var links: [VirtualLink] = []
  /// Attenuation compared with the first controller, in dB: further ones are behind a wall or have a smaller antenna.
  let attenuation: Int

  init(number: Int) {
    self.number = number
    attenuation = number * 5 % 12
  }

  func linkMade(_ link: VirtualLink) { links.append(link) }
  func linkEnded(_ link: VirtualLink) { links.removeAll { $0 === link } }
}

extension VirtualWorld {
  /// The radio of a hub with these adapters: a single one, or a pool of all.
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
