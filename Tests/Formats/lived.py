"""The store of a simulated hub that lives in virtual time."""
import pathlib
import shutil
import signal
import subprocess
import time


def lived(program, store, *words):
    """Leaves in `store` the last copy of the hub's store; the hub is stopped for each copy. Returns the status of the simulation."""
    simulation, scratch = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), set()
    try:
        while True:
            time.sleep(1)
            simulation.send_signal(signal.SIGSTOP)
            if simulation.poll() is not None:
                break
            maps = pathlib.Path(f"/proc/{simulation.pid}/maps").read_text().splitlines()
            for folder in {pathlib.Path(line.split()[-1]).parent for line in maps if line.endswith("/data.mdb")}:
                scratch.add(folder.parent)
                shutil.rmtree(store, ignore_errors=True)
                subprocess.run(["cp", "-r", "--sparse=always", folder, store], check=True)
            simulation.send_signal(signal.SIGCONT)
    finally:
        simulation.kill()
        simulation.wait()
        for folder in scratch:
            if folder.name.startswith("hearth-simulation-"):
                shutil.rmtree(folder, ignore_errors=True)
    return simulation.returncode
