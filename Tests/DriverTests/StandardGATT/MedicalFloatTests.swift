import Testing

@testable import StandardGATTFamily

@Suite("Numbers of medical devices")
struct MedicalFloatTests {
  @Test("every SFLOAT scales without overflow, or is no number")
  func allShort() {
    let bound: Int64 = 2048 * 10_000_000 * 1000
    for bits in UInt16.min ... .max {
      let number = MedicalFloat(sfloat: bits)
      if let value = number.scaled(by: 1000) { #expect(abs(value) <= bound) } else { #expect(number.special != nil) }
    }
    #expect(MedicalFloat(sfloat: 0xF005).scaled(by: 1) == 1 && MedicalFloat(sfloat: 0xFFFB).scaled(by: 1) == -1)
  }

  @Test("a FLOAT of any exponent scales, clamped if there is no such number")
  func long() {
    func scaled(_ mantissa: UInt32, _ exponent: Int8) -> Int64? {
      let bits = UInt32(UInt8(bitPattern: exponent)) << 24 | mantissa
      return MedicalFloat(float: bits).scaled(by: 1000)
    }
    #expect(scaled(364, -1) == 36_400 && scaled(3640, -2) == 36_400 && scaled(0xFF_FFFB, -1) == -500)
    #expect(scaled(1, 127) == .max && scaled(0xFF_FFFF, 127) == .min && scaled(0, 127) == 0)
    #expect(scaled(1, -128) == 0 && scaled(0x7F_FFFD, 12) == .max && scaled(0x7F_FFFD, 9) == 8_388_605_000_000_000_000)
    for exponent in Int8.min ... .max {
      for mantissa: UInt32 in [1, 0x7F_FFFD, 0x80_0003, 0xFF_FFFF] { #expect(scaled(mantissa, exponent) != nil) }
    }
    for special: UInt32 in [0x7F_FFFF, 0x80_0000, 0x7F_FFFE, 0x80_0002, 0x80_0001] {
      #expect(scaled(special, 0) == nil && scaled(special, 1) != nil)
    }
  }

  @Test("an origin and a divisor are exact before the one rounding")
  func converted() {
    func celsius(_ mantissa: UInt32, _ exponent: Int8) -> Int64? {
      MedicalFloat(float: UInt32(UInt8(bitPattern: exponent)) << 24 | mantissa).scaled(by: 5000, over: 9, from: 32)
    }
    #expect(celsius(978, -1) == 36_556 && celsius(986, -1) == 37_000 && celsius(32, 0) == 0)
    #expect(celsius(1, 2) == 37_778 && celsius(0xFF_FFD8, 0) == -40_000)
    #expect(celsius(1, -128) == -17_778)
  }

  @Test("the largest factors that are allowed cause no overflow, with an origin and without")
  func bounds() {
    func number(_ mantissa: UInt32, _ exponent: Int8) -> MedicalFloat {
      MedicalFloat(float: UInt32(UInt8(bitPattern: exponent)) << 24 | mantissa)
    }
    let (origin, divisor): (Int64, Int64) = (1000, 1_000_000_000_000)
    #expect(number(1, -24).scaled(by: 10_000_000_000, over: divisor, from: origin) == -10)
    #expect(number(0x7F_FFFD, 12).scaled(by: 100_000_000_000_000, over: divisor) == .max)
    #expect(number(0x7F_FFFD, 9).scaled(by: 100_000_000_000_000, over: divisor) == 838_860_500_000_000_000)
    #expect(number(0x80_0003, -24).scaled(by: 100_000_000_000_000, over: divisor) == 0)
  }
}
