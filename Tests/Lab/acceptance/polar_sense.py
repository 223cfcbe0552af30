"""A Verity Sense that encrypts. Its recordings under a key are in the store as samples. The key is in no file, and a prompt does not show it."""
import json
import os
import pty
import select
import time

import books
from report import demand, eventually
from vitals_stream import in_order

import polar_data

ADDRESS = "F0:5E:05:00:00:00"
NAME = "sense-01"
# Typed at a terminal; a key that the hub makes by itself is never shown.
KEY = "000102030405060708090A0B0C0D0E0F"
MEASURED = 40  # s
OPENING = 125  # s from an order to the begin, at most: the link, and what it collects before its first batch
PATIENCE = 60  # s from an order to what comes of it: a visit, and what the lane does before


class SenseAct:
    def __init__(self, report, world, hub):
        self.report = report
        self.world = world
        self.hub = hub

    def lines(self, *events):
        with open(f"{self.world.logs}/sense-0.jsonl") as file:
            return [line for line in map(json.loads, (text for text in file if text.endswith("\n"))) if line["event"] in events]

    def removed(self):
        return {path for line in self.lines("removed") for path in line["files"] or ()}

    def steps(self):
        step = self.report.step
        step("it is measured: pulse and variability come of its intervals", self.measured)
        step("a key is typed at a terminal, which shows nothing of it", self.key_at_a_terminal)
        step("a recording that is begun, is shown, ends and comes: encrypted with that key on its way, samples in the store", self.recorded, KEY)
        step("the hub makes a key of its own, which no answer and no log tells", self.key_of_the_hub)
        step("what is recorded from then on is encrypted with that one", self.recorded)

    def measured(self):
        results = measured(self.hub, NAME)
        demand(results["pulse_rate"]["confidence"] == "high", results["pulse_rate"])
        demand(10 <= results["rmssd"]["value"] <= 60, lambda: f"{results}")
        demand([line["on"] for line in self.lines("stream")] == [True, False], "the stream is not given back")
        self.report.measured("vital signs of an arm sensor", {name: one["value"] for name, one in results.items()})

    def key_at_a_terminal(self):
        shown, status = at_a_terminal([self.hub.shell_program, "--socket", self.hub.socket, "settings", NAME, "set", "secret"], "digits: ", KEY)
        demand(status == 0, f"it ended with {status}: {shown}")
        demand(KEY.lower() not in shown.lower(), f"the terminal showed the key: {shown!r}")
        demand("set: recordings are encrypted" in shown, f"it said {shown!r}")
        # The same through a pipe is refused, and what is no key is, too.
        for words, complaint in (((), "no --secret-file"), (("--secret-file", "-"), "32 hexadecimal digits")):
            done = self.hub.shell("settings", NAME, "set", "secret", "--no-input", *words)
            demand(done.returncode == 2 and complaint in done.stderr, f"{words} ended with {done.returncode}: {done.stderr}")

    def key_of_the_hub(self):
        text = self.hub.say("settings", NAME, "set", "secret", "--generate", "--json")
        demand(json.loads(text)["secret"] is True, text)

    def recorded(self, key=None):
        begun = len(self.lines("running"))
        said = self.hub.say("recordings", NAME, "start", "acc", "rate=50", timeout=PATIENCE)
        demand("acc is being recorded, 50 Hz, range 8, encrypted" in said, said)
        line = eventually(lambda: self.lines("running")[begun:], 5, "it does not record")[0]
        demand(len(line["key"]) == 32 and line["key"].upper() == (key or line["key"].upper()) and (key or line["key"].upper() != KEY), "another key")
        eventually(lambda: line["path"] in self.world.status()["senses"][0]["files"], 40, "its file does not appear", every=0.5)
        report = self.hub.json("recordings", NAME)
        row = next(row["fields"] for row in report["rows"] if row["name"] == "acc")
        demand(row["recording"] == "yes" and row["kept_going"] == "yes" and row["rate_hz"] == "50", f"it is shown as {row}")
        said = self.hub.say("recordings", NAME, "stop", "acc", timeout=PATIENCE)
        demand("acc is no longer recorded" in said, said)
        self.hub.say("visit", "now", NAME)
        eventually(lambda: line["path"] in self.removed(), PATIENCE, lambda: f"it was not removed\n{self.hub.say('visits')}{self.hub.say('custody', NAME)}", every=0.5)
        for document in (self.hub.say("settings", NAME, "--orders", "--json"), self.hub.log()):
            demand(line["key"].lower() not in document.lower(), "the key is told")

    def made(self):
        """{path: file} as they were when they had ended."""
        keys = {line["path"]: bytes.fromhex(line["key"]) for line in self.lines("running")}
        ended = {line["path"]: line["frames"] for line in self.lines("recorded")}
        return {path: polar_data.sealed(polar_data.running(*polar_data.began_as(path), frames)[1], keys[path]) for path, frames in ended.items()}

    def accounts(self):
        made = self.made()
        kept = books.raw_items(self.hub.store).get(ADDRESS, [])
        self.report.measured("bytes of encrypted files, all in the store once", books.holds_each_once(kept, list(made.values()), NAME))
        found = books.waveform_samples(self.hub.store, ADDRESS, "acc")
        wanted = sum(line["frames"] for line in self.lines("recorded")) * polar_data.FRAME_SAMPLES
        demand(found == wanted, f"the store has {found} samples, {wanted} were recorded")
        self.report.measured("samples of encrypted recordings, all in the store", found)


def measured(hub, name):
    """`hearth measure` of a wearable with a heart of 910 ms: it ends with results, which are stored as they were told. The results by name."""
    text = hub.say("measure", name, "--seconds", str(MEASURED), "--json", allowed=(0,), timeout=OPENING + MEASURED)
    events = [json.loads(line) for line in text.splitlines()]
    told = in_order(events)
    demand(told is not None and told["basis"] == "ppi", text[-900:])
    results = {one["name"]: one for one in told["results"]}
    demand(63 <= results["pulse_rate"]["value"] <= 69, lambda: f"{results}")
    kept = hub.json("measurements", name, "--last")["records"]
    demand(len(kept) == 1 and kept[0]["session"] == told["session"] and kept[0]["results"] == told["results"], lambda: f"told was {told}, kept is {kept}")
    return results


def at_a_terminal(command, prompt, answer, within=20):
    """(what a terminal showed, exit status) of a command to which a line is typed once it asks."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(command[0], list(map(str, command)))
    shown, is_answered, deadline = b"", False, time.monotonic() + within
    try:
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                part = os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
            if not is_answered and prompt.encode() in shown:
                os.write(terminal, answer.encode() + b"\n")
                is_answered = True
    finally:
        if time.monotonic() >= deadline:
            os.kill(child, 9)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.close(terminal)
    return shown.decode(errors="replace"), status
