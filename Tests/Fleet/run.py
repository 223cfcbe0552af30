#!/usr/bin/env python3
"""Asks several hubs at once over real sshd instances, good ones and such as go wrong in every way that SSH knows.

    Tests/Fleet/run.py --programs .build/debug [--long]

Two simulated hubs (hearth-sim serve) run behind an sshd each on loopback. Others are down, refuse the key, changed their host key, hang after login, greet at login, or flood.
Some have no hearth, an old one, or no daemon. Needs Debian's openssh-server and openssh-client. Keys, settings and hubs are in a temporary folder. The machine's own sshd is not
touched; without an sshd this says so and ends. Takes half a minute; --long asks 200 hubs too.
"""
import argparse, getpass, json, os, pathlib, re, resource, shutil, signal, socket, subprocess, sys, tempfile, time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Uplink"))
from ports import free_port  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--programs", type=pathlib.Path, required=True)
parser.add_argument("--long", action="store_true")
options = parser.parse_args()
programs = options.programs.resolve()
folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-fleet-"))
mark = f"{os.getpid()}.25"  # of sleeping commands, so that they are found
processes, passed, failed = [], 0, 0
user, sshd = getpass.getuser(), shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ["PATH"])


def check(sentence, is_true, what=""):
    global passed, failed
    passed, failed = passed + bool(is_true), failed + (not is_true)
    print(f"{'ok  ' if is_true else 'FAIL'} {sentence}", *([] if is_true else [what]), flush=True)


def key(name):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    return (folder / f"{name}.pub").read_text().split()[:2]


# Seconds that a hub has for its answer; a hub that hangs is waited for this long. A busy machine needs a good part of them for a dozen connections
# at once.
WITHIN = 20


def listens(port, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.02)
    return False


class Hub:
    """An sshd of its own; `command` in place of what is asked for, `hearth` a script in place of the program, `None` without one."""

    all = {}

    def __init__(self, name, command=None, hearth="", keys="authorized", known=True, runs=True):
        self.name, self.port = name, free_port()
        self.socket = folder / f"{name}.sock"
        Hub.all[name] = self
        bin = folder / f"bin-{name}"
        bin.mkdir()
        if hearth == "":
            (bin / "hearth").symlink_to(programs / "hearth")
        elif hearth is not None:
            (bin / "hearth").write_text(f"#!/bin/sh\n{hearth}\n")
            (bin / "hearth").chmod(0o755)
        public = key(f"host-{name}")
        if not known:
            public = key(f"other-{name}")
        with open(folder / "known_hosts", "a") as file:
            file.write(f"[127.0.0.1]:{self.port} {' '.join(public)}\n")
        settings = [
            f"Port {self.port}", "ListenAddress 127.0.0.1", f"HostKey {folder}/host-{name}", f"PidFile {folder}/{name}.pid", "UsePAM no",
            "StrictModes no", f"AuthorizedKeysFile {folder}/{keys}", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password", "MaxStartups 500", "PrintMotd no", "LogLevel ERROR",
            f"SetEnv PATH={bin}:/usr/bin:/bin HEARTH_SOCKET={self.socket}",
        ]
        if command:
            settings.append(f"ForceCommand {command}")
        (folder / f"sshd-{name}").write_text("\n".join(settings) + "\n")
        if runs:
            log = open(folder / f"{name}.log", "wb")
            processes.append(subprocess.Popen([sshd, "-D", "-e", "-f", folder / f"sshd-{name}"], stdout=log, stderr=log))

    def serve(self, seed, wearables):
        log = open(folder / f"{self.name}.sim", "wb")
        processes.append(subprocess.Popen(
            [programs / "hearth-sim", "serve", "--population", "gym", "--wearables", str(wearables), "--seed", str(seed), "--socket", self.socket,
             "--store", folder / f"{self.name}.store"], stdout=log, stderr=log))


def hearth(*words, **more):
    """Exit code, standard output, standard error, seconds."""
    begin = time.monotonic()
    done = subprocess.run([programs / "hearth", "--ssh-config", folder / "ssh_config", *words], capture_output=True, text=True, timeout=300, **more)
    return done.returncode, done.stdout, done.stderr, time.monotonic() - begin


def ours():
    """Command lines of ssh (of this test: its settings are in the folder) that run."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words and words[0].rsplit(b"/", 1)[-1] == b"ssh" and str(folder / "ssh_config").encode() in words:
                found.append(int(entry.name))
    return found


def end_sleepers():
    """A command without a terminal outlives its connection: those of this test are ended by their mark."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cmdline").read_bytes().split(b"\0")[:2] == [b"sleep", mark.encode()]:
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                pass


def settings(aliases):
    lines = []
    for name, hub in list(Hub.all.items()) + aliases:
        lines += [f"Host {name}", f"  Port {hub.port}"]
    # Settings that would ask, stay behind or listen are the user's as well: they must not matter.
    lines += [
        "Host *", "  HostName 127.0.0.1", f"  User {user}", f"  IdentityFile {folder}/id", "  IdentitiesOnly yes", "  IdentityAgent none",
        f"  UserKnownHostsFile {folder}/known_hosts", "  GlobalKnownHostsFile none", "  StrictHostKeyChecking yes", "  RequestTTY force",
        "  ControlMaster auto", f"  ControlPath {folder}/c-%C", "  ControlPersist 300", f"  LocalForward {free_port()} 127.0.0.1:1",
        "  ExitOnForwardFailure yes", "  PermitLocalCommand yes", f"  LocalCommand touch {folder}/local",
    ]
    (folder / "ssh_config").write_text("\n".join(lines) + "\n")


def by_hub(text):
    return {entry["hub"]: entry for entry in json.loads(text)["hubs"]}


def main():
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    (folder / "authorized").write_text(" ".join(key("id")) + "\n")
    (folder / "nobody").write_text("")
    a, b = Hub("gym-a"), Hub("gym-b")
    Hub("down", runs=False)
    Hub("keyless", keys="nobody")
    Hub("changed", known=False)
    Hub("hangs", command=f"exec sleep {mark}")
    Hub("greets", command="echo Welcome to this hub; exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"")
    Hub("bare", hearth=None)
    Hub("old", hearth='echo "hearth: there is no command \'devices\'; see hearth --help" >&2; exit 2')
    Hub("idle")
    Hub("floods", command="exec yes")
    Hub("hostile", hearth="printf 'gym-a\\n\\033[2J\\033]0;owned\\007all is well\\n'")
    a.serve(1, 9)
    b.serve(2, 6)
    settings([(f"n{place}", a if place % 2 else b) for place in range(200)])
    check("every sshd listens", all(listens(hub.port) for name, hub in Hub.all.items() if name != "down"))
    end = time.monotonic() + 120
    while time.monotonic() < end and not (a.socket.exists() and b.socket.exists()):
        time.sleep(0.02)

    # Two good ones.
    code, text, errors, seconds = hearth("--hub", "gym-a,gym-b", "status")
    lines = text.splitlines()
    check("status of two good hubs is a line for each", code in (0, 1) and len(lines) >= 4 and lines[0].startswith("HUB") and
          lines[1].startswith("gym-a ") and lines[2].startswith("gym-b ") and "ready" in lines[1], (code, text, errors))
    print(f"     {seconds:.2f} s\n" + "".join(f"     {line}\n" for line in lines), end="")
    code, text, errors, seconds = hearth("devices", "--hub", "gym-a,gym-b")
    rows = [line.split() for line in text.splitlines()]
    check("devices of two hubs are one table", rows[0][:2] == ["HUB", "NAME"] and {row[0] for row in rows[1:-1]} == {"gym-a", "gym-b"}, (code, text, errors))
    print(f"     {seconds:.2f} s, {len(rows) - 2} wearables")
    code, text, errors, seconds = hearth("--json", "--hub", "gym-a,gym-b", "status")
    found = by_hub(text)
    check("--json is one document, with each hub's own", json.loads(text)["schema"] == "io.hearth.fleet/1" and
          all(found[hub]["document"]["schema"] == "io.hearth.status/1" and found[hub]["reason"] is None for hub in ("gym-a", "gym-b")), text)
    print(f"     {len(text)} B, {seconds:.2f} s")
    for command in (["events"], ["visits"], ["store"], ["doctor"], ["version"], ["led"], ["update"], ["radio"], ["config", "show"], ["wearer"], ["clock"]):
        code, text, errors, seconds = hearth("--hub", "gym-a,gym-b", *command)
        heads = [line.split()[0] for line in text.splitlines() if line and not line.startswith(" ")]
        check(f"hearth {' '.join(command)}: each hub's text under its name, exit code {code}", heads == ["gym-a", "gym-b"] and 0 <= code <= 7, (code, text, errors))
        code, text, errors, seconds = hearth("--hub", "gym-a,gym-b", "--json", *command)
        found = by_hub(text)
        check(f"hearth {' '.join(command)} --json: a document of each", all(entry["document"] is not None for entry in found.values()), text[:2000])
    code, text, errors, _ = hearth("--hub", "gym-a", "device", "it's $(touch x); `id`")
    check("a hostile word reaches the hub as it is, and no shell", code == 5 and "it's $(touch x); `id`" in text and not pathlib.Path("x").exists(), (code, text, errors))

    # Everything that goes wrong, beside two good ones.
    everybody = ",".join(["gym-a", "down", "keyless", "changed", "hangs", "greets", "bare", "old", "idle", "floods", "hostile", "gym-b"])
    code, text, errors, seconds = hearth("--hub", everybody, "--within", f"{WITHIN}s", "--json", "devices")
    found = by_hub(text)
    check("the good ones' answers stand beside all others", all(isinstance(found[hub]["document"], list) and found[hub]["exit"] == 0 for hub in ("gym-a", "gym-b")), text[:2000])
    for hub, reason, exit, words in [
        ("down", "H6040", 3, "Connection refused"), ("keyless", "H6040", 3, "Permission denied"), ("changed", "H6040", 3, "host key has changed"),
        ("hangs", "H6040", 3, f"no answer within {WITHIN} s"), ("greets", "H6041", 1, "Welcome"), ("bare", "H6041", 1, "not found"),
        ("old", "H6041", 1, "does not know the command"), ("idle", "H6008", 3, "no daemon"), ("floods", "H6041", 1, "longer than the limit"),
        ("hostile", "H6041", 1, "no document"),
    ]:
        entry = found[hub]
        check(f"{hub}: {reason}, exit code {exit}", entry["document"] is None and entry["exit"] == exit and entry["reason"]["code"] == reason and
              words in entry["reason"]["detail"], entry)
    check(f"one exit code, the worst: 3; in {seconds:.1f} s, of which one hub hung for {WITHIN}", code == 3 and WITHIN - 0.5 < seconds < 2 * WITHIN, (code, seconds))
    check("order of the names is kept", [entry["hub"] for entry in json.loads(text)["hubs"]] == everybody.split(","))
    check("no ssh is left", not ours(), ours())
    check("nothing of the user's settings ran or stayed", not (folder / "local").exists() and not list(folder.glob("c-*")))
    code, text, errors, seconds = hearth("--hub", everybody.replace("hangs,", ""), "status")
    check("status for people has a line for each hub and says why of each", code == 3 and all(re.search(f"(?m)^{hub} ", text) for hub in everybody.split(",") if hub != "hangs")
          and text.count("hearth explain H604") == 8 and "\x1b" not in text, (code, text))
    print("".join(f"     {line}\n" for line in text.splitlines()), end="")
    code, text, errors, _ = hearth("--hub", "hostile,gym-b", "version")
    check("hostile text is harmless, and writes no other hub's name", code == 0 and "\x1b" not in text and "\x07" not in text and
          [line for line in text.splitlines() if line.startswith("gym")] == ["gym-b"], repr(text))
    code, text, errors, _ = hearth("--hub", "gym-a,down", "version")
    check("a text of one and no answer of another: exit code 3", code == 3 and "Hearth" in text.replace("hearth ", "Hearth ") and "H6040" in text, (code, text))

    # Refused before anybody is asked.
    for command in (["watch"], ["live"], ["enroll", "open"], ["store", "purge"], ["wearer", "add", "x"], ["setup"], ["restore", "f"], ["log", "-f"], ["export"]):
        code, text, errors, seconds = hearth("--hub", "gym-a,hangs", *command)
        check(f"hearth {' '.join(command)} is refused at once", code == 2 and "H6042" in errors and not text and seconds < WITHIN, (code, text, errors))
    for names in ("-oProxyCommand=touch x", "gym-a,-oProxyCommand=x", "a;b", "", "gym-a,gym-a"):
        code, text, errors, _ = hearth(f"--hub={names}", "status")
        check(f"the name '{names}' is refused", code == 2 and "H6005" in errors and not pathlib.Path("x").exists(), (code, text, errors))

    # What the next step of each code names mends it.
    shutil.copy(folder / "authorized", folder / "nobody")
    (folder / "bin-bare/hearth").symlink_to(programs / "hearth")
    code, text, errors, _ = hearth("--hub", "keyless,bare", "version")
    check("H6040 and H6041 are gone when the key is let in and hearth is installed", code == 0 and "H60" not in text, (code, text, errors))
    code, text, errors, _ = hearth("--hub", "gym-a", "wearer", "add", "Zoe Quint")
    alone = subprocess.run(["ssh", "-F", folder / "ssh_config", "-o", "ClearAllForwardings=yes", "-o", "ControlPath=none", "-o", "RequestTTY=no", "gym-a",
                            "hearth wearer add 'Zoe Quint'"], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    check("what H6042 refuses is taken on the one hub", "H6042" in errors and alone.returncode == 0 and "Zoe Quint" in alone.stdout, (errors, alone))
    (folder / "local").unlink(missing_ok=True)

    # Ended by a person, and by what stops services.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        child = subprocess.Popen([programs / "hearth", "--ssh-config", folder / "ssh_config", "--hub", "gym-a,hangs", "status"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 60
        while not ours() and time.monotonic() < end:
            time.sleep(0.02)
        had = len(ours())
        begin = time.monotonic()
        child.send_signal(number)
        text = child.communicate(timeout=120)[0]
        check(f"{number.name} ends all in {time.monotonic() - begin:.2f} s, and no ssh is left of {had}", child.returncode == -number and had and not ours() and
              not text, (child.returncode, ours(), text))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(before[1], 4096) if before[1] > 0 else 4096
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    hold = [os.open("/dev/null", os.O_RDONLY) for _ in range(most - 200)]
    code, text, errors, _ = hearth("--hub", "gym-a,gym-b", "version", pass_fds=hold)
    check(f"{len(hold)} inherited descriptors are in nobody's way", code == 0, (code, text, errors))
    for one in hold:
        os.close(one)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)

    code, text, errors, _ = hearth("--hub", "gym-a", "version", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    check("who started it may ignore the ends of children", code == 0 and not errors, (code, text, errors))
    child = subprocess.Popen(["nohup", programs / "hearth", "--ssh-config", folder / "ssh_config", "--hub", "gym-a,hangs", "--within", f"{WITHIN}s", "version"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not ours() and time.monotonic() < end:
        time.sleep(0.02)
    child.send_signal(signal.SIGHUP)
    text = child.communicate(timeout=120)[0]
    check("with nohup it goes on when its terminal hangs up", child.returncode == 3 and "hearth 0" in text, (child.returncode, text))

    # Many.
    count = 200 if options.long else 40
    code, text, errors, seconds = hearth("--hub", ",".join(f"n{place}" for place in range(count)), "--json", "status")
    entries = json.loads(text)["hubs"]
    check(f"{count} hubs answer in {seconds:.1f} s, {len(text) // 1024} KiB of JSON", all(entry["document"] for entry in entries), [entry["reason"] for entry in entries if entry["reason"]][:3])
    print(f"     largest program so far {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB")
    check("no ssh is left at the end", not ours(), ours())


begin = time.monotonic()
try:
    if not sshd or not shutil.which("ssh-keygen"):
        print("skipped: there is no sshd or ssh-keygen here (Debian: openssh-server, openssh-client)")
    else:
        main()
finally:
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
    end_sleepers()
    if failed:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
print(f"in {time.monotonic() - begin:.1f} s\n{passed} passed, {failed} failed")
sys.exit(bool(failed))
