#!/usr/bin/env python3
"""Coverage by the sink against coverage by the hub: two days of wearables, uplinked into a real database.

    Tests/Sink/coverage.py --programs .build-tests/release

A hub lives two days in virtual time, across a change of the clocks, and is then served with its store. The uplink sends all rows through
mosquitto and hearth-sink into PostgreSQL. Both are asked for each wearable and day of the hub's zone. Takes four minutes.
"""
import argparse, datetime, decimal, json, pathlib, shutil, subprocess, sys, tempfile, zoneinfo

from engines import Broker, Database, Sink, wait

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Formats"))
from lived import lived  # noqa: E402

ZONE = zoneinfo.ZoneInfo("Europe/Berlin")
# Clocks change on the second of these days, which has 25 hours.
BEGIN = datetime.date(2026, 10, 24)
DAY = datetime.timedelta(days=1)
passed = failed = 0


def check(sentence, holds, what=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(f"{'ok  ' if holds else 'FAIL'} {sentence}" + (f": {what}" if what != "" else ""), flush=True)


def midnight(day):
    return datetime.datetime.combine(day, datetime.time(), ZONE)


def utc(moment):
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Hub:
    """A simulated hub among no wearables, with a store of days, and its uplink."""

    def __init__(self, programs, folder, name, port):
        self.name, self.programs, self.folder, self.children = name, programs, folder / name, []
        self.socket = self.folder / "hub.sock"
        (self.folder / "hearth.yaml").write_text(
            f"hub: {{name: {name}, timezone: {ZONE.key}}}\nstore: {{path: {self.folder}/store, size: 1GB}}\ncontrol: {{socket: {self.socket}}}\n")
        (self.folder / "uplink.yaml").write_text(
            f"broker: {{address: 'localhost:{port}'}}\ntls: {{on: false}}\nhub_socket: {self.socket}\nsocket: {self.folder}/uplink.sock\npersons: none\nhistory: {{every: 1s}}\n")

    def start(self):
        for log, *words in (("sim", "hearth-sim", "serve", "--population", "straps", "--wearables", "0", "--config", self.folder / "hearth.yaml"),
                            ("uplink", "hearth-uplink", "--config", self.folder / "uplink.yaml")):
            file = open(self.folder / f"{log}.log", "ab")
            self.children.append(subprocess.Popen([self.programs / words[0], *words[1:]], stdout=file, stderr=file, stdin=subprocess.DEVNULL))
            assert wait(self.socket.exists), (self.folder / f"{log}.log").read_text()

    def ask(self, *words):
        done = subprocess.run([self.programs / "hearth", "--socket", self.socket, "--json", *words], capture_output=True, text=True)
        # 1 is an answer as well: something needs attention.
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    def rings(self):
        return [ring for ring in self.ask("store")["rings"] if ring["series"] == "heart_rate"]

    def is_stored(self, database):
        """Whether the database has all heart rates; remembers the wearables with their first ones."""
        self.first = {}
        for ring in self.rings():
            oldest = datetime.datetime.fromisoformat(ring["oldest"].replace("Z", "+00:00"))
            self.first[ring["device"]] = min(oldest, self.first.get(ring["device"], oldest))
        of_hub = f"WHERE hubs.name = '{self.name}' AND series.name = 'heart_rate'"
        names = "JOIN hearth.rings USING (ring) JOIN hearth.series USING (series) JOIN hearth.wearables USING (wearable) JOIN hearth.stores USING (store) JOIN hearth.hubs USING (hub)"
        rows, heads = sum(ring["samples"] for ring in self.rings()), len(self.rings())
        return wait(lambda: int(database.one(f"SELECT count(*) FROM hearth.rows {names} {of_hub}")) == rows, 300, 1) and wait(
            lambda: int(database.one(f"SELECT count(*) FROM hearth.heads {names} {of_hub}")) == heads, 120, 1)

    def share(self, name, since, until):
        """Share of the heart rate; `None`: the hub expects no heart rate."""
        found = [line for line in self.ask("coverage", name, "--since", utc(since), "--until", utc(until))["series"] if line["series"] == "heart_rate"]
        return decimal.Decimal(repr(found[0]["share"])) if found else None

    def end(self):
        for child in self.children:
            child.terminate()
            child.wait(30)


def shares(hub, sink, name, begin, end):
    """The hub's share and the sink's, by wearable and day of a range; the first and the last day may be parts of days."""
    said = json.loads(sink.ask("ask", "coverage", "--whom", name, "--json", "--since", utc(begin), "--until", utc(end)).stdout)
    stored = {(row["wearable"], row["day"]): decimal.Decimal(row["share"]) for row in said}
    held, day = {}, begin.date()
    while midnight(day) < end:
        since, until = max(begin, midnight(day)), min(end, midnight(day + DAY))
        for wearable, first in hub.first.items():
            share = hub.share(wearable, since, until)
            # The hub also expects values before a wearable was enrolled.
            if share is not None and first < until:
                held[(wearable, day.isoformat())] = share
        day += DAY
    return held, stored


def differing(held, stored):
    # The hub joins chunks of close values without reading each, and the sink rounds to four digits.
    return {key: (held.get(key), stored.get(key)) for key in held.keys() | stored.keys()
            if key not in held or key not in stored or abs(held[key] - stored[key]) > decimal.Decimal("0.0001")}


def compare(hub, sink, database, name):
    check(f"heart rates of {name} are stored, and how far their rings are", hub.is_stored(database))
    noon = datetime.timedelta(hours=12)
    # Without the newest minutes: the hub counts its journal, which is exported later.
    for sentence, begin, end in (("that begins before the values", midnight(BEGIN - DAY), midnight(BEGIN + 2 * DAY)),
                                 ("that begins and ends at noon", midnight(BEGIN) + noon, midnight(BEGIN + DAY) + noon),
                                 ("behind the values", midnight(BEGIN + 5 * DAY), midnight(BEGIN + 14 * DAY))):
        held, stored = shares(hub, sink, name, begin, end)
        wrong = differing(held, stored)
        check(f"{len(held)} wearables and days of {name} have one coverage, in a range {sentence}", not wrong and held, wrong or "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    programs = parser.parse_args().programs.resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-coverage-"))
    broker, database, started = Broker(folder), Database(folder), []
    try:
        broker.start()
        database.start()
        sink = Sink(programs / "hearth-sink", folder, "sink", broker, database)
        sink.ask("schema", "--apply")
        started.append(sink)
        sink.start()
        for name, faults in (("polar", "gym"), ("bands", "none")):
            (folder / name).mkdir()
            status = lived(programs / "hearth-sim", folder / name / "store", "run", "--population", name, "--days", "2", "--wearables", "6", "--seed", "3", "--faults", faults,
                  "--zone", ZONE.key, "--from", BEGIN.isoformat())
            assert status == 0, "the simulated days found a violation"
            hub = Hub(programs, folder, name, broker.port)
            started.append(hub)
            hub.start()
            compare(hub, sink, database, name)
    finally:
        for one in reversed(started):
            one.end() if isinstance(one, Hub) else one.stop()
        broker.stop()
        database.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
