"""Bad input from the air: it is dropped and counted, that wearable alone is affected, and the others go on beating."""
import time

from act import ENROLLED, ROGUE, Part
from report import demand, eventually, stalls
from scene import address_of

# 512 bytes: control characters, a terminal's escape sequence, broken UTF-8, right-to-left override, a quote for JSON.
HOSTILE_NAME = (b"\x1b[31m\x00\x07\r\n\"\\\xc3\x28\xff\xe2\x80\xae" + b"evil\x00\xf0\x9f" * 80)[:512]
CONTROL = [chr(code) for code in (*range(0x20), 0x7F, 0x202E) if chr(code) not in "\n"]

# Values that no strap should send: empty, cut short in every part, a part that is not announced, odd lengths, all flags at once.
MALFORMED = ("", "00", "01", "0150", "0850", "0850aa", "1050aa", "10", "1850aabbcc", "ff", "1f", "0050aabbccddeeff", "ffffffffffffffff")
# Values that may be kept if their heart rate is whole: only what follows it does not fit.
MALFORMED_HEART_RATES = (0x50, 0xFFFF)
# ATT packets that a wearable has no business to send, or that are broken. Among them: an unknown handle, truncated packets,
# requests to the hub as a server, responses without a request, unknown opcodes, an indication, a database change.
PACKETS = (
    "1bffff00", "1b00000000", "1b", "1b10", "02", "021700", "020000", "02ffff", "040100ffff", "0400000000", "04ffff0100", "06", "080100ffff0028",
    "0a0100", "0a", "0c01000000", "100100ffff0028", "1201000100", "5201000100", "160100000001", "1801", "0105", "0101020304", "03", "0b00", "13",
    "1d10000102", "1e", "23", "2310000100ff", "2310000fff00", "d2", "ff", "7f00", "20010002", "00",
)
# ms, beyond what the machine let others wait at the longest: what does not run has not stood still by its own doing.
STOOD_STILL = 500
LIVE_CHECK = 0.5  # seconds between looks at the others


class Malice(Part):
    def all(self):
        step = self.report.step
        step("a thousand strangers advertise rubbish: nobody is disturbed and memory is bounded", self.strangers)
        step("a strap with 512 bytes of name is enrolled and shown without a control character", self.hostile_name)
        step("malformed values, packets and sizes are dropped; the others beat on", self.malformed)
        step("a flood of notifications harms the flooder alone", self.flood)
        step("a strap that closes every link at once harms nobody", lambda: self.misbehaves("close-at-once"))
        step("a strap that answers no request harms nobody", lambda: self.misbehaves("mute"))
        step("a strap that never accepts a connection harms nobody", lambda: self.misbehaves("never-answer"))
        # Six failed tries in a row are followed by a rest of five minutes, and on a busy machine there are six.
        step("behaving again, it is live again", lambda: self.hub.wait_until_live([ROGUE], 330))
        step("the daemon is as it was: two threads, bounded memory, a loop that never stood still", self.unharmed)

    def others_stay_live(self, seconds):
        """For so long, no other strap may lose its link and the hub must keep answering."""
        links = {strap: self.act.log_of(strap).count("disconnect") for strap in ENROLLED}
        slowest = 0.0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            asked = time.monotonic()
            devices = self.hub.devices()
            slowest = max(slowest, time.monotonic() - asked)
            for strap in ENROLLED:
                demand(devices[address_of(strap)]["state"] == "live", f"strap {strap} is {devices[address_of(strap)]['state']}")
            time.sleep(LIVE_CHECK)
        for strap in ENROLLED:
            demand(self.act.log_of(strap).count("disconnect") == links[strap], f"strap {strap} lost its link")
        return slowest

    def strangers(self):
        before, used, begin = self.hub.proc_status("VmRSS"), self.hub.processor_seconds(), time.monotonic()
        reports = self.world.status()["reports"]
        self.world.ask("advertisers", 1000)
        try:
            slowest = self.others_stay_live(12)
            devices = len(self.hub.devices())
        finally:
            self.world.ask("advertisers", 0)
        took = time.monotonic() - begin
        heard = self.world.status()["reports"] - reports
        demand(heard > 500, f"the kernel heard only {heard} advertisements")
        grown = (self.hub.proc_status("VmRSS") - before) / 1024
        self.report.measured("advertisements a second", f"{heard / took:.0f}")
        self.report.by_clock("processor time for advertisements", f"{(self.hub.processor_seconds() - used) / took * 100:.1f} % of one core")
        self.report.measured("memory grown by", f"{grown:.1f} MB")
        self.report.measured("devices shown", devices)
        self.report.by_clock("slowest answer to hearth devices", f"{slowest * 1000:.0f} ms")
        demand(grown < 8, f"memory grew by {grown:.1f} MB")

    def hostile_name(self):
        self.world.ask("add", ROGUE)
        self.world.ask("rename", ROGUE, HOSTILE_NAME.hex())
        self.hub.say("enroll", "open", "--for", "60s")
        eventually(lambda: address_of(ROGUE) in str(self.hub.json("enroll", "list")), 15, "it is not a candidate")
        listed = self.hub.say("enroll", "list")
        self.hub.say("enroll", "accept", address_of(ROGUE), "--name", "rogue")
        self.hub.say("enroll", "close")
        self.hub.wait_until_live([ROGUE])
        for text in (listed, self.hub.say("devices"), self.hub.say("device", "rogue"), self.hub.say("status")):
            found = [character for character in CONTROL if character in text]
            demand(not found, f"control characters {found} on the technician's screen")
        demand(self.hub.shell("enroll", "accept", address_of(3), "--name", "x" * 600).returncode > 0, "a name of 600 letters is accepted")

    def malformed(self):
        for value in MALFORMED:
            self.world.ask("send", ROGUE, value) if value else self.world.ask("pdu", ROGUE, "1b1000")
        for packet in PACKETS:
            self.world.ask("pdu", ROGUE, packet)
        self.world.ask("oversize", ROGUE)
        self.others_stay_live(4)

    def flood(self):
        self.hub.wait_until_live([ROGUE], 60)
        used = self.hub.processor_seconds()
        self.world.ask("flood", ROGUE, 5000)
        self.others_stay_live(5)
        self.report.by_clock("processor time for 5000 notifications at once", f"{(self.hub.processor_seconds() - used) * 1000:.0f} ms")

    def misbehaves(self, how):
        self.world.ask(how, ROGUE)
        self.world.ask("drop", ROGUE)
        try:
            self.others_stay_live(10)
        finally:
            self.world.ask(how, ROGUE, 0)

    def unharmed(self):
        threads = self.hub.proc_status("Threads")
        demand(threads <= 2, f"{threads} threads")
        self.report.measured("resident memory with four links", f"{self.hub.proc_status('VmRSS') / 1024:.1f} MB")
        longest = self.hub.longest_turn()
        self.report.by_clock("longest turn of the loop", f"{longest:.1f} ms", longest < STOOD_STILL + 2 * stalls.longest() * 1000)
