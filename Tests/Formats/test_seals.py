"""Seals against the published vectors, and what is told of those in records."""
import unittest

import seals


class Seals(unittest.TestCase):
    # draft-irtf-cfrg-xchacha-03, 2.2.1.
    def test_the_key_of_hchacha20_is_that_of_the_draft(self):
        key = bytes(range(32))
        nonce = bytes.fromhex("000000090000004a0000000031415927")
        self.assertEqual(seals._hchacha(key, nonce).hex(), "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")

    # RFC 8439, 2.5.2.
    def test_poly1305_is_that_of_the_rfc(self):
        key = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
        self.assertEqual(seals._poly1305(key, b"Cryptographic Forum Research Group").hex(), "a8061dc1305136c6c22b8baf0c0127a9")

    def test_a_seal_of_another_place_does_not_open(self):
        seal = b"\1" + bytes(24) + bytes(16)
        self.assertIsNone(seals.opened(bytes(32), seal, "bonds", 4, b"\2" + bytes(6)))


if __name__ == "__main__":
    unittest.main()
