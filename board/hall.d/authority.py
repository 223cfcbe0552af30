"""The authority of a house that signs its broker's certificate. Needs openssl."""
import ipaddress, os, re, socket, subprocess

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
# Ten years for the authority, as each hub trusts it by a file. Two for the broker, the longest that browsers accept; renewed each month.
AUTHORITY_DAYS, BROKER_DAYS = 3650, 730
NAME = re.compile(r"(?=.{1,64}\Z)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?\Z")


class Refused(Exception):
    pass


def checked(host):
    """A name or an address by which other machines reach this one."""
    try:
        address = ipaddress.ip_address(host)
        if address.is_loopback or address.is_unspecified:
            raise Refused(f"{host} is this machine alone: --host NAME, by which hubs reach it")
        return str(address)
    except ValueError:
        if not NAME.match(host):
            raise Refused(f"'{host}' is no name of a host, and no address: --host NAME") from None
        if host == "localhost" or host.startswith("localhost."):
            raise Refused(f"{host} is this machine alone: --host NAME, by which hubs reach it")
        return host


def is_address(host):
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


def in_address(host):
    """The form for an address of the web or of hearth-uplink."""
    return f"[{host}]" if ":" in host else host


def openssl(folder, *words):
    # Only the owner can read keys, from their first byte on.
    before = os.umask(0o077)
    try:
        done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True)
    finally:
        os.umask(before)
    if done.returncode:
        raise Refused(f"openssl {words[0]}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'failed'}")
    return done.stdout.strip()


def make(folder, hosts):
    """`ca.crt`, kept if it exists; `broker.crt` and `broker.key`, new each time, for all names that this server ever had: hubs use them.

    True: the authority is new, and hubs have to join again.
    """
    is_new = not ((folder / "ca.crt").exists() and (folder / "ca.key").exists())
    if is_new:
        openssl(folder, "req", "-x509", *KEY, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=Hearth hall", "-days", str(AUTHORITY_DAYS))
    names = {("IP:" if is_address(host) else "DNS:") + host for host in hosts} | {"DNS:localhost", "IP:127.0.0.1", f"DNS:{socket.gethostname()}"}
    openssl(folder, "req", *KEY, "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=Hearth broker")
    (folder / "extensions").write_text(f"subjectAltName={','.join(sorted(names))}\nextendedKeyUsage=serverAuth\n")
    openssl(folder, "x509", "-req", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", str(BROKER_DAYS), "-in", "broker.csr",
            "-out", "broker.crt", "-extfile", "extensions")  # fmt: skip
    for left in ("broker.csr", "extensions"):
        (folder / left).unlink()
    return is_new


def ends(folder):
    """The day on which the broker's certificate ends, in openssl's words."""
    return openssl(folder, "x509", "-noout", "-enddate", "-in", "broker.crt").partition("=")[2]
