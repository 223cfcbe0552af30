// Reset of an adapter from outside: its USB port, or the driver of its UART. Both need rights that the daemon may lack.
// In that case it can ask a helper that runs as root.

import CLinux
import EventLoop
import Glibc

/// Position of an adapter on its bus, as sysfs shows it.
enum AdapterPort: Equatable {
  /// The device node, and the sysfs attribute that removes the device from its bus and adds it again.
  case usb(node: String, authorization: String)
  /// The driver's folder, and the device's name in it.
  case serial(driver: String, device: String)

  /// USB: `/sys/class/bluetooth/hciN/device` is the interface, its parent the device. UART: the link is the serial
  /// device itself.
  init?(of adapter: AdapterIdentity, sysfs: String = "/sys", dev: String = "/dev") {
    guard let device = resolve("\(sysfs)/class/bluetooth/\(adapter.name)/device") else { return nil }
    switch adapter.bus {
    case .usb:
      guard let end = device.lastIndex(of: "/") else { return nil }
      let port = String(device[..<end])
      guard let bus = Self.number("\(port)/busnum"), let number = Self.number("\(port)/devnum") else { return nil }
      self = .usb(
        node: "\(dev)/bus/usb/\(Self.padded(bus))/\(Self.padded(number))", authorization: "\(port)/authorized")
    case .uart:
      guard let driver = resolve("\(device)/driver"), let name = device.split(separator: "/").last else { return nil }
      self = .serial(driver: driver, device: String(name))
    default: return nil
    }
  }

  private static func number(_ path: String) -> Int? {
    readSmallFile(path).flatMap { Int($0) }.flatMap { (1...999).contains($0) ? $0 : nil }
  }
  private static func padded(_ number: Int) -> String { String("00\(number)".suffix(3)) }
}

/// The target of a symbolic link; nil if there is no such link.
private func resolve(_ path: String) -> String? {
  guard let found = realpath(path, nil) else { return nil }
  defer { free(found) }
  return String(cString: found)
}

extension LinuxKernel {
  /// _IO('U', 20) of linux/usbdevice_fs.h: resets the port, after which the device is enumerated again.
  private static let usbReset: UInt = 0x5514
  /// Pause between unbind and bind: some chips need their supply voltage to fall.
  private static let apart: Duration = .milliseconds(500)

  func resetBus(of adapter: AdapterIdentity) async -> Int32 {
    guard let port = AdapterPort(of: adapter) else { return ENODEV }
    var code: Int32
    switch port {
    case .usb(let node, let authorization):
      code = await resetPort(node)
      if code != 0 { code = await toggle([(authorization, "0"), (authorization, "1")]) }
    case .serial(let driver, let device):
      code = await toggle([("\(driver)/unbind", device), ("\(driver)/bind", device)])
    }
    return code == 0 || askHelper(adapter) ? 0 : code
  }

  private func resetPort(_ node: String) async -> Int32 {
    let descriptor = hearth_open(node, O_WRONLY | O_CLOEXEC, 0)
    if descriptor < 0 { return errno }
    defer { Glibc.close(descriptor) }
    return await child { hearth_ioctl_in_child(descriptor, Self.usbReset, 0) }
  }

  /// Writes one word after another, each in a child process: with a dead controller the kernel may take seconds over
  /// each.
  private func toggle(_ steps: [(path: String, word: String)]) async -> Int32 {
    for (number, step) in steps.enumerated() {
      if number > 0 { try? await loop.sleep(for: Self.apart) }
      let descriptor = hearth_open(step.path, O_WRONLY | O_CLOEXEC, 0)
      if descriptor < 0 { return errno }
      let code = await child { hearth_write_in_child(descriptor, step.word) }
      Glibc.close(descriptor)
      // A device that is off must be switched on again, even if switching it off reported an error.
      if code != 0, number == steps.count - 1 || number == 0 { return code }
    }
    return 0
  }

  /// Leaves the adapter's name where the helper's systemd unit expects it. False if no helper is installed.
  private func askHelper(_ adapter: AdapterIdentity) -> Bool {
    guard let path = helperRequest,
      access("/etc/systemd/system/hearth-radio-reset.path", F_OK) == 0
        || access("/usr/lib/systemd/system/hearth-radio-reset.path", F_OK) == 0
    else { return false }
    return replaceFile(path, with: "\(adapter.name)\n")
  }
}

/// Replaces a small file atomically, or keeps the old one. Durable when it returns true.
func replaceFile(_ path: String, with text: String) -> Bool {
  let new = "\(path).new"
  // Removes a leftover of an earlier write, or a link put there: unlink removes the name, never the file behind it.
  unlink(new)
  let descriptor = hearth_open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
  if descriptor < 0 { return false }
  let bytes = Array(text.utf8)
  let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
  close(descriptor)
  return isWritten && rename(new, path) == 0
}
