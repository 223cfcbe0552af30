#!/usr/bin/env python3
"""Settings of the hall without a broker: who is hidden from the wall. Takes a second.

    Tests/Wall/settings.py
"""
import json, pathlib, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "board/hall.d"))
import broker  # noqa: E402
import pages  # noqa: E402


class Hidden(unittest.TestCase):
    def denied(self, *names):
        """Topics of births that the wall may not read."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wall.json"
            file.write_text(json.dumps({"wearables": {name: {"show": False} for name in names}}))
            lines = broker.access("g", ["gym"], pages.hidden(pages.read(file))).splitlines()
        return [line.split()[-1] for line in lines if line.startswith("topic deny") and "DBIRTH" in line]

    def test_a_name_is_hidden_at_one_hub_or_at_all(self):
        self.assertEqual(self.denied("strap-01", "gym/strap-02"), ["spBv1.0/g/DBIRTH/+/strap-01", "spBv1.0/g/DBIRTH/gym/strap-02"])

    def test_a_name_with_a_point_is_hidden_by_its_topic(self):
        self.assertEqual(self.denied("strap.05"), ["spBv1.0/g/DBIRTH/+/strap~05"])

    def test_a_name_as_older_topics_had_it_hides_both(self):
        self.assertEqual(self.denied("gym/strap_05"), ["spBv1.0/g/DBIRTH/gym/strap_05", "spBv1.0/g/DBIRTH/gym/strap~05"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
