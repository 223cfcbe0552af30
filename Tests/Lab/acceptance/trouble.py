"""Honest trouble: straps that walk away, a radio that is switched off or pulled out, a daemon that is stopped or killed."""
import signal
import subprocess
import time

from act import ENROLLED, Part
from report import demand, eventually
from scene import COMMIT_EVERY

# A light that does not move for so long tells of a dead daemon.
FROZEN_AFTER = 5.0


class Trouble(Part):
    def of_the_air(self):
        step = self.report.step
        step("a strap that vanishes is missed, returns and is live again; the others beat on", self.vanish_and_return)
        step("a link that is lost comes back", lambda: self.interrupted(2, "drop"))
        step("a link that the strap ends comes back", lambda: self.interrupted(0, "hangup"))
        step("the radio is powered off beneath the daemon, and on: all are live again", self.power)
        step("the controller is pulled out and plugged in again: all are live again", self.unplug)
        step("a kernel-side break has lost nothing but what was sent into it", self.books)

    def of_the_daemon(self):
        step = self.report.step
        step("a second daemon is refused and disturbs nobody", self.second_daemon)
        step("a wrong configuration is refused with its place, before anything starts", self.wrong_configuration)
        step("without privileges it names the one that is missing", self.unprivileged)
        step("SIGTERM and start again: the same names, live, nothing lost", self.restart)
        step("killed with SIGKILL: HUB stands still", self.kill)
        step("started again: live, at most the commit window is missing, nothing twice", self.start_after_kill)

    # --- the air ---

    def vanish_and_return(self):
        others = [strap for strap in ENROLLED if strap != 1]
        before = {strap: self.act.log_of(strap).count("disconnect") for strap in others}
        self.act.cut(time.monotonic(), [1])
        self.world.ask("vanish", 1)
        eventually(lambda: self.hub.state(1) != "live", 10, "a strap that is gone is still live")
        time.sleep(5)
        self.world.ask("return", 1)
        self.hub.wait_until_live([1])
        for strap in others:
            demand(self.act.log_of(strap).count("disconnect") == before[strap], f"strap {strap} lost its link as well")

    def interrupted(self, strap, how):
        links = self.act.log_of(strap).count("connect")
        self.act.cut(time.monotonic(), [strap])
        self.world.ask(how, strap)
        eventually(lambda: self.act.log_of(strap).count("connect") > links, 30, f"strap {strap} is not connected again")
        self.hub.wait_until_live([strap])

    def power(self):
        links = {strap: self.act.log_of(strap).count("connect") for strap in ENROLLED}
        self.act.cut(time.monotonic())
        self.btmgmt("power", "off")
        time.sleep(3)
        self.btmgmt("power", "on")  # the daemon may have been quicker
        self.all_linked_again(links)
        demand("H3102" in self.hub.log(), "the log has no H3102 for the radio that was powered off")

    def unplug(self):
        links = {strap: self.act.log_of(strap).count("connect") for strap in ENROLLED}
        self.act.cut(time.monotonic())
        self.world.ask("remove-controller")
        eventually(lambda: self.hub.shell("status").returncode == 1, 10, "hearth status finds nothing wrong")
        text = self.hub.say("status")
        demand("H3104" in text or "H3101" in text, f"hearth status does not tell that the adapter is gone:\n{text}")
        time.sleep(3)
        self.report.measured("the controller came back as", self.world.ask("add-controller"))
        self.all_linked_again(links)

    def all_linked_again(self, links):
        eventually(
            lambda: all(self.act.log_of(strap).count("connect") > links[strap] for strap in ENROLLED),
            60,
            lambda: f"not all straps were connected again: {self.hub.devices()}",
        )
        self.hub.wait_until_live(ENROLLED)

    def btmgmt(self, *words):
        command = ["btmgmt", "--index", self.world.adapter_index(), *words]
        try:
            # btmgmt leaves as soon as its input ends, so it gets one that does not.
            subprocess.run(command, stdin=subprocess.PIPE, capture_output=True, timeout=25)
        except subprocess.TimeoutExpired:
            demand(False, f"{' '.join(command)} did not end")

    def books(self):
        time.sleep(3)
        until = self.act.durable_until()
        self.act.compare_accounts(self.hub.say("export", "--format", "ndjson"), until)

    # --- the daemon ---

    def second_daemon(self):
        other = self.hub.folder / "second.yaml"
        # The same store behind another socket.
        other.write_text(self.hub.variant(socket=self.hub.folder / "second.sock", board="none"))
        for configuration, what in ((self.hub.configuration, "socket"), (other, "store")):
            done = self.daemon("--config", configuration)
            demand(done.returncode == 1, f"a second daemon on the same {what} ended with {done.returncode}: {done.stderr}")
            # The store is opened first, so the same store is what a second daemon with the same configuration may find out.
            codes = ("H6001", "H4005") if what == "socket" else ("H4005",)
            demand(any(code in done.stderr for code in codes), f"it says none of {codes}: {done.stderr}")
        demand(self.hub.process.poll() is None, "the first daemon is gone")
        self.hub.wait_until_live(ENROLLED, 5)

    def daemon(self, *words, before=(), timeout=10):
        command = [*before, self.hub.daemon_program, *map(str, words)]
        try:
            return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as overdue:
            said = (overdue.stderr or b"").decode(errors="replace") + (overdue.stdout or b"").decode(errors="replace")
            return subprocess.CompletedProcess(command, None, "", said)

    def wrong_configuration(self):
        wrong = self.hub.folder / "wrong.yaml"
        wrong.write_text(self.hub.configuration.read_text().replace("near_rssi", "near_rsi"))
        done = self.daemon("--config", wrong)
        demand(done.returncode == 2, f"it ended with {done.returncode}: {done.stderr}")
        line = wrong.read_text().splitlines().index("  near_rsi: -60") + 1
        demand(f"wrong.yaml:{line}:3" in done.stderr, f"it does not name line {line}, column 3: {done.stderr}")
        demand("near_rssi" in done.stderr, f"it does not say what may have been meant: {done.stderr}")

    def unprivileged(self):
        folder = self.hub.folder / "unprivileged"
        (folder / "store").mkdir(parents=True)
        own = folder / "hearth.yaml"
        own.write_text(self.hub.variant(store=folder / "store", socket=folder / "hearth.sock", board="none"))
        done = self.daemon("--config", own, before=("setpriv", "--inh-caps=-all", "--bounding-set=-all"), timeout=4)
        demand("CAP_NET_ADMIN" in done.stderr and "H3107" in done.stderr, f"it says: {done.stderr}")

    def restart(self):
        names = {address: device["name"] for address, device in self.hub.devices().items() if device["enrolled"]}
        self.act.cut(time.monotonic())
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")
        self.hub.start()
        again = {address: device["name"] for address, device in self.hub.devices().items() if device["enrolled"]}
        demand(again == names, f"enrolled were {names}, now {again}")
        self.hub.wait_until_live(ENROLLED)
        self.books()

    def kill(self):
        time.sleep(5)
        moment = time.monotonic()
        self.hub.stop(signal.SIGKILL)
        # Values of the last commit window were not yet durable, and the hub does not hear until the straps are subscribed
        # again.
        self.act.cut(moment, margin=COMMIT_EVERY + 0.5)
        time.sleep(FROZEN_AFTER + 1.5)
        edges = self.lamps.edges_between("HUB", moment + 0.5, time.monotonic())
        demand(not edges, f"HUB moved {len(edges)} times after the daemon was killed")

    def start_after_kill(self):
        self.hub.start()
        self.hub.wait_until_live(ENROLLED)
        self.books()
        begin = time.monotonic()
        time.sleep(8)
        demand(len(self.lamps.pulses("HUB", begin, time.monotonic())) >= 2, "HUB does not beat again")
