#!/usr/bin/env python3
"""A hub's word of how far its rings were acknowledged, from a real hub into a real database, and what is lost behind it.

    Tests/Engines/heads.py --programs .build-tests/release

Starts Mosquitto, PostgreSQL, hearth-sink, a simulated hub of hearth-sim and its hearth-uplink; takes half a minute. The uplink is stopped in
order, as its unit does it. Then rows are deleted at ends and beginnings of rings, as a broker would have lost them, and sent again.
"""
import argparse, contextlib, pathlib, shutil, signal, subprocess, tempfile, time

from brokers import Database, Mosquitto, certificates, wait_for
from checks import check
from hubs import Hub, Sink, same, stored

MOMENT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')"""


def rings(rows):
    """By (store, enrolment, series, way): ordinals and times in order."""
    found = {}
    for place, row in rows.items():
        found.setdefault(place[:4], []).append((int(place[4]), row[0].rstrip("Z").ljust(26, "0")))
    return {ring: sorted(places) for ring, places in found.items()}


def heads_of(rows):
    return {ring: (places[0][0], places[-1][0] + 1, places[0][1], places[-1][1]) for ring, places in rings(rows).items()}


def heads(database):
    """What the sink's table has, in the same form."""
    found = database.ask(
        f"SELECT store, enrolment, s.name, way, first, next, {MOMENT.format('first_time')}, {MOMENT.format('newest_time')} FROM hearth.heads"
        " JOIN hearth.rings USING (ring) JOIN hearth.series s USING (series) JOIN hearth.wearables USING (wearable)")
    return {tuple(line[:4]): (int(line[4]), int(line[5]), line[6], line[7]) for line in found}


def differing(found, expected):
    return {ring: (found.get(ring), expected.get(ring)) for ring in found.keys() | expected.keys() if found.get(ring) != expected.get(ring)}


class Field:
    def __init__(self, programs, folder, ends):
        self.programs = programs
        certificates(folder / "secrets")
        broker = Mosquitto(folder, folder / "secrets")
        ends.callback(broker.end)
        broker.start()
        self.database = Database(folder)
        self.database.start()
        ends.callback(self.database.stop)
        self.sink = Sink(1, 1, folder, programs, broker, self.database)
        self.sink.apply()
        ends.callback(self.sink.process.end)
        self.sink.process.start()
        self.hub = Hub(7, folder, programs, broker, broker.ports, folder / "secrets", 6)
        ends.callback(self.hub.end)
        self.hub.start()

    def caught_up(self):
        """Whether a round of the uplink has just ended: everything that the hub has is in the database, and a moment ago it was not."""
        behind = wait_for(lambda: self.hub.rows().keys() - stored(self.database)[0].keys(), 10, 0.05)
        if not behind or not wait_for(lambda: not self.hub.rows().keys() - stored(self.database)[0].keys(), 10, 0.05):
            return False
        time.sleep(0.2)
        return True

    def stop_uplink(self):
        process = self.hub.uplink.process
        process.send_signal(signal.SIGTERM)
        return process.wait(10)

    def word(self, sentence):
        """The uplink ends in order: what its hub's rings have in the database is what it says of them."""
        is_there = wait_for(self.caught_up, 20)
        code = self.stop_uplink()
        check(f"{sentence}, the uplink ends in order", is_there and code == 0, code)
        held = self.hub.rows()
        found = {}

        def is_same():
            nonlocal found
            found = {place: held[place] for place in stored(self.database)[0] if place in held}
            return heads(self.database) == heads_of(found)

        wait_for(is_same, 5)
        wrong = differing(heads(self.database), heads_of(found))
        check("each ring's word is in the database: its oldest and newest row, as the hub exports them", found and not wrong, wrong or f"{len(heads(self.database))} rings")
        ends = {ring: head[1] for ring, head in heads(self.database).items()}
        lost = [place for place in held if int(place[4]) < ends.get(place[:4], 0) and place not in found]
        check("up to there every row of the export is in the database", not lost, lost[:3] or f"{len(found)} rows")
        return held

    def report(self):
        return subprocess.run([self.programs / "hearth-sink", "gaps", "--config", self.sink.settings], capture_output=True, text=True)

    def gaps(self):
        """By the report's text: (store, enrolment, series, way, first, last)."""
        lines = [line.split()[1:] for line in self.report().stdout.splitlines() if line.split()[1:2] == [self.hub.name]]
        return sorted((words[4], words[5], words[2], words[3], int(words[6]), int(words[7])) for words in lines)

    def lose(self, ring, ordinals):
        self.database.ask(
            "DELETE FROM hearth.rows USING hearth.rings g, hearth.series s, hearth.wearables w WHERE rows.ring = g.ring AND g.series = s.series AND g.wearable = w.wearable"
            f" AND w.store = '{ring[0]}' AND w.enrolment = {ring[1]} AND s.name = '{ring[2]}' AND g.way = '{ring[3]}' AND ordinal IN ({', '.join(map(str, ordinals))})")
        return (*ring, ordinals[0], ordinals[-1])

    def later(self):
        """Six minutes after it was told, and what was deleted by hand is noticed."""
        self.database.ask("UPDATE hearth.heads SET came = came - interval '6 minutes'; UPDATE hearth.hubs SET last_rows = last_rows - interval '6 minutes';"
                          " SELECT hearth.check_anew()")


def run(field):
    hub, database = field.hub, field.database
    check("a hub has rows of both ways", wait_for(lambda: {ring[3] for ring in rings(stored(database)[0])} == {"live", "fetched"}, 60, 0.3))
    held = field.word("stopped for the first time")
    before = heads(database)
    said = field.report()
    check("nothing is missing", said.returncode == 0, said.stdout.strip())

    known = rings(stored(database)[0])
    by_length = {way: sorted((ring for ring in known if ring[3] == way), key=lambda ring: -len(known[ring])) for way in ("live", "fetched")}
    ordinals = {ring: [place[0] for place in places] for ring, places in known.items()}
    end, other_end, front = by_length["live"][0], by_length["fetched"][0], by_length["fetched"][1]
    gone = by_length["live"][-1]
    lost = sorted([field.lose(end, ordinals[end][-4:]), field.lose(other_end, ordinals[other_end][-20:]), field.lose(front, ordinals[front][:7]),
                   field.lose(gone, ordinals[gone])])
    count = sum(gap[5] - gap[4] + 1 for gap in lost)
    check(f"{count} rows are lost: two ends, a beginning, a whole ring", len(stored(database)[0]) == sum(map(len, ordinals.values())) - count, lost)
    said = field.report()
    check("just told, they are not missing yet: they may be on their way", said.returncode == 0, said.stdout.strip())
    field.later()
    said = field.report()
    check("five minutes after it was told, the report names exactly those", field.gaps() == lost and said.returncode == 3, "" if field.gaps() == lost else said.stdout)
    step = said.stdout.rstrip().splitlines()[-1].strip() if said.stdout else ""
    check("and what to do", "hearth uplink resend --from" in step and step.startswith("next: "), step)

    moment = field.sink.gaps().get(hub.name, "")
    hub.uplink.start()
    told = wait_for(lambda: hub.resend(field.programs, moment) is True, 10)
    check("hearth uplink resend, with a time a day before the gap, is taken", told, moment)
    check("it brings them back", wait_for(lambda: not field.gaps(), 20, 0.3), field.gaps() or "")
    held |= hub.rows()
    found, double = stored(database)
    wrong = [place for place in found if place not in held or not same(held[place], found[place])]
    check("each as the hub has it, and once", double == 0 and not wrong, wrong[:3] or f"{len(found)} rows")

    field.word("stopped once more, with newer rows")
    after = heads(database)
    moved = [ring for ring in before if after[ring][1] > before[ring][1]]
    kept = all(after[ring][0] == before[ring][0] and after[ring][2] == before[ring][2] and after[ring][1] >= before[ring][1] for ring in before)
    check("rings went on, and what began before the new start still counts", moved and kept, differing(after, before) if not kept else f"{len(moved)} rings went on")
    field.later()
    said = field.report()
    check("and nothing is missing", said.returncode == 0, said.stdout.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, type=lambda text: pathlib.Path(text).resolve())
    programs = parser.parse_args().programs
    began = time.monotonic()
    with contextlib.ExitStack() as ends:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-heads-"))
        ends.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        run(Field(programs, folder, ends))
    print(f"in {time.monotonic() - began:.0f} s")
    check.end()


main()
