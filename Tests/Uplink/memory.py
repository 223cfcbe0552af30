#!/usr/bin/env python3
"""What hearth-uplink has resident beside a simulated hub of thirty wearables: in clear, and over TLS with a certificate of its own.

    Tests/Uplink/memory.py --programs .build/release [--seconds 125]
    Tests/Lab/in-lab -t 900 sh -c 'ip link set lo up; Tests/Uplink/memory.py --programs .build/release'

In the lab the kernel is a known one: each kernel decides how much of a file it maps at once. Needs mosquitto, openssl, and hearth, hearth-sim and
hearth-uplink in the folder of --programs.
"""
import argparse, atexit, pathlib, random, shutil, subprocess, sys, tempfile, time

import wire
from authority import Authority

options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--programs", required=True, type=lambda path: pathlib.Path(path).resolve())
options.add_argument("--seconds", type=int, default=125, help="until it is looked at: two looks for new rows are a minute apart")
options = options.parse_args()
LIMIT = 18_000  # kB
folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-memory-"))
children, failed, passed = [], 0, 0
plain = random.randrange(15000, 32000, 2)  # below the ports that the system hands out itself
secure = plain + 1


def clean():
    for child in children:
        child.kill()
        child.wait()
    shutil.rmtree(folder, ignore_errors=True)


def check(sentence, truth, detail):
    global failed, passed
    passed, failed = passed + bool(truth), failed + (not truth)
    print(f"{'ok  ' if truth else 'FAIL'} {sentence} ({detail})", flush=True)


def start(*command):
    with open(folder / "log", "a") as log:
        children.append(subprocess.Popen(list(map(str, command)), cwd=folder, stdout=log, stderr=log))
    return children[-1]


def certificates():
    authority = Authority(folder)
    for name in ("broker", "hub"):
        authority.certificate(name, alternative="DNS:localhost")


def settings(name, more):
    path = folder / f"{name}.yaml"
    path.write_text(f"{more}hub_socket: {folder}/hub.sock\nsocket: {folder}/uplink.sock\n")
    return path


def says():
    return subprocess.run([options.programs / "hearth", "uplink", "--uplink-socket", folder / "uplink.sock"], capture_output=True, text=True).stdout


def measure(how, path):
    uplink = start(options.programs / "hearth-uplink", "--config", path)
    time.sleep(options.seconds)
    status = dict(line.split(":", 1) for line in open(f"/proc/{uplink.pid}/status"))
    resident, own = (int(status[field].split()[0]) for field in ("VmRSS", "RssAnon"))
    check(f"{how} it has no more than 18 MB", resident <= LIMIT, f"VmRSS {resident} kB, anonymous {own}")
    said = says()
    check(f"{how} it sends", "connected since" in said and "acknowledged" in said, "as it says itself")
    uplink.terminate()
    uplink.wait(10)


atexit.register(clean)
folder.chmod(0o755)
certificates()
(folder / "mosquitto.conf").write_text(
    f"per_listener_settings true\nlistener {plain} 127.0.0.1\nallow_anonymous true\n"
    f"listener {secure} 127.0.0.1\nallow_anonymous true\ncafile {folder}/ca.pem\ncertfile {folder}/broker.pem\nkeyfile {folder}/broker.key\nrequire_certificate true\n"
)
start("mosquitto", "-c", folder / "mosquitto.conf")
start(options.programs / "hearth-sim", "serve", "--seed", "3", "--wearables", "30", "--socket", folder / "hub.sock", "--store", folder / "store")
time.sleep(6)
reader = wire.Client(plain, "reader", ["hearth/1/#"], lambda *_: None)  # without one rows would wait
reader.ready.wait(10)
in_clear = settings("clear", f"broker:\n  address: 127.0.0.1:{plain}\ntls:\n  on: false\npersons: none\n")
over_tls = settings("tls", f"broker:\n  address: localhost:{secure}\ntls:\n  ca: {folder}/ca.pem\n  certificate: {folder}/hub.pem\n  key: {folder}/hub.key\npersons: none\n")
measure("in clear", in_clear)
measure("over TLS", over_tls)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
