#!/usr/bin/env python3
"""Sinks between a real broker and a real database: every row once, whatever is killed.

    Tests/Sink/run.py --programs .build/release [--long] [--keep]

Starts mosquitto and PostgreSQL 15 of this machine in a folder of its own. The batches are written by hubs.py, from the
message's description alone. The short form takes less than a minute; --long kills two hundred times instead of twelve.
"""
import argparse, json, os, pathlib, random, shutil, signal, ssl, subprocess, sys, tempfile, threading, time

from engines import Broker, Database, Muffler, Nats, Sink, free_port, wait
from authority import Authority
from hubs import Hub, Publisher, Ring, birth
import picture

passed = failed = 0
DAY = 86_400_000_000
MAY = 1_777_593_600_000_000  # 2026-05-01 00:00:00 UTC, µs


def check(sentence, holds, what=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(f"{'ok  ' if holds else 'FAIL'} {sentence}" + (f": {what}" if what != "" else ""), flush=True)


def strap(number, **more):
    return Ring(number, f"strap-{number:02}", 0xA0B0C0000000 + number, "heart_rate", "bpm", **more)


def heart_rates(ordinal, time, count, step=1_000_000, seed=0):
    source = random.Random(seed)
    return [(ordinal + n, time + n * step, [60 + source.randrange(40)], None) for n in range(count)]


class World:
    """Hubs with all that they ever sent, and whether the database has exactly that."""

    def __init__(self, broker, database):
        self.broker, self.database, self.expected, self.publishers = broker, database, {}, 0

    def publisher(self, **more):
        self.publishers += 1
        return Publisher(self.broker.port, f"hubs-{self.publishers}", **more)

    def message(self, hub, ring, rows, sent_ms, wearer="", skipped=0, corrections=()):
        """The payload, and its rows among those that are expected."""
        self.expected |= dict(hub.row(ring, row, wearer) for row in rows)
        return hub.batch([ring.run(rows, wearer, skipped)], sent_ms, corrections)

    def settle(self, sentence, seconds=60):
        wait(lambda: self.database.count() >= len(self.expected), seconds)
        found, double = self.database.rows()
        missing = self.expected.keys() - found.keys()
        other = [key for key, row in self.expected.items() if key in found and found[key] != row]
        check(sentence, found == self.expected and double == 0,
              f"sent {len(self.expected)}, stored {len(found)}, missing {len(missing)}, double {double}, different {len(other)}"
              + (f" {other[0]} {self.expected[other[0]]} {found[other[0]]}" if other else ""))

    def forget(self):
        self.expected = {}
        self.database.empty()


def traffic(world, hubs, batches, rows=40, seed=0):
    """Messages of all hubs: straps, decimals, vectors, intervals, other ways, several months."""
    out = []
    for h, hub in enumerate(hubs):
        rings = [
            strap(1), strap(2, way="fetched", origin="fetched"),
            Ring(1, "strap-01", 0xA0B0C0000001, "skin_temperature", "degC", exponent=3),
            Ring(3, "band-03", 0xA0B0C0000003, "ppi", "ms"), Ring(3, "band-03", 0xA0B0C0000003, "steps", "steps", way="fetched")]
        source = random.Random(seed + h)
        for number in range(batches):
            ring = rings[number % len(rings)]
            first, time_us = (number // len(rings)) * rows, MAY + number * 11 * 3_600_000_000 + h
            if ring.series == "ppi":
                values = [[source.randrange(300, 1500), source.randrange(-5, 5)][:source.randrange(3)] for _ in range(rows)]
            elif ring.series == "skin_temperature":
                values = [[source.randrange(-5_000, 45_000)] for _ in range(rows)]
            else:
                values = [[source.randrange(40, 200)] for _ in range(rows)]
            lasts = 60_000_000 if ring.series == "steps" else None
            content = [(first + n, time_us + n * 999_983, values[n], lasts) for n in range(rows)]
            out.append((hub.topic(), world.message(hub, ring, content, time_us // 1000, f"p{h % 3}" if h % 4 else "")))
    return out


def one_after_another(world, long):
    hubs = [Hub(f"gym-{n}") for n in range(20)]
    messages = traffic(world, hubs, 40)
    publisher = world.publisher()
    for message in messages:
        publisher.publish(*message)
    publisher.acknowledged()
    world.settle("800 batches of 20 hubs are in the database, every number exact")
    for message in random.Random(1).sample(messages, 200):
        publisher.publish(*message)
    publisher.publish(hubs[0].topic(), world.message(hubs[0], strap(9), heart_rates(0, MAY, 5), 5))
    publisher.close()
    world.settle("batches that come twice are stored once")


def killed(world, sinks, long, sentence, kills, hurt):
    """Publishes while `hurt` does its worst."""
    hubs = [Hub(f"ward-{n}", seed=kills) for n in range(10)]
    messages = traffic(world, hubs, 60 if not long else 400, seed=kills)
    random.Random(2).shuffle(messages)
    stop = threading.Event()
    thread = threading.Thread(target=hurt, args=(stop,))
    thread.start()
    pause = 5.0 / len(messages) if not long else 60 / len(messages)
    publisher = None
    for topic, payload in messages:
        for _ in range(400):
            try:
                publisher = publisher or world.publisher(window=1)
                publisher.publish(topic, payload)
                publisher.acknowledged()
                break
            except (OSError, IndexError, AssertionError):
                publisher = None
                time.sleep(0.05)
        time.sleep(pause)
    stop.set()
    thread.join()
    for sink in sinks:
        if not sink.process:
            sink.start()
    world.settle(sentence)


def gaps(world, sink):
    hub, ring = Hub("gap-hub"), strap(7)
    publisher = world.publisher()
    parts = [heart_rates(n * 10, MAY + n * 10_000_000, 10, seed=n) for n in range(10)]
    for n, part in enumerate(parts):
        if n in (3, 4, 7):
            continue  # the broker acknowledged and dropped them
        skipped = 4 if n == 8 else 0
        # The hub looked at 76…79 and does not have them, and says so; 70…75 the broker lost.
        publisher.publish(hub.topic(), world.message(hub, ring, part, n, skipped=skipped))
    # Parts of a row are no rows, and no gap.
    wave = Ring(7, "strap-07", 0xA0B0C0000007, "ecg", "uV")
    publisher.publish(hub.topic(), world.message(hub, wave, [(2, MAY, [1, 2], None), (5, MAY + 1, [3, 4], None)], 1, skipped=2))
    publisher.acknowledged()
    world.settle("rows beside gaps are stored")
    said = sink.ask("gaps", "--json", check=False)
    report = json.loads(said.stdout)
    found = [(g["hub"], g["wearable"], g["series"], g["first"], g["last"]) for g in report["gaps"]]
    check("the report names hub, wearable, series and ordinals of each gap, but not what the hub told",
          found == [("gap-hub", "strap-07", "heart_rate", 30, 49), ("gap-hub", "strap-07", "heart_rate", 70, 75)]
          and said.returncode == 3 and report["code"] == "H9104", found)
    times = (report["gaps"][0]["time_before"], report["gaps"][0]["time_after"]) if report["gaps"] else ()
    check("and the times on both sides", times == ("2026-05-01 00:00:29+00", "2026-05-01 00:00:50+00"), times)
    for n in (3, 4):
        publisher.publish(hub.topic(), world.message(hub, ring, parts[n], 20 + n))
    publisher.publish(hub.topic(), world.message(hub, ring, parts[7][:6], 27))
    publisher.close()
    world.settle("rows that were sent again fill the gaps")
    said = sink.ask("gaps", check=False)
    check("and the report has none", said.returncode == 0 and said.stdout.startswith("no gaps"), said.stdout.strip())


def tails(world, sink):
    """A broker that acknowledged the last or the first rows of a ring and lost them, and no row comes beyond them."""
    hub, ring, whole, gone, told, front = Hub("tail-hub"), strap(8), strap(9), strap(10), strap(11), strap(13)
    publisher = world.publisher()
    rows = {r: heart_rates(5, MAY + r.enrolment * 60_000_000, 30, seed=r.enrolment) for r in (ring, whole, gone, told, front)}
    for kept, count in ((ring, 20), (whole, 30), (told, 20)):
        publisher.publish(hub.topic(), world.message(hub, kept, rows[kept][:count], 1))
    publisher.publish(hub.topic(), world.message(hub, front, rows[front][12:], 1))
    # Of one ring the hub looked at the last ones and no longer had them.
    publisher.publish(hub.topic(), world.message(hub, told, rows[told][28:], 2, skipped=8))
    for _ in range(2):
        publisher.publish(hub.topic(), hub.heads([(r, rows[r][0], rows[r][-1]) for r in rows], 1_795_000_000_000))
    # An older word that comes later leaves a newer one as it is.
    publisher.publish(hub.topic(), hub.heads([(ring, rows[ring][2], rows[ring][10])], 1_794_000_000_000))
    publisher.acknowledged()
    world.settle("rows are stored, and how far their rings were acknowledged")
    found = lambda: world.database.ask("SELECT w.name, h.first, h.next, extract(epoch FROM h.sent)::bigint FROM hearth.heads h"
                                       " JOIN hearth.rings USING (ring) JOIN hearth.wearables w USING (wearable) ORDER BY 1")
    heads = [[f"strap-{n:02}", "5", "35", "1795000000"] for n in (8, 9, 10, 11, 13)]
    check("each ring's head is the greatest that was told", wait(lambda: found() == heads), found())
    said = sink.ask("gaps", check=False)
    check("just told, it is not missing yet: it may be on its way", said.returncode == 0, said.stdout)
    picture.aged(world.database)
    report = json.loads(sink.ask("gaps", "--json", check=False).stdout)["gaps"]
    names = [(g["wearable"], g["first"], g["last"], g["time_before"], g["time_after"]) for g in report]
    check("a minute later the report names the end of one ring, all of another and the beginning of a third, and no other",
          names == [("strap-08", 25, 34, "2026-05-01 00:08:19+00", None), ("strap-10", 5, 34, "2026-05-01 00:10:00+00", None),
                    ("strap-13", 5, 16, "2026-05-01 00:13:00+00", "2026-05-01 00:13:12+00")], names)
    early = json.loads(sink.ask("gaps", "--json", "--until", "2026-05-01 00:08:00", check=False).stdout)["gaps"]
    check("and not where it is asked for another time", early == [], early)
    for lost, missing in ((ring, rows[ring][20:]), (gone, rows[gone]), (front, rows[front][:12])):
        publisher.publish(hub.topic(), world.message(hub, lost, missing, 3))
    publisher.close()
    world.settle("what is sent again fills the ends and the beginning")
    said = sink.ask("gaps", check=False)
    check("and the report has none", said.returncode == 0, said.stdout.strip())
    publisher, early = world.publisher(), [(n, 1_741_000_000_000_000 + n * 1_000_000, [60], None) for n in range(8)]
    publisher.publish(hub.topic(), hub.batch([strap(12).run(early)], 1))
    publisher.publish(hub.topic(), hub.heads([(strap(12), early[0], early[-1])], 1))
    publisher.close()
    wait(lambda: len(found()) == 6 and world.database.one("SELECT count(*) FROM hearth.rows_2025_03") == "8")
    picture.aged(world.database)
    world.database.ask("DROP TABLE hearth.rows_2025_03")
    said = sink.ask("gaps", check=False)
    check("rows of a month whose table was dropped are not missing", said.returncode == 0 and len(found()) == 6, said.stdout.strip())


def older_schema(world, sink, owner):
    """A schema of version 1 with rows, as the release before left it."""
    database = world.database
    # A row between two others, which a broker lost.
    lost = next(key for key in world.expected if key[1] == 1 and key[2] == "heart_rate" and key[4] == 1)
    del world.expected[lost]
    database.ask(f"DELETE FROM hearth.rows USING hearth.rings g, hearth.series s, hearth.wearables w WHERE rows.ring = g.ring AND g.series = s.series AND g.wearable = w.wearable"
                 f" AND w.store = '{lost[0]}' AND w.enrolment = 1 AND s.name = 'heart_rate' AND ordinal = 1; SELECT hearth.check_anew()")
    gaps_before = sink.ask("gaps", "--json", check=False).stdout
    database.ask("DROP TABLE hearth.heads, hearth.retimed, hearth.stretches, hearth.owners; ALTER TABLE hearth.stores DROP COLUMN heir; ALTER TABLE hearth.quarantine DROP COLUMN code; UPDATE hearth.about SET version = 1; DROP FUNCTION hearth.has_month CASCADE;"
                 " ALTER TABLE hearth.hubs DROP COLUMN last_rows, DROP COLUMN zone CASCADE")
    rows = database.one("SELECT md5(string_agg(rows::text, ',' ORDER BY ring, ordinal)) FROM hearth.rows")
    publisher = world.publisher()
    publisher.publish(Hub("early").topic(), world.message(Hub("early"), strap(1), heart_rates(0, MAY, 3), 1))
    publisher.close()
    sink.start()
    check("a sink before a schema that is older says what to do", wait(lambda: "version 1, and this program's is 5: hearth-sink schema --apply" in sink.log.read_text()),
          sink.log.read_text().splitlines()[-1][21:])
    said = owner.ask("schema", "--apply", check=False)
    found = database.one("SELECT md5(string_agg(rows::text, ',' ORDER BY ring, ordinal)) FROM hearth.rows")
    check("schema --apply brings it up to date, and touches no row", said.returncode == 0 and rows == found and database.one("SELECT version FROM hearth.about") == "5",
          (said.stdout + said.stderr).strip())
    check("and the sink's role may use what is new", all(
        "arwd" in database.one(f"SELECT array_to_string(relacl, ' ') FROM pg_class WHERE oid = 'hearth.{table}'::regclass").split("sink=")[1] for table in ("heads", "retimed", "stretches", "owners")))
    world.settle("the sink goes on by itself")
    check("what was missing before still is, and nothing else", sink.ask("gaps", "--json", check=False).stdout == gaps_before and '"gaps":[{' in gaps_before, gaps_before[:120])
    database.ask("UPDATE hearth.about SET version = 6")
    said = owner.ask("schema", "--apply", check=False)
    check("a schema that is newer is left as it is", said.returncode == 1 and "a newer hearth-sink" in said.stderr and database.one("SELECT version FROM hearth.about") == "6", said.stderr.splitlines()[0])
    database.ask("UPDATE hearth.about SET version = 5")


def corrections(world):
    hub, ring = Hub("fix-hub"), strap(5)
    publisher = world.publisher()
    parts = [heart_rates(n * 10, MAY + n * 10_000_000, 10, seed=n) for n in range(4)]
    publisher.publish(hub.topic(), world.message(hub, ring, parts[0], 1000, "ada"))
    # 5 s … 25 s were bob's; the batch of 10 s … 20 s was sent before that was known, and comes later.
    fix = [(5, MAY + 5_000_000, MAY + 25_000_000, "bob")]
    publisher.publish(hub.topic(), hub.batch([], 2000, fix))
    publisher.publish(hub.topic(), world.message(hub, ring, parts[1], 1500, "ada"))
    # From 20 s on it was cyd after all, which the hub knew when it sent the next batch.
    publisher.publish(hub.topic(), world.message(hub, ring, parts[2], 2500, "cyd"))
    publisher.publish(hub.topic(), hub.batch([], 2400, [(5, MAY + 20_000_000, MAY + 25_000_000, "cyd")]))
    # A correction of another one that comes first: if both are there, the later one holds.
    publisher.publish(hub.topic(), hub.batch([], 4000, [(5, MAY + 8_000_000, MAY + 10_000_000, "")]))
    publisher.publish(hub.topic(), hub.batch([], 3000, [(5, MAY + 8_000_000, MAY + 12_000_000, "eve")]))
    publisher.close()

    def now(key, row):
        if key[0] != f"{hub.store:016x}":
            return row
        second = (row[0] - MAY) // 1_000_000
        if 8 <= second < 10:
            who = None
        elif 10 <= second < 12:
            who = "eve"
        elif 5 <= second < 20:
            who = "bob"
        else:
            who = row[3]
        return row[:3] + (who,)

    world.expected = {key: now(key, row) for key, row in world.expected.items()}
    wait(lambda: int(world.database.one("SELECT count(*) FROM hearth.corrections")) >= 4)
    world.settle("a correction holds for rows before and behind it, and the later of two corrections")


def retimed(world):
    """Rows of a hub that started 48 minutes behind, sent with those times, and again when its clock was known."""
    hub, ring, late = Hub("late-hub"), strap(6, unsure=True), 48 * 60 * 1_000_000
    parts = [heart_rates(n * 10, MAY + n * 10_000_000, 10, seed=90 + n) for n in range(4)]
    right = [[(row[0], row[1] + late) + row[2:] for row in rows] for rows in parts]
    publisher = world.publisher()

    def told(rows, sent_ms):
        publisher.publish(hub.topic(), hub.batch([ring.run(rows)], sent_ms))

    def again(rows, sent_ms, times=1):
        world.expected |= dict(hub.row(ring, row, "") for row in rows)
        for _ in range(times):
            publisher.publish(hub.topic(), hub.batch([], sent_ms, retimed=[ring.run(rows, corrected=True)]))

    # In order; the correction first, and twice; rows that an uplink which was killed gave as new ones again; and one with a gap.
    told(parts[0], 1000)
    again(right[0], 2000)
    again(right[1], 2001, times=2)
    told(parts[1], 1001)
    told(parts[2], 1002)
    world.expected |= dict(hub.row(ring, row, "") for row in right[2])
    publisher.publish(hub.topic(), hub.batch([ring.run(right[2], corrected=True)], 2002))
    told(parts[2], 1002)
    again(right[3][:4] + right[3][5:], 2003)
    told(parts[3], 1003)
    world.expected |= dict([hub.row(ring, parts[3][4], "")])
    publisher.publish(hub.topic(), hub.batch([ring.run(parts[0])], 1000))
    # A row of another ring, behind all of it.
    publisher.publish(hub.topic(), world.message(hub, strap(7), heart_rates(0, MAY, 1), 3000))
    publisher.close()
    mine = f"SELECT count(*) FROM hearth.rows JOIN hearth.rings USING (ring) JOIN hearth.wearables USING (wearable) WHERE store = '{hub.store:016x}'"
    wait(lambda: int(world.database.one(mine)) == 41 and world.database.one(mine + " AND enrolment = 7") == "1")
    world.settle("a corrected time holds for a row before and behind it, once, and for no other row")


def quarantine(world, limit):
    hub = Hub("odd-hub")
    publisher = world.publisher()
    for n in range(limit + 5):
        publisher.publish(hub.topic(), f"no batch {n}".encode())
    publisher.publish(Hub("other-hub").topic(), hub.batch([strap(1).run(heart_rates(0, MAY, 1))], 1))
    publisher.publish(hub.topic(), world.message(hub, strap(1), heart_rates(0, MAY, 3), 1))
    publisher.close()
    world.settle("behind messages that are no batch the sink goes on")
    rows = world.database.ask("SELECT encode(payload, 'escape'), cause FROM hearth.quarantine ORDER BY id")
    check(f"quarantine keeps the newest {limit} of {limit + 6}, whole",
          len(rows) == limit and rows[-2][0] == f"no batch {limit + 4}" and "another hub" in rows[-1][1], len(rows))


def states(world, sinks):
    database = world.database
    state = lambda name: database.ask(f"SELECT state, birth, status->>'backlog' FROM hearth.hubs WHERE name = '{name}'")
    publisher = world.publisher()
    say = lambda kind, hub, value: publisher.publish(f"spBv1.0/hearth/{kind}/{hub}", birth(value), quality=0)
    say("NBIRTH", "live-hub", 7)
    say("NBIRTH", "dead-hub", 3)
    check("a birth makes a hub online", wait(lambda: state("dead-hub") == [["online", "3", ""]]))
    say("NDEATH", "live-hub", 6)
    say("NDEATH", "dead-hub", 3)
    publisher.publish("hearth/1/hearth/live-hub/status", b'{"state":"online","backlog":12}', retain=True)
    check("its death makes it dead", wait(lambda: state("dead-hub")[0][0] == "dead"))
    check("the death of a session before changes nothing", wait(lambda: state("live-hub") == [["online", "7", "12"]]), state("live-hub"))
    publisher.publish("hearth/1/hearth/live-hub/status", b'{"state":"offline"}', retain=True)
    check("who leaves in order is offline", wait(lambda: state("live-hub")[0][0] == "offline"))
    publisher.publish("hearth/1/hearth/live-hub/status", b"", retain=True)
    publisher.close()


def questions(world, sink):
    """Ten answers, each computed here from what was sent."""
    world.forget()
    publisher = world.publisher()
    a, b = Hub("gym-a"), Hub("gym-b")
    one, two = strap(1), strap(2)
    again = Ring(5, "strap-01b", one.address, "heart_rate", "bpm")
    steps = Ring(1, "strap-01", one.address, "steps", "steps", way="fetched", origin="fetched")
    unsure = strap(2, unsure=True)
    at = lambda hour, minute=0, day=0: MAY + day * DAY + (hour * 60 + minute) * 60_000_000
    even = lambda first, time, values: [(first + n, time + n * 60_000_000, [v], None) for n, v in enumerate(values)]
    publisher.publish(a.topic(), world.message(a, one, even(0, at(10), [60, 80, 100]), 1, "ada"))
    publisher.publish(a.topic(), world.message(a, two, even(0, at(10, 30), [120, 121]), 1, "bob"))
    publisher.publish(a.topic(), world.message(a, unsure, even(2, at(11), [90]), 1, "bob"))
    publisher.publish(a.topic(), world.message(a, steps, [(0, at(10), [1500], 60_000_000), (1, at(12), [500], 60_000_000)], 1, "ada"))
    publisher.publish(b.topic(), world.message(b, again, even(0, at(9, 0, 1), [70]), 1, "ada"))
    publisher.close()
    world.settle("rows of the questions are stored")
    world.database.ask("UPDATE hearth.hubs SET last_seen = '2026-05-02 10:00Z' WHERE name = 'gym-a'")
    world.database.ask("UPDATE hearth.hubs SET last_seen = '2026-05-03 10:00Z' WHERE name = 'gym-b'")

    def ask(question, since, until, whom=None):
        words = ["ask", question, "--since", since, "--until", until, "--json"] + (["--whom", whom] if whom else [])
        said = sink.ask(*words, check=False)
        # The group is told beside each hub.
        rows = json.loads(said.stdout) if said.returncode == 0 else [{"grp": said.stderr}]
        if question != "silent_hubs" and {row.pop("grp", None) for row in rows} - {"hearth"}:
            return said.stdout + said.stderr
        return [tuple(row.values()) for row in rows]

    day, next_day, month = "2026-05-01", "2026-05-02", ("2026-05-01", "2026-06-01")
    answers = {
        "gym_day": (ask("gym_day", day, next_day, "gym-a"), [
            ("gym-a", "2026-05-01 10:00:00+00", 2, 2, "96.2", "121", 6), ("gym-a", "2026-05-01 11:00:00+00", 1, 1, "90.0", "90", 1),
            ("gym-a", "2026-05-01 12:00:00+00", 1, 1, None, None, 1)]),
        "person_month": (ask("person_month", *month, "ada"), [
            ("gym-a", "ada", "2026-05-01", 3, "60", "80.0", "100", "2000"), ("gym-b", "ada", "2026-05-02", 1, "70", "70.0", "70", None)]),
        "silent_hubs": (ask("silent_hubs", "2026-05-03", "2026-05-03 12:00"), [("hearth", "gym-a", "online", "2026-05-02 10:00:00+00", "26.0")]),
        "silent_wearables": (ask("silent_wearables", next_day, "2026-05-03"), [
            ("gym-a", "strap-02", "A0:B0:C0:00:00:02", "2026-05-01 11:00:00+00"), ("gym-a", "strap-01", "A0:B0:C0:00:00:01", "2026-05-01 12:00:00+00")]),
        "coverage": (ask("coverage", *month, "gym-a"), [
            ("gym-a", f"strap-{n:02}", f"2026-05-{day:02}", 3 if day == 1 else 0, share if day == 1 else "0.0000") for n, share in ((1, "0.0021"), (2, "0.0410"))
            for day in range(1, 9)]),
        "volume": (ask("volume", *month), [
            ("gym-a", "2026-05-01", "heart_rate", 6, "6"), ("gym-a", "2026-05-01", "steps", 2, "2"), ("gym-b", "2026-05-02", "heart_rate", 1, "1")]),
        "doubtful": (ask("doubtful", *month), [("gym-a", "strap-02", "heart_rate", 3, "1", "0")]),
        "wanderers": (ask("wanderers", *month), [
            ("A0:B0:C0:00:00:01", "gym-a", "strap-01", "2026-05-01 10:00:00+00", "2026-05-01 12:00:00+00", 5),
            ("A0:B0:C0:00:00:01", "gym-b", "strap-01b", "2026-05-02 09:00:00+00", "2026-05-02 09:00:00+00", 1)]),
        "who_wore": (ask("who_wore", *month, "ada"), [
            ("ada", "gym-a", "strap-01", "2026-05-01", "2026-05-01 10:00:00+00", "2026-05-01 12:00:00+00", 5),
            ("ada", "gym-b", "strap-01b", "2026-05-02", "2026-05-02 09:00:00+00", "2026-05-02 09:00:00+00", 1)]),
        "curve": (ask("curve", day, next_day, "bob"), [
            ("2026-05-01 10:30:00+00", "gym-a", "bob", "120", "120.5", "121", 2), ("2026-05-01 11:00:00+00", "gym-a", "bob", "90", "90.0", "90", 1)]),
    }
    for name, (found, expected) in answers.items():
        check(f"question {name}", found == expected, "" if found == expected else f"{found} instead of {expected}")


def dashboard(world):
    """Every panel's statement is one that the database takes."""
    path = pathlib.Path(__file__).resolve().parents[2] / "Sources/Sink/Grafana/hearth.json"
    refused = []
    panels = json.loads(path.read_text())["panels"]
    for panel in panels:
        statement = panel["targets"][0]["rawSql"].replace("$__timeFrom()", "'2026-05-01'").replace("$__timeTo()", "'2026-06-01'")
        try:
            world.database.ask(statement.replace("${hub}", "hearth/gym-a").replace("${person}", ""))
        except subprocess.CalledProcessError as error:
            refused.append((panel["title"], error.stderr))
    check(f"the dashboard's {len(panels)} panels ask what the database answers", not refused, refused or "")


def absurd_times(world):
    hub, ring = Hub("old-hub"), strap(1)
    publisher = world.publisher()
    years = [-60 * 365 * DAY, 0, 50 * 365 * DAY, 100 * 365 * DAY] + [n * 365 * DAY for n in range(1, 40)]
    for n, time_us in enumerate(years):
        publisher.publish(hub.topic(), world.message(hub, ring, heart_rates(n * 10, time_us, 3), 1))
    publisher.close()
    world.settle("rows of absurd times are stored too")
    tables = int(world.database.one("SELECT count(*) FROM pg_class WHERE relname LIKE 'rows\\_____\\___' AND relkind = 'r'"))
    check("and make no tables", tables < 25, f"{tables} tables of months")


def speed(world, sink, rows):
    """Batches wait at the broker; then the sink starts."""
    sink.stop()
    world.forget()
    publisher = world.publisher()
    hubs = [Hub(f"fast-{n}") for n in range(100)]
    per_batch, size = 500, 0
    for n in range(rows // per_batch):
        hub, ring = hubs[n % 100], strap(1 + n // 100 % 30)
        first = n // 3000 * per_batch
        payload = hub.batch([ring.run(heart_rates(first, MAY + first * 1_000_000, per_batch, seed=n), "ada")], n)
        size += len(payload)
        publisher.publish(hub.topic(), payload)
    publisher.close()
    began = time.monotonic()
    sink.start()
    wait(lambda: world.database.count() >= rows, 240, 0.2)
    took = time.monotonic() - began
    check(f"{rows} rows that waited are stored", world.database.count() == rows)
    status = pathlib.Path(f"/proc/{sink.process.pid}/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    disk = int(world.database.one("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'rows\\_%' AND relkind = 'r'"))
    began = time.monotonic()
    said = sink.ask("gaps", "--since", "2026-05-01", check=False)
    looked = time.monotonic() - began
    check("the report does not walk through them all again", said.returncode == 0 and looked < 0.5, f"{looked:.2f} s")
    print(f"     {rows / took:,.0f} rows/s through one sink, start and connection included; {size / rows:.2f} bytes a row on the wire,"
          f" {disk / rows:.0f} in the database with its key; the sink had {peak:.0f} MiB at most")


def silence(world, folder, program):
    """A session that stands, of which statuses come and rows do not: of two connections, and not of the third."""
    world.forget()
    muffler = Muffler(world.broker.port, 2)
    deaf = Sink(program, folder, "deaf", muffler, world.database, "  silence: 2s\n").start()
    wait(lambda: "connected, MQTT" in deaf.log.read_text())
    time.sleep(0.5)
    publisher, hub = world.publisher(), Hub("deaf-hub")
    try:
        for n in range(60):
            publisher.publish(hub.topic("status"), b'{"state":"online"}', retain=True)
            if n < 20:
                publisher.publish(hub.topic(), world.message(hub, strap(1), heart_rates(n * 10, MAY + n * 10_000_000, 10), n))
            publisher.acknowledged()
            if muffler.connections > 2:
                break
            time.sleep(0.2)
        world.settle("a subscription that stands still is begun anew, and every row is stored once")
        told = [line[21:] for line in deaf.log.read_text().splitlines() if "connecting again" in line]
        check("after 2 s, then after twice as long, each time with one line",
              len(told) == 2 and "no rows for 2 s" in told[0] and "after 4 s" in told[0] and "no rows for 4 s" in told[1] and muffler.taken > 20, told)
        publisher.publish(hub.topic("status"), b"", retain=True)
        publisher.close()
        connections = muffler.connections
        check("it ends in order", deaf.stop() == 0 and connections == 3, connections)
    finally:
        deaf.stop()
        muffler.end()


def secure(folder, database, program):
    """A broker that wants a client's certificate; and what the sink says to a certificate of another name."""
    authority = Authority(folder)
    for name, alternative in (("localhost", "DNS:localhost"), ("other", "DNS:other.example"), ("sink", "")):
        authority.certificate(name, alternative=alternative)
    lines = "listener {port} 127.0.0.1\ncafile {f}/ca.pem\ncertfile {f}/{name}.pem\nkeyfile {f}/{name}.key\nrequire_certificate true\n"
    good, bad = free_port(), free_port()
    inner = folder / "secure"
    inner.mkdir()
    broker = Broker(inner, lines.format(port=good, f=folder, name="localhost") + lines.format(port=bad, f=folder, name="other"))
    broker.start()
    files = f"  tls: true\n  ca: {folder}/ca.pem\n"
    own = f"  certificate: {folder}/sink.pem\n  key: {folder}/sink.key\n"
    sinks = []
    try:
        for name, port, more in (("tls-good", good, own), ("tls-name", bad, own), ("tls-none", good, "")):
            broker.port = port
            sinks.append(Sink(program, folder, name, broker, database, files + more).start())
        context = ssl.create_default_context(cafile=folder / "ca.pem")
        context.load_cert_chain(folder / "sink.pem", folder / "sink.key")
        assert wait(lambda: "connected, MQTT" in sinks[0].log.read_text()), sinks[0].log.read_text()
        publisher = Publisher(good, "tls-hub", tls=context)
        hub = Hub("tls-hub")
        publisher.publish(hub.topic(), hub.batch([strap(1).run(heart_rates(0, MAY, 400))], 1))
        publisher.close()
        check("over TLS with certificates of both sides rows arrive", wait(
            lambda: database.one("SELECT count(*) FROM hearth.samples WHERE hub = 'tls-hub'") == "400"))
        check("a broker with a certificate of another name is refused", wait(lambda: "H9101" in sinks[1].log.read_text() and "hostname mismatch" in sinks[1].log.read_text()),
              sinks[1].log.read_text().splitlines()[-1])
        check("a broker that wants a certificate refuses a sink without", wait(lambda: "H9101" in sinks[2].log.read_text()), sinks[2].log.read_text().splitlines()[-1])
    finally:
        for sink in sinks:
            sink.stop()
        broker.stop()


def nats(folder, database, program, long):
    """Two sinks that divide the hubs. In the long form they are killed; NATS waits half a minute before it hands out again."""
    if not shutil.which("nats-server"):
        print("     there is no nats-server here: not tried")
        return
    broker = Nats(folder)
    broker.start()
    sinks = []
    try:
        world = World(broker, database)
        world.forget()
        sinks = [Sink(program, folder, f"nats-{n}", broker, database, f"  sparkplug: false\n  part: {n}/2\n").start() for n in (1, 2)]
        assert wait(lambda: all("connected, MQTT 3.1.1" in sink.log.read_text() for sink in sinks)), sinks[0].log.read_text()
        time.sleep(0.5)
        for n in range(7 if long else 1):
            if n:
                sinks[n % 2].stop(signal.SIGKILL)
                sinks[n % 2].start()
            publisher = world.publisher()
            for message in traffic(world, [Hub(f"nats-{n}-{k}") for k in range(10)], 20, seed=n):
                publisher.publish(*message)
            publisher.close()
        world.settle(f"over NATS two sinks{', killed six times,' if long else ''} store every row once", 90)
    finally:
        for sink in sinks:
            sink.stop()
        broker.stop()


def disk_full(folder, program):
    """A database on a disk that fills up and is emptied again."""
    small = folder / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "hearth-sink", small], capture_output=True).returncode:
        print("     no disk can be filled here: not tried")
        return
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    broker, database, sink = Broker(elsewhere), None, None
    try:
        database = Database(small)
        with open(database.folder / "data/postgresql.conf", "a") as file:
            file.write("max_wal_size = '64MB'\nmin_wal_size = '32MB'\n")
        broker.start()
        database.start()
        world = World(broker, database)
        sink = Sink(program, folder, "full", broker, database)
        assert sink.ask("schema", "--apply").returncode == 0
        sink.start()
        assert wait(lambda: "connected, MQTT" in sink.log.read_text())
        left = shutil.disk_usage(small).free - (4 << 20)
        (small / "filler").write_bytes(bytes(left))
        publisher = world.publisher()
        for n in range(200):
            publisher.publish(Hub("full-hub").topic(), world.message(Hub("full-hub"), strap(1), heart_rates(n * 500, MAY + n * 500_000_000, 500), n))
        publisher.close()
        check("a full disk of the database is told", wait(lambda: "H9102" in sink.log.read_text(), 30),
              [line[21:] for line in sink.log.read_text().splitlines() if "H9102" in line][:1])
        stored = database.count() if wait(lambda: database.count() >= 0, 1) else "no answer"
        time.sleep(1)
        (small / "filler").unlink()
        if not wait(lambda: database.count() >= 0, 5):
            database.start()
        world.settle(f"when there is room again every row is stored once (while it was full: {stored})")
    finally:
        if sink:
            sink.stop()
        broker.stop()
        try:
            database.stop()
        except (subprocess.CalledProcessError, AttributeError):
            pass
        subprocess.run(["umount", "-l", small])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    program = given.programs.resolve() / "hearth-sink"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-sink-"))
    broker, database, sinks = Broker(folder), Database(folder), []
    began = time.monotonic()
    try:
        run(given, program, folder, broker, database, sinks)
    finally:
        for sink in sinks:
            sink.stop(signal.SIGKILL)
        broker.stop()
        try:
            database.stop()
        except subprocess.CalledProcessError:
            pass
        if given.keep:
            print(f"     kept: {folder}")
        else:
            shutil.rmtree(folder)
    print(f"in {time.monotonic() - began:.0f} s\n{passed} passed, {failed} failed")
    sys.exit(failed != 0)


def run(given, program, folder, broker, database, sinks):
    def sink(name, settings="", more="  quarantine: 20\n"):
        sinks.append(Sink(program, folder, name, broker, database, settings, more))
        return sinks[-1]

    broker.start()
    database.start()
    world = World(broker, database)
    first = sink("sink-1", "  group: sinks\n")
    # Without a schema it says so, and waits.
    first.start()
    assert wait(lambda: "connected, MQTT 5" in first.log.read_text()), first.log.read_text()
    early = world.publisher()
    early.publish(Hub("early").topic(), world.message(Hub("early"), strap(1), heart_rates(0, MAY, 3), 1))
    early.close()
    check("without a schema the sink says what to do", wait(lambda: "hearth-sink schema --apply" in first.log.read_text()))
    for _ in range(2):
        said = first.ask("schema", "--apply", check=False)
        check("schema --apply", said.returncode == 0, (said.stdout + said.stderr).strip())
    # The sinks' role owns no object.
    database.ask("CREATE ROLE sink LOGIN; GRANT USAGE ON SCHEMA hearth TO sink;"
                 " GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hearth TO sink")
    owner = database.address
    database.sinks = owner.replace("user=postgres", "user=sink")
    first.stop()
    first.config.write_text(first.config.read_text().replace(owner, database.sinks))
    first.start()
    if os.environ.get("PICTURE"):
        world.settle("what waited is stored")
        world.forget()
        return picture.all_of_it(world, folder, broker, first, sink, check, given.long)
    one_after_another(world, given.long)
    gaps(world, first)
    tails(world, first)
    corrections(world)
    retimed(world)
    quarantine(world, 20)
    states(world, sinks)
    picture.all_of_it(world, folder, broker, first, sink, check, given.long)
    absurd_times(world)
    kills = 200 if given.long else 12
    second = sink("sink-2", "  group: sinks\n").start()

    def kill_sinks(stop):
        source = random.Random(3)
        for n in range(kills):
            time.sleep(source.uniform(0.1, 0.5) if not given.long else source.uniform(0.05, 0.5))
            victim = sinks[n % 2]
            victim.stop(signal.SIGKILL)
            victim.start()

    killed(world, sinks, given.long, f"two sinks killed {kills} times: every row once", kills, kill_sinks)

    def restart_engines(stop):
        for n in range(3 if not given.long else 20):
            time.sleep(1)
            database.stop()
            time.sleep(0.3)
            database.start()
            broker.stop()
            time.sleep(0.2)
            broker.start()

    check("SIGTERM ends a sink in order", second.stop() == 0, second.log.read_text().splitlines()[-1][21:])
    check("and the other", first.stop() == 0)
    world.forget()
    # Mosquitto 2.0.11 forgets shared subscriptions when it restarts, until their sinks are back: what hubs send meanwhile goes nowhere.
    parts = [sink(f"part-{n}", f"  part: {n}/3\n").start() for n in (1, 2, 3)]
    check("three sinks without a shared subscription connect", wait(lambda: all("connected, MQTT" in part.log.read_text() for part in parts)))
    time.sleep(0.3)
    killed(world, parts, given.long, "broker and database restarted: every row once", kills + 1, restart_engines)
    for part in parts:
        part.stop()
        part.log.write_text("")
        part.start()
    assert wait(lambda: all("connected, MQTT" in part.log.read_text() for part in parts))
    world.forget()
    publisher = world.publisher()
    for message in traffic(world, [Hub(f"part-hub-{n}") for n in range(30)], 10, seed=9):
        publisher.publish(*message)
    publisher.close()
    world.settle("three sinks divide thirty hubs between them")
    for part in parts:
        check("each ends in order", part.stop() == 0)
    shares = [int(part.log.read_text().rsplit("rows=", 1)[1].split()[0]) for part in parts]
    check("each row is written by one of them", sum(shares) == len(world.expected) and min(shares) > 0, shares)
    old = sink("old-1", "  version: 3.1.1\n").start()
    check("MQTT 3.1.1 connects", wait(lambda: "MQTT 3.1.1" in old.log.read_text()))
    questions(world, old)
    dashboard(world)
    old.stop()
    database.sinks, role = owner, database.sinks
    older_schema(world, old, sink("owner"))
    database.sinks = role
    old.stop()
    silence(world, folder, program)
    old.start()
    secure(folder, database, program)
    if given.long:
        disk_full(folder, program)
    old.stop()
    nats(folder, database, program, given.long)
    old.start()
    speed(world, old, 200_000 if not given.long else 2_000_000)


if __name__ == "__main__":
    main()
