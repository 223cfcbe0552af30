"""The daemon as systemd runs it: an unprivileged user, two capabilities, no new privileges, and a service manager that listens."""
import os
import shutil
import socket
import subprocess
import time

from report import demand, eventually

NOBODY = 65534
WATCHDOG_SECONDS = 4
# As in board/hearthd.service.
PRIVILEGES = (
    "setpriv",
    f"--reuid={NOBODY}",
    f"--regid={NOBODY}",
    "--clear-groups",
    "--no-new-privs",
    "--inh-caps=-all,+net_admin,+net_raw",
    "--ambient-caps=-all,+net_admin,+net_raw",
    "--bounding-set=-all,+net_admin,+net_raw",
)


def serves_as_a_unit(act):
    """To be called while no other daemon runs."""
    hub, world = act.hub, act.world
    folder = hub.folder / "service"
    (folder / "store").mkdir(parents=True)
    program = shutil.copy(hub.daemon_program, folder)  # user `nobody` may not look into every checkout
    configuration = folder / "hearth.yaml"
    configuration.write_text(hub.variant(store=folder / "store", socket=folder / "hearth.sock", board="none"))
    notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notices.bind(str(folder / "notify"))
    notices.setblocking(False)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    for path in (hub.folder, hub.folder.parent):
        path.chmod(0o755)

    heard = []

    def listen():
        while True:
            try:
                heard.extend(notices.recv(4096).decode().splitlines())
            except BlockingIOError:
                return heard

    environment = dict(
        os.environ,
        NOTIFY_SOCKET=str(folder / "notify"),
        WATCHDOG_USEC=str(WATCHDOG_SECONDS * 1_000_000),
        SWIFT_BACKTRACE="enable=no",
    )
    environment.pop("WATCHDOG_PID", None)
    with open(folder / "log", "w") as log:
        daemon = subprocess.Popen(
            [*PRIVILEGES, program, "--config", configuration], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment
        )
    try:
        said = lambda: (folder / "log").read_text(errors="replace")  # noqa: E731
        eventually(lambda: "READY=1" in listen() or daemon.poll() is not None, 10, lambda: f"it is not ready: {said()}")
        demand(daemon.poll() is None, lambda: f"it ended with {daemon.returncode}: {said()}")
        eventually(lambda: world.status()["scanning"], 10, lambda: f"the kernel does not scan: {said()}")
        heard.clear()
        time.sleep(WATCHDOG_SECONDS)
        demand("WATCHDOG=1" in listen(), f"no sign of life in {WATCHDOG_SECONDS} s; heard was {heard}")
        daemon.terminate()
        demand(daemon.wait(10) == 0, f"it ended with {daemon.returncode}")
        demand("STOPPING=1" in listen(), f"it did not say that it stops; heard was {heard}")
    finally:
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait()
        notices.close()
