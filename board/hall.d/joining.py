"""The line to type on a hub so that it joins, and its contents."""
import base64, io, tarfile

from authority import in_address


def uplink_settings(host, port, hub, group, folder="/etc/hearth", sockets=None, every="60s", word="hall-password"):
    """The settings of hearth-uplink. `sockets`: those of daemon and uplink, if they differ from the packages'."""
    own = f"hub_socket: {sockets[0]}\nsocket: {sockets[1]}\n" if sockets else ""
    return f"""# Made by hearth-hall. All keys: man uplink.yaml. persons: names or pseudonyms also sends wearers.
broker:
  address: {in_address(host)}:{port}
  user: hub-{hub}
  password_file: {folder}/{word}
tls:
  ca: {folder}/hall-ca.crt
group: {group}
hub: {hub}
persons: none
{own}history:
  every: {every}
"""


def line(host, port, hub, group, word, authority):
    """The line to type on the hub, with sudo. This line has the hub's password: keep it secret."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        files = {"etc/hearth/uplink.yaml": uplink_settings(host, port, hub, group), "etc/hearth/hall-ca.crt": authority, "etc/hearth/hall-password": word + "\n"}
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.uname, entry.gname = len(text.encode()), 0o640, "root", "hearth-uplink"
            archive.addfile(entry, io.BytesIO(text.encode()))
    bundle = base64.b64encode(packed.getvalue()).decode()
    # The former settings are kept each time.
    keep = "sudo cp --backup=numbered /etc/hearth/uplink.yaml /etc/hearth/uplink.yaml.before-hall"
    return f"{keep}; echo {bundle} | base64 -d | sudo tar -xJ -C / && sudo systemctl enable hearth-uplink && sudo systemctl restart hearth-uplink"
