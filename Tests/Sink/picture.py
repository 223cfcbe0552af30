"""Whether the picture of many hubs is true: gaps of random stores, silent hubs, days, persons, copied cards, and a database in the way. Called by run.py."""
import json, os, pathlib, random, subprocess, time

from engines import Broker, Sink, wait
from hubs import Hub, Publisher, Ring, birth

DAY = 86_400_000_000
MAY = 1_777_593_600_000_000  # 2026-05-01 00:00:00 UTC, µs
GRAFANA = pathlib.Path(__file__).resolve().parents[2] / "Sources/Sink/Grafana/hearth.json"
QUESTIONS = ("gym_day", "person_month", "silent_hubs", "silent_wearables", "coverage", "volume", "doubtful", "wanderers", "who_wore", "curve")


def aged(database, seconds=360):
    """As if what was told of rings, and the newest rows, had come some minutes ago."""
    database.ask(f"UPDATE hearth.heads SET came = came - interval '{seconds} seconds';"
                 f" UPDATE hearth.hubs SET last_rows = last_rows - interval '{seconds} seconds'")


def fresh(world, sink):
    """An empty database, and a sink that knows no number of the one before."""
    sink.stop()
    world.forget()
    sink.log.write_text("")
    sink.start()
    assert wait(lambda: "connected, MQTT" in sink.log.read_text()), sink.log.read_text()


def moment(us):
    """As PostgreSQL says it."""
    second, rest = divmod(us, 1_000_000)
    text = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(second)) + (f".{rest:06}".rstrip("0") if rest else "")
    return text + "+00"


class RandomRing:
    """A ring with recordings or live rows of which some never came, and what must be said to be missing."""

    def __init__(self, source, number):
        self.is_fetched = source.random() < 0.6
        self.ring = Ring(number, f"strap-{number:02}", 0xA0B0C0000000 + number, "heart_rate", "bpm",
                         way="fetched" if self.is_fetched else "live", origin="fetched" if self.is_fetched else "live")
        ordinal, clock = source.randrange(50), MAY + source.randrange(30 * DAY) // 1_000_000 * 1_000_000
        self.parts, self.known, self.times, self.all = [], set(), {}, []
        told = 0
        for _ in range(source.randrange(1, 9)):
            if self.is_fetched:
                clock = MAY + source.randrange(30 * DAY) // 1_000_000 * 1_000_000
            count = source.randrange(1, 12)
            rows = [(ordinal + n, clock + n * 1_000_000, [60 + source.randrange(40)], None) for n in range(count)]
            ordinal, clock = ordinal + count, clock + (count + source.randrange(3)) * 1_000_000
            fate = source.choice(("sent", "sent", "late", "lost", "told"))
            if fate in ("sent", "late"):
                self.parts.append((fate, rows, told))
                self.known.update(range(rows[0][0] - told, ordinal))
                self.times.update((row[0], row[1]) for row in rows)
            # What the hub no longer has, it says with the rows behind.
            told = told + count if fate == "told" else 0
            if fate != "told":
                self.all += rows
        self.head = (self.all[0], self.all[-1]) if self.all and source.random() < 0.5 else None

    def near(self, ordinals, pick):
        found = [ordinal for ordinal in self.times if ordinal in ordinals]
        return self.times[pick(found)] if found else None

    def missing(self):
        """(first, last, time before, time after, the two times that count)."""
        low, high = (min(self.known), max(self.known)) if self.known else (0, -1)
        runs, start = [], None
        for ordinal in range(low, high + 2):
            if ordinal <= high and ordinal not in self.known:
                start = ordinal if start is None else start
            elif start is not None:
                runs.append((start, ordinal - 1, None, None))
                start = None
        if self.head:
            first, newest = self.head
            if not self.known:
                runs.append((first[0], newest[0], first[1], newest[1]))
            else:
                if first[0] < low:
                    runs.append((first[0], low - 1, first[1], None))
                if newest[0] > high:
                    runs.append((high + 1, newest[0], None, newest[1]))
        for first, last, since, until in runs:
            before = since if since is not None else self.near(range(0, first), max)
            after = until if until is not None else self.near(range(last + 1, 10_000), min)
            yield first, last, before, None if until is not None else after, (before, after)


def many_gaps(world, sink, check, stores=1000):
    fresh(world, sink)
    source, publisher = random.Random(48), world.publisher()
    hubs = [(Hub(f"many-{n}"), [RandomRing(source, 1 + k) for k in range(source.randrange(1, 4))]) for n in range(stores)]
    messages = {"sent": [], "late": []}
    for hub, rings in hubs:
        for when in messages:
            runs = [(ring.ring, rows, told) for ring in rings for fate, rows, told in ring.parts if fate == when]
            if runs:
                world.expected |= dict(hub.row(ring, row, "") for ring, rows, _ in runs for row in rows)
                messages[when].append((hub.topic(), hub.batch([ring.run(rows, "", told) for ring, rows, told in runs], 2)))
    for group in messages.values():
        source.shuffle(group)
        for message in group:
            publisher.publish(*message)
        publisher.acknowledged()
    for hub, rings in hubs:
        told = [(ring.ring, *ring.head) for ring in rings if ring.head]
        if told:
            publisher.publish(hub.topic("heads/0"), hub.heads(told, 1), retain=True)
    publisher.acknowledged()
    world.settle(f"rows of {stores} random stores are stored, in the order in which they came")
    heads = sum(bool(ring.head) for _, rings in hubs for ring in rings)
    wait(lambda: int(world.database.one("SELECT count(*) FROM hearth.heads")) == heads)
    aged(world.database)
    truth = {}
    for hub, rings in hubs:
        for ring in rings:
            for first, last, before, after, span in ring.missing():
                key = (f"{hub.store:016x}", ring.ring.enrolment, ring.ring.way, first, last,
                       before is not None and moment(before) or None, after is not None and moment(after) or None)
                truth[key] = (span, ring.is_fetched, hub.name)

    def report(*words):
        began = time.monotonic()
        said = json.loads(sink.ask("gaps", "--json", *words, check=False).stdout)
        took = time.monotonic() - began
        return {(g["store"], g["enrolment"], g["way"], g["first"], g["last"], g["time_before"], g["time_after"]) for g in said["gaps"]}, said["missing"], took

    found, count, took = report()
    wrong = found ^ truth.keys()
    check(f"the report names what never came of {stores} random stores, and nothing else: {len(truth)} gaps",
          not wrong and count == sum(key[4] - key[3] + 1 for key in truth), sorted(map(str, wrong))[:3] or f"{took:.2f} s")
    panel = next(panel for panel in json.loads(GRAFANA.read_text())["panels"] if "hearth.gaps" in panel["targets"][0]["rawSql"])["targets"][0]["rawSql"]
    odd = []
    for _ in range(15):
        since, until = sorted(MAY + source.randrange(-2 * DAY, 34 * DAY) // 1_000_000 * 1_000_000 for _ in range(2))
        expected = set()
        for key, (span, is_fetched, hub) in truth.items():
            known, wide = [at for at in span if at is not None], DAY if is_fetched else 0
            if not known or max(known) + wide >= since and min(known) - wide < until:
                expected.add(key)
        part, _, _ = report("--since", moment(since), "--until", moment(until))
        shown = world.database.ask(panel.replace("$__timeFrom()", f"'{moment(since)}'").replace("$__timeTo()", f"'{moment(until)}'"))
        shown = {(line[1], line[2], int(line[4]), int(line[5])) for line in shown}
        if part != expected or shown != {(truth[key][2], f"strap-{key[1]:02}", key[3], key[4]) for key in expected}:
            odd.append((moment(since), moment(until), len(part), len(expected), len(shown)))
    check("in 15 ranges of time the report and the dashboard's panel name those of them that are of that time", not odd, odd[:2] or "")
    # What a sink of an older version wrote meanwhile is there too.
    inner = "first > (SELECT min(first) FROM hearth.stretches s WHERE s.ring = stretches.ring) AND last < (SELECT max(last) FROM hearth.stretches s WHERE s.ring = stretches.ring)"
    world.database.ask(f"DELETE FROM hearth.stretches WHERE ring % 2 = 0 AND {inner}")
    check("rows of which nobody said that they came are looked for before they are called missing", report()[0] == found)
    world.database.ask("DELETE FROM hearth.stretches; SELECT hearth.check_anew()")
    check("all looked at anew says the same", report()[0] == found)
    for hub, rings in hubs:
        if any(ring.head for ring in rings):
            publisher.publish(hub.topic("heads/0"), b"", retain=True)
    publisher.close()


def panels(database):
    """Statements of the dashboard that the database refuses, or that ask what no question asks."""
    board = json.loads(GRAFANA.read_text())
    asked = [(panel["title"], panel["targets"][0]["rawSql"]) for panel in board["panels"]]
    own = [(variable["name"], variable["query"]) for variable in board["templating"]["list"] if variable["type"] == "query"]
    refused = [(title, "asks no stored question") for title, statement in asked
               if not any(f"FROM hearth.{question}(" in statement for question in QUESTIONS + ("gaps",)) and "FROM hearth.quarantine" not in statement]
    for title, statement in asked + own:
        for hub, person in (("", ""), ("hearth/gone-hub", "ada")):
            words = statement.replace("$__timeFrom()", "'2026-05-01'").replace("$__timeTo()", "now()").replace("${hub}", hub).replace("${person}", person)
            try:
                database.ask(words)
            except subprocess.CalledProcessError as error:
                refused.append((title, error.stderr.splitlines()[:1]))
    return refused


def empty_questions(sink, check, sentence, database):
    refused = panels(database)
    check(f"every panel of the dashboard is a stored question, and is answered {sentence}", not refused, refused or "")
    refused = []
    for words in [("ask", question) for question in QUESTIONS] + [("ask", question, "--since", "2026-05-01", "--until", "2026-05-02") for question in QUESTIONS] + [("gaps",)]:
        said = sink.ask(*words, check=False)
        if said.returncode:
            refused.append((words, said.stderr.splitlines()[:1]))
    check(f"every question is answered {sentence}", not refused, refused or "")


def silent(world, sink, check):
    fresh(world, sink)
    database = world.database
    empty_questions(sink, check, "by an empty database", database)
    ask = lambda *words: {row["hub"]: row for row in json.loads(sink.ask("ask", "silent_hubs", "--json", *words).stdout)}
    publisher = world.publisher()
    never, dead, well = Hub("never-hub"), Hub("gone-hub"), Hub("well-hub")
    ring = Ring(1, "strap-01", 0xA0B0C0000001, "heart_rate", "bpm")
    publisher.publish(never.topic("heads/0"), never.heads([(ring, (0, MAY), (3, MAY + 3_000_000))], 1), retain=True)
    check("a hub of which only the broker tells is silent", wait(lambda: "never-hub" in ask() and ask()["never-hub"]["last_seen"] is None))
    empty_questions(sink, check, "where a hub never connected", database)
    publisher.publish("spBv1.0/hearth/NBIRTH/gone-hub", birth(5), quality=0)
    publisher.publish(dead.topic("status"), b'{"state":"online","zone":"Europe/Berlin"}')
    publisher.publish(well.topic("status"), b'{"state":"online","zone":"No/Where"}')
    check("hubs that said how they are just now are not", wait(
        lambda: database.one("SELECT count(*) FROM hearth.hubs WHERE state = 'online' AND status IS NOT NULL") == "2") and set(ask()) == {"never-hub"}, set(ask()))
    publisher.publish("spBv1.0/hearth/NDEATH/gone-hub", birth(5), quality=0)
    check("one that died is silent at once, with its last sign", wait(
        lambda: ask().get("gone-hub", {}).get("state") == "dead" and ask()["gone-hub"]["last_seen"] and float(ask()["gone-hub"]["hours_silent"]) < 0.1), ask().get("gone-hub"))
    panel = next(p for p in json.loads(GRAFANA.read_text())["panels"] if "silent_hubs" in p["targets"][0]["rawSql"])["targets"][0]["rawSql"]
    shown = [line[1] for line in database.ask(panel.replace("$__timeTo()", "now()"))]
    check("the dashboard's panel says the same", sorted(shown) == ["gone-hub", "never-hub"], shown)
    empty_questions(sink, check, "where a hub died", database)
    database.ask("UPDATE hearth.hubs SET last_seen = last_seen - interval '4 minutes' WHERE name = 'well-hub'")
    check("and one of which nothing was heard for three minutes", "well-hub" in ask() and "well-hub" not in ask("--since", "yesterday"))
    check("a zone that nobody knows is UTC", database.ask("SELECT name, zone FROM hearth.hubs ORDER BY name") == [
        ["gone-hub", "Europe/Berlin"], ["never-hub", "UTC"], ["well-hub", "UTC"]])
    aged(database)
    said = json.loads(sink.ask("gaps", "--json", check=False).stdout)["gaps"]
    check("what the hub said to the broker before it went is missing", [(g["hub"], g["first"], g["last"]) for g in said] == [("never-hub", 0, 3)], said)
    publisher.publish(never.topic("heads/0"), b"", retain=True)
    publisher.close()


def days(world, sink, check):
    """A band that measures every five minutes, and a day that begins at 22:00 UTC."""
    fresh(world, sink)
    publisher, hub = world.publisher(), Hub("berlin-hub")
    band = Ring(1, "band-01", 0xA0B0C0000001, "heart_rate", "bpm", way="fetched", origin="fetched")
    strap = Ring(2, "strap-02", 0xA0B0C0000002, "heart_rate", "bpm")
    begin = MAY - 2 * 3_600_000_000
    publisher.publish(hub.topic("status"), b'{"state":"online","zone":"Europe/Berlin"}')
    publisher.acknowledged()
    publisher.publish(hub.topic(), world.message(hub, band, [(n, begin + n * 300_000_000, [60 + n % 40], None) for n in range(288)], 1, "ada"))
    publisher.publish(hub.topic(), world.message(hub, strap, [(n, begin + 8 * 3_600_000_000 + n * 1_000_000, [99], None) for n in range(5400)
                                                              if not 1800 <= n < 1860], 1, "bob"))
    # A training of three hours in four hours of measurements, fetched behind them.
    trained = Ring(3, "band-03", 0xA0B0C0000003, "heart_rate", "bpm", way="fetched", origin="fetched")
    noon = begin + 14 * 3_600_000_000
    publisher.publish(hub.topic(), world.message(hub, trained, [(n, noon + n * 300_000_000, [60], None) for n in range(48)] + [
        (48 + n, noon + n * 1_000_000 + 1, [120], None) for n in range(10_800)], 1, "cyd"))
    other = Hub("other-hub")
    publisher.publish(other.topic(), world.message(other, strap, [(n, begin + n * 1_000_000, [70], None) for n in range(60)], 1, "ada"))
    for hub_of_house in (Hub("house-a"), Hub("house-b")):
        publisher.publish(hub_of_house.topic(), world.message(hub_of_house, strap, [(0, MAY + 36_000_000_000 + len(hub_of_house.name), [70 + (hub_of_house.name[-1] == "b")], None)], 1, "house/eve"))
    publisher.close()
    world.settle("rows of a band and of straps are stored")
    ask = lambda question, *words: [tuple(row.values()) for row in json.loads(sink.ask("ask", question, "--json", *words).stdout)]
    found = [row[1:] for row in ask("coverage", "--whom", "berlin-hub")]
    check("a band that measures every five minutes covers its day, of the hub's zone, and a strap what it was worn",
          [row for row in found if row[3]] == [
              ("berlin-hub", "band-01", "2026-05-01", 288, "1.0000"), ("berlin-hub", "band-03", "2026-05-01", 192, "0.1667"), ("berlin-hub", "strap-02", "2026-05-01", 89, "0.0618")], found)
    check("seven days without values follow, and no more", [row[1:] for row in found if not row[3]] == [
        (wearable, f"2026-05-{day:02}", 0, "0.0000") for wearable in ("band-01", "band-03", "strap-02") for day in range(2, 9)], found)
    # From 22:00 UTC, the begin of the hub's day, until noon.
    found = [(row[2], row[5]) for row in ask("coverage", "--whom", "berlin-hub", "--since", "2026-04-30 22:00Z", "--until", "2026-05-01 10:00Z")]
    check("of a part of a day only that part counts", found == [("band-01", "1.0000"), ("strap-02", "0.1236")], found)
    found = {(row[1], row[2], row[3]): row[4:] for row in ask("person_month")}
    check("equal names at two hubs are two persons; one of the house is one",
          set(found) == {("berlin-hub", "ada", "2026-05-01"), ("other-hub", "ada", "2026-04-30"), ("berlin-hub", "bob", "2026-05-01"), ("berlin-hub", "cyd", "2026-05-01"), (None, "house/eve", "2026-05-01")}
          and found[(None, "house/eve", "2026-05-01")][1:4] == ("70", "70.5", "71"), found)
    curve = [(row[2], row[3]) for row in ask("curve", "--whom", "ada")]
    check("and two curves", set(curve) == {("berlin-hub", "ada"), ("other-hub", "ada")}, set(curve))


def copied_card(world, sink, check):
    fresh(world, sink)
    database, publisher = world.database, world.publisher()
    first, second, renamed = Hub("first-gym"), Hub("second-gym"), Hub("renamed-gym")
    second.store = renamed.store = first.store
    store = f"{first.store:016x}"
    ring = Ring(1, "strap-01", 0xA0B0C0000001, "heart_rate", "bpm")
    rows = [(n, MAY + n * 1_000_000, [60], None) for n in range(40)]
    state = lambda hub: database.one(f"SELECT state FROM hearth.hubs WHERE name = '{hub.name}'")
    owner = lambda: database.one(f"SELECT name FROM hearth.stores JOIN hearth.hubs USING (hub) WHERE store = '{store}'")
    aside = lambda: database.ask("SELECT topic, regexp_replace(cause, 'for [0-9]+ s', 'for a while'), octet_length(payload) > 50 FROM hearth.quarantine ORDER BY id")
    refused = lambda why: [["hearth/1/hearth/second-gym/rows", f"hearth/second-gym sends rows of store {store} of hearth/first-gym, which is {why}", "t"]]

    def online(hub, machine):
        publisher.publish(hub.topic("status"), json.dumps({"state": "online", "machine": machine}).encode())
        publisher.acknowledged()
        wait(lambda: database.ask(f"SELECT status->>'machine' FROM hearth.hubs WHERE name = '{hub.name}'") == [[machine]])

    def told(words):
        return wait(lambda: any(words in line for line in sink.log.read_text().splitlines()), 5)

    publisher.publish("spBv1.0/hearth/NBIRTH/first-gym", birth(4), quality=0)
    online(first, "aaaa")
    publisher.publish(first.topic(), world.message(first, ring, rows[:10], 1))
    publisher.acknowledged()
    world.settle("rows of a hub are stored")
    other = second.batch([ring.run([(5, MAY + 77_000_000, [180], None)])], 2)
    online(second, "bbbb")
    publisher.publish(second.topic(), other)
    check("rows of a copied card are put aside, with both hubs' names", told("H9105") and wait(lambda: aside() == refused("there now")), aside())
    world.settle("and nobody's pulse is another's")
    database.ask("TRUNCATE hearth.quarantine")
    publisher.publish("spBv1.0/hearth/NDEATH/first-gym", birth(4), quality=0)
    wait(lambda: state(first) == "dead")
    publisher.publish(second.topic(), other)
    check("and while the first hub is only away for a moment too", wait(lambda: aside() == refused("gone for a while"), 5) and owner() == "first-gym", (aside(), owner()))
    # What a broker keeps: how far rings are, and no rows.
    publisher.publish(second.topic("heads/1"), second.heads([(ring, rows[0], rows[39])], 3))
    publisher.publish(second.topic("heads/2"), other)
    check("rows on the topic of heads are no way around", wait(lambda: [["hearth/1/hearth/second-gym/heads/2", "rows on the topic of heads", "t"]] == aside()[1:], 5), aside())
    check("and of rings of another hub's store it is not heard how far they are",
          told("second-gym sends rings of store") and database.one("SELECT count(*) FROM hearth.heads") == "0", database.ask("SELECT * FROM hearth.heads"))
    world.settle("still nobody's pulse is another's")
    database.ask("TRUNCATE hearth.quarantine; UPDATE hearth.hubs SET last_seen = now() - interval '25 hours', died = now() - interval '25 hours' WHERE name = 'first-gym'")
    world.expected |= dict(second.row(ring, row, "") for row in rows[10:12])
    publisher.publish(second.topic(), second.batch([ring.run(rows[10:12])], 3))
    world.settle("a hub that is dead for a day gives its store away")
    check("and an operator is told that the machine is another", owner() == "second-gym" and told(f"H9105 store {store} is hearth/second-gym's now, another machine: before of hearth/first-gym, which is gone for"), owner())
    # The same machine under another name, which leaves in order.
    publisher.publish(second.topic("status"), b'{"state":"offline"}')
    wait(lambda: state(second) == "offline")
    publisher.publish(renamed.topic(), world.message(renamed, ring, rows[12:16], 4))
    check("of a machine that did not say which it is rows wait aside", wait(lambda: len(aside()) == 1), aside())
    online(renamed, "bbbb")
    publisher.publish(renamed.topic(), world.message(renamed, ring, rows[16:20], 5))
    world.settle("a hub that was given another name takes its store along at once, and what waited aside")
    check("by its new name", owner() == "renamed-gym" and not aside() and told("1 messages of hearth/renamed-gym were aside"), (owner(), aside()))
    # What the broker kept under its old name comes whenever a sink connects.
    publisher.publish(second.topic("heads/1"), second.heads([(ring, rows[0], rows[19])], 4), retain=True)
    check("what is kept under its old name is heard", wait(lambda: database.one("SELECT count(*) FROM hearth.heads") == "1"))
    sink.stop()
    sink.start()
    wait(lambda: "connected, MQTT" in sink.log.read_text())
    publisher.publish(renamed.topic(), world.message(renamed, ring, rows[20:21], 6))
    publisher.acknowledged()
    world.settle("and a sink that connects anew goes on")
    check("and takes the store back to no old name", owner() == "renamed-gym" and not aside(), (owner(), aside()))
    # An operator's word.
    publisher.publish(first.topic(), world.message(first, ring, rows[21:23], 7))
    check("the first hub's rows are aside now, and say whose the store is", wait(lambda: [line[1] for line in aside()] == [f"hearth/first-gym sends rows of store {store} of hearth/renamed-gym, which is there now"]), aside())
    said = sink.ask("adopt", store, "hearth/nowhere", check=False)
    check("an operator gives a store to no hub that there is not", said.returncode == 64 and "no hub hearth/nowhere" in said.stderr, said.stderr.splitlines()[:1])
    said = sink.ask("adopt", store, "hearth/first-gym", check=False)
    world.settle("but to one that there is, with what waited aside")
    check("at once", said.returncode == 0 and owner() == "first-gym" and not aside() and "1 messages stored, 0 still aside" in said.stdout, said.stdout + said.stderr)
    anew = Hub("first-gym", seed=7)
    publisher.publish(anew.topic(), world.message(anew, ring, rows[:2], 8))
    world.settle("a hub whose store has a new number sends on")
    check("and that is in the log", told(f"hearth/first-gym has store {anew.store:016x} now, before {store}"))
    publisher.publish(second.topic("heads/1"), b"", retain=True)
    publisher.close()


def two_groups(world, sink, check):
    """Hubs of one name in two groups, a wearable and a wearer of one name at each."""
    fresh(world, sink)
    publisher, ring = world.publisher(), Ring(1, "strap-01", 0xA0B0C0000001, "heart_rate", "bpm")
    for rate, hub in ((60, Hub("hall", "north")), (100, Hub("hall", "south"))):
        publisher.publish(hub.topic(), world.message(hub, ring, [(n, MAY + n * 1_000_000, [rate], None) for n in range(10)], 1, "ada"))
    publisher.close()
    world.settle("rows of hubs of one name in two groups are stored")
    ask = lambda question, *words: json.loads(sink.ask("ask", question, "--json", *words).stdout)
    found = [(row.get("grp"), row["hub"], row["person"], row["mean"]) for row in ask("person_month")]
    check("a person of one is not that of the other", found == [("north", "hall", "ada", "60.0"), ("south", "hall", "ada", "100.0")], found)
    found = [(row.get("grp"), row["hub"], row["persons"], row["mean_heart_rate"]) for row in ask("gym_day")]
    check("nor is their day", found == [("north", "hall", 1, "60.0"), ("south", "hall", 1, "100.0")], found)
    found = [(row.get("grp"), row["mean"]) for row in ask("curve")]
    check("nor their curve", found == [("north", "60.0"), ("south", "100.0")], found)
    both = {question: len([row for row in ask(question) if row.get("minutes") != 0]) for question in ("coverage", "volume", "wanderers", "who_wore", "silent_wearables")}
    check("nor anything else", set(both.values()) == {2}, both)
    found = {question: sorted({row.get("grp") for row in ask(question, "--whom", "south/hall")}) for question in ("gym_day", "coverage", "volume", "silent_wearables")}
    check("and each can be asked for alone", set(map(tuple, found.values())) == {("south",)}, found)


def dropped_months(world, sink, check):
    """Months that an operator dropped, and rows that went by hand."""
    fresh(world, sink)
    database, publisher, hub = world.database, world.publisher(), Hub("old-hub")
    live, band = Ring(1, "strap-01", 0xA0B0C0000001, "heart_rate", "bpm"), Ring(2, "band-02", 0xA0B0C0000002, "heart_rate", "bpm", way="fetched", origin="fetched")
    months = [MAY - 31 * DAY, MAY, MAY + 31 * DAY, MAY + 61 * DAY]
    for ring in (live, band):
        rows = [(place * 10 + n, start + 10 * DAY + n * 1_000_000, [60], None) for place, start in enumerate(months) for n in range(10)]
        publisher.publish(hub.topic(), world.message(hub, ring, rows, 1))
    publisher.close()
    world.settle("rows of four months are stored")
    database.ask("DROP TABLE hearth.rows_2026_04, hearth.rows_2026_06")
    report = lambda: [(g["wearable"], g["first"], g["last"]) for g in json.loads(sink.ask("gaps", "--json", check=False).stdout)["gaps"]]
    check("months that were dropped are not missing", report() == [], report())
    database.ask("SELECT hearth.check_anew()")
    check("nor when all is looked at anew", report() == [], report())
    database.ask("DELETE FROM hearth.rows WHERE ordinal IN (14, 15)")
    check("rows that went by hand are not missing", report() == [], report())
    database.ask("SELECT hearth.check_anew()")
    check("until all is looked at anew", report() == [("band-02", 14, 15), ("strap-01", 14, 15)], report())


def side_by_side(world, sink, check):
    """Two sinks that add to one ring at once."""
    fresh(world, sink)
    database, publisher, hub = world.database, world.publisher(), Hub("both-hub")
    for n in (1, 2):
        ring = Ring(n, f"strap-{n:02}", 0xA0B0C0000000 + n, "heart_rate", "bpm")
        publisher.publish(hub.topic(), world.message(hub, ring, [(k, MAY + k * 1_000_000, [60], None) for k in range(10)], 1))
    publisher.close()
    world.settle("rows of two rings are stored")
    one, two = (int(line[0]) for line in database.ask("SELECT ring FROM hearth.rings ORDER BY ring"))
    keep = lambda *runs: "SELECT hearth.keep_stretches(ARRAY[{}], ARRAY[{}]::bigint[], ARRAY[{}]::bigint[])".format(*(", ".join(str(run[place]) for run in runs) for place in range(3)))

    def session(*statements):
        return subprocess.Popen(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database.address, "-c", f"BEGIN; {'; '.join(statements)}; SELECT pg_sleep(0.8); COMMIT"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    for turn in range(3):
        start = 10 + turn * 40
        pair = [session(keep((one, start, start + 9), (two, start, start + 9))), session(keep((two, start + 10, start + 19), (one, start + 10, start + 19)))]
        broken = [child.communicate()[1] for child in pair if child.wait(20)]
        # And over both ends of what is known.
        pair = [session(keep((one, start + 20, start + 29), (two, start + 20, start + 39))), session(keep((two, start + 15, start + 39), (one, start + 30, start + 39)))]
        broken += [child.communicate()[1] for child in pair if child.wait(20)]
    found = database.ask("SELECT ring, first, last FROM hearth.stretches ORDER BY 1, 2")
    check("what two sinks add to a ring at once becomes one run, and neither waits for ever", not broken and found == [[str(ring), "0", "129"] for ring in (one, two)], broken or found)
    # Looked at again while a sink is at it: one after the other.
    child = session("SELECT pg_advisory_xact_lock_shared(1752523876, 1)", keep((one, 130, 139)))
    time.sleep(0.3)
    database.ask("SELECT hearth.check_anew()")
    child.wait(20)
    found = database.ask("SELECT ring, first, last FROM hearth.stretches ORDER BY 1, 2")
    check("and looking at all anew waits for them", found == [[str(ring), "0", "9"] for ring in (one, two)], found)


def aside_again(world, sink, owner, check):
    fresh(world, sink)
    database, publisher, hub = world.database, world.publisher(), Hub("odd-hub")
    ring = Ring(1, "strap-01", 0xA0B0C0000001, "heart_rate", "bpm")
    database.ask("ALTER TABLE hearth.wearers ADD CONSTRAINT narrow CHECK (name <> 'Łukasz')")
    rows = [(n, MAY + n * 1_000_000, [60], None) for n in range(10)]
    publisher.publish(hub.topic(), hub.batch([ring.run(rows, "Łukasz")], 1))
    publisher.publish(hub.topic(), world.message(hub, ring, [(n, MAY + n * 1_000_000, [60], None) for n in range(10, 20)], 2, "ada"))
    publisher.close()
    world.settle("a batch that the database does not take stops no other")
    found = lambda: database.ask("SELECT topic, octet_length(payload) > 20 FROM hearth.quarantine")
    check("it is put aside with its bytes", wait(lambda: found() == [[hub.topic(), "t"]]), found())
    said = sink.ask("again")
    check("tried again it stays there while the database is as it was", said.stdout.strip() == "0 messages stored, 1 still aside" and len(found()) == 1, said.stdout.strip())
    database.ask("ALTER TABLE hearth.wearers DROP CONSTRAINT narrow")
    said = sink.ask("again")
    world.expected |= dict(hub.row(ring, row, "Łukasz") for row in rows)
    world.settle("and is stored when it takes it")
    check("and nothing is aside then", said.stdout.strip() == "1 messages stored, 0 still aside" and not found(), said.stdout.strip())


def as_found(world, folder, broker, make_sink, check):
    """Databases that were not made for this."""
    database = world.database
    database.ask("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    kept = database.sinks
    database.sinks = database.address.replace("dbname=postgres", "dbname=latin")
    latin = make_sink("latin")
    database.sinks = kept
    said = latin.ask("schema", "--apply", check=False)
    check("a database of LATIN1 is refused, with what to do", said.returncode == 1 and "LATIN1" in said.stderr and "createdb -E UTF8" in said.stderr, said.stderr.splitlines()[:1])
    schema = latin.ask("schema").stdout
    address = database.address.replace("dbname=postgres", "dbname=latin")
    subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", address], input=schema, text=True, check=True, capture_output=True)
    latin.start()
    wait(lambda: "connected, MQTT" in latin.log.read_text())
    publisher, hub = world.publisher(), Hub("Łódź")
    ring = Ring(1, "strap-01", 0xA0B0C0000001, "heart_rate", "bpm")
    publisher.publish(hub.topic(), hub.batch([ring.run([(0, MAY, [60], None)], "Łukasz")], 1))
    publisher.close()
    aside = lambda: subprocess.run(["psql", "-XAtq", "-d", address, "-c", "SELECT topic, octet_length(payload) > 20 FROM hearth.quarantine"], capture_output=True, text=True).stdout.strip()
    check("one that was used all the same keeps the bytes of what it has no letters for", wait(lambda: aside().endswith("/rows|t")), aside() or latin.log.read_text()[-300:])
    latin.stop()
    database.ask("DELETE FROM hearth.hubs WHERE name = 'Łódź' AND NOT EXISTS (SELECT FROM hearth.stores WHERE stores.hub = hubs.hub)")


def held_up(world, sink, check):
    """A transaction that reads and does not end, and one that holds the rows."""
    fresh(world, sink)
    database, publisher, hub = world.database, world.publisher(), Hub("slow-hub")
    ring = Ring(1, "strap-01", 0xA0B0C0000001, "heart_rate", "bpm")

    def session(statement):
        child = subprocess.Popen(["psql", "-XAtq", "-d", database.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        child.stdin.write(f"BEGIN; {statement};\n\\echo begun\n")
        child.stdin.flush()
        while "begun" not in child.stdout.readline():
            pass
        return child

    def end(child):
        child.stdin.close()
        child.wait(10)

    old = MAY - 3000 * DAY
    reader = session("SELECT count(*) FROM hearth.rows")
    began = time.monotonic()
    publisher.publish(hub.topic(), world.message(hub, ring, [(n, old + n * 1_000_000, [60], None) for n in range(10)], 1))
    publisher.publish(hub.topic(), world.message(hub, ring, [(n, MAY + n * 1_000_000, [60], None) for n in range(10, 20)], 2))
    publisher.acknowledged()
    world.settle("rows of a month without a table are stored though somebody reads and does not end", 10)
    check("within seconds", time.monotonic() - began < 8, f"{time.monotonic() - began:.1f} s")
    check("in the table of other times", database.one("SELECT count(*) FROM hearth.rows_other") == "10")
    end(reader)
    check("from where they are moved when nobody reads", database.one(f"SELECT hearth.make_month(to_timestamp({old // 1_000_000}))") == "t"
          and database.one("SELECT count(*) FROM hearth.rows_other") == "0")
    next_month = time.strftime("rows_%Y_%m", time.gmtime(time.mktime(time.gmtime()[:2] + (28,) + (0,) * 6) + 6 * 86400))
    check("the next month has its table already", database.one(f"SELECT to_regclass('hearth.{next_month}') IS NOT NULL") == "t", next_month)
    sink.log.write_text("")
    writer = session("LOCK TABLE hearth.rows IN ACCESS EXCLUSIVE MODE")
    began = time.monotonic()
    publisher.publish(hub.topic(), world.message(hub, ring, [(n, MAY + n * 1_000_000, [60], None) for n in range(20, 30)], 3))
    publisher.close()
    told = wait(lambda: "H9102 the database does not progress" in sink.log.read_text(), 12)
    check("a sink that stands still says so within ten seconds", told and time.monotonic() - began < 10.5, f"{time.monotonic() - began:.1f} s")
    end(writer)
    world.settle("and goes on when it can")
    check("and says that", wait(lambda: "the database goes on" in sink.log.read_text(), 5))


def durable(world, sink, check):
    """The server's settings are for others: what is acknowledged is on the disk."""
    database, publisher, hub = world.database, world.publisher(), Hub("durable-hub")

    def setting(words):
        database.ask(f"ALTER SYSTEM {words}")
        database.ask("SELECT pg_reload_conf()")

    setting("SET synchronous_commit = off")
    database.ask("CREATE TABLE public.seen (setting text); GRANT INSERT ON public.seen TO PUBLIC;"
                 " CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;"
                 " CREATE TRIGGER see AFTER INSERT ON hearth.hubs FOR EACH STATEMENT EXECUTE FUNCTION public.see()")
    sink.stop()
    sink.start()
    wait(lambda: "connected, MQTT" in sink.log.read_text())
    publisher.publish(hub.topic("status"), b'{"state":"online"}')
    publisher.close()
    seen = lambda: [line[0] for line in database.ask("SELECT DISTINCT setting FROM public.seen")]
    check("a server that commits later commits a sink's rows at once", database.one("SHOW synchronous_commit") == "off" and wait(lambda: seen() == ["on"]), seen())
    database.ask("DROP TRIGGER see ON hearth.hubs; DROP FUNCTION public.see; DROP TABLE public.seen")
    setting("RESET synchronous_commit")


def queue_full(world, folder, program, make_sink, check):
    """Mosquitto as it is delivered: of what comes for a sink that is away it keeps some messages, acknowledges the rest and drops it."""
    inner = folder / "narrow"
    inner.mkdir()
    broker = Broker(inner, "max_queued_messages 20\nmax_inflight_messages 20\n")
    broker.start()
    whole, world.broker = world.broker, broker
    narrow = Sink(program, folder, "narrow", broker, world.database)
    try:
        fresh(world, narrow)
        narrow.stop()
        publisher, hub = Publisher(broker.port, "narrow-hub"), Hub("narrow-hub")
        ring = Ring(1, "strap-01", 0xA0B0C0000001, "heart_rate", "bpm")
        rows = [(n, MAY + n * 1_000_000, [60 + n % 40], None) for n in range(2000)]
        for start in range(0, 2000, 10):
            publisher.publish(hub.topic(), hub.batch([ring.run(rows[start:start + 10])], 1000 + start))
        publisher.publish(hub.topic("heads/1"), hub.heads([(ring, rows[0], rows[-1])], 4000), retain=True)
        publisher.close()
        narrow.start()
        began = time.monotonic()
        found = lambda: [(g["hub"], g["first"], g["last"]) for g in json.loads(narrow.ask("gaps", "--json", check=False).stdout)["gaps"]]
        told = wait(lambda: found() == [("narrow-hub", world.database.count(), 1999)] and world.database.count() < 1000, 120, 1)
        check("what a broker dropped for a sink that was away is missing within two minutes of its being back", told, f"{found()} after {time.monotonic() - began:.0f} s")
    finally:
        narrow.stop()
        world.broker = whole
        broker.stop()


def all_of_it(world, folder, broker, sink, make_sink, check, is_long):
    many_gaps(world, sink, check)
    silent(world, sink, check)
    days(world, sink, check)
    copied_card(world, sink, check)
    two_groups(world, sink, check)
    dropped_months(world, sink, check)
    side_by_side(world, sink, check)
    aside_again(world, sink, make_sink, check)
    as_found(world, folder, broker, make_sink, check)
    held_up(world, sink, check)
    durable(world, sink, check)
    if is_long or os.environ.get("PICTURE"):
        sink.stop()
        queue_full(world, folder, sink.program, make_sink, check)
        sink.start()
