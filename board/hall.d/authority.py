"""The authority of a house that signs its broker's certificate. Needs openssl."""
import socket, subprocess

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
# Ten years for the authority, for each hub trusts it by a file; two for the broker, which is made anew at each run of this program.
AUTHORITY_DAYS, BROKER_DAYS = 3650, 730


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def names_of(host):
    """As a certificate says them: the host, and this machine's own addresses are for it to be found by."""
    is_address = host.replace(".", "").isdigit() or ":" in host
    names = {f"IP:{host}" if is_address else f"DNS:{host}", "DNS:localhost", "IP:127.0.0.1", f"DNS:{socket.gethostname()}"}
    return ",".join(sorted(names))


def make(folder, host):
    """`ca.crt`, kept where it is there; `broker.crt` and `broker.key`, new each time. True: the authority is new, and hubs have to join anew."""
    folder.mkdir(parents=True, exist_ok=True)
    is_new = not ((folder / "ca.crt").exists() and (folder / "ca.key").exists())
    if is_new:
        openssl(folder, "req", "-x509", *KEY, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=Hearth hall", "-days", str(AUTHORITY_DAYS))
        (folder / "ca.key").chmod(0o600)
    openssl(folder, "req", *KEY, "-keyout", "broker.key", "-out", "broker.csr", "-subj", f"/CN={host}")
    (folder / "extensions").write_text(f"subjectAltName={names_of(host)}\nextendedKeyUsage=serverAuth\n")
    openssl(folder, "x509", "-req", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", str(BROKER_DAYS), "-in", "broker.csr",
            "-out", "broker.crt", "-extfile", "extensions")  # fmt: skip
    for left in ("broker.csr", "extensions"):
        (folder / left).unlink()
    return is_new
