"""The machines of script/tonight: network namespaces, each with an /etc of its own, on a bridge that is their internet."""
import ctypes, json, os, shutil, socket, subprocess, time

LIBC = ctypes.CDLL(None, use_errno=True)
ACME = "192.0.2.53"


def system(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options).stdout


class Machine:
    """One network namespace, and one of mounts; everything in it ends with it."""

    def __init__(self, world, name):
        self.world, self.name = world, name
        self.folder = os.path.join(world.folder, name)
        self.shell, self.seen, self.checkout = None, set(), None
        os.makedirs(self.folder + "/root")
        shutil.copytree("/etc", self.folder + "/etc", symlinks=True, ignore=shutil.ignore_patterns("shadow*", "gshadow*"))
        # However this script ends, its first process does too, and the kernel ends all others with that one.
        self.holder = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--propagation", "private",
                                        "--pid", "--fork", "--kill-child", "--mount-proc", "sleep", "infinity"],
                                       stdin=subprocess.DEVNULL, start_new_session=True)
        self.first = self.first_process()
        self.write("etc/hosts", f"127.0.0.1 localhost {name}\n")
        self.write("etc/resolv.conf", f"nameserver {ACME}\n")
        self.run(["mount", "--bind", self.folder + "/etc", "/etc"])
        self.ip("link set lo up")
        world.machines.append(self)

    def first_process(self):
        """The number of the process that holds the namespaces, once they are complete."""
        while True:
            [*children] = open(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children").read().split()
            if children and open(f"/proc/{children[0]}/comm").read().strip() == "sleep":
                return children[0]
            time.sleep(0.01)

    def write(self, path, text, mode=0o644):
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        # A link of /etc would lead out of the copy.
        if os.path.islink(full):
            os.unlink(full)
        with open(full, "w") as file:
            file.write(text)
        os.chmod(full, mode)

    def inside(self, words):
        return ["nsenter", "-t", self.first, "-n", "-m", "-p", *words]

    def run(self, words, check=True, **options):
        done = subprocess.run(self.inside(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=self.environment(), **options)
        if check and done.returncode:
            raise SystemExit(f"{self.name}: {' '.join(words)}: {done.stderr}{done.stdout}")
        return done.stdout

    def spawn(self, words, log):
        """Starts a program whose words go to a file."""
        return subprocess.Popen(self.inside(words), stdin=subprocess.DEVNULL, stdout=open(f"{self.folder}/{log}", "w"),
                                stderr=subprocess.STDOUT, env=self.environment(), start_new_session=True)

    def environment(self):
        # Nothing of this machine's. Addresses for documents are nobody's, so the service would not knock there unasked; in the
        # real internet it does.
        return {"PATH": f"{self.folder}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME": self.folder + "/root", "LANG": "C.UTF-8",
                "JAMJAR_ICE_PEERS": ",".join(["public", "nearby", *self.world.nets])}

    def connect(self, port):
        """A connection to a port of this machine's loopback; a socket stays in the namespace where it was made."""
        with open("/proc/thread-self/ns/net") as here, open(f"/proc/{self.first}/ns/net") as there:
            LIBC.setns(there.fileno(), 0x40000000)
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=120)
            finally:
                LIBC.setns(here.fileno(), 0x40000000)

    def ip(self, words):
        # In this script's namespace of processes, where the other machines have their numbers.
        system("nsenter", "-t", self.first, "-n", "ip", *words.split())

    def rules(self, *rules):
        for rule in rules:
            self.run(["iptables", "-w", *rule.split()])

    # What the document's commands find

    def furnish(self, checkout, package=False):
        """The programs that the document's commands call, and a folder to call them in."""
        binary = self.world.binary
        shutil.copytree(os.path.join(os.path.dirname(__file__), "tonight-programs"), self.folder + "/bin", dirs_exist_ok=True)
        self.write("bin/settings", f"binary={binary} folder={self.folder} acme={ACME} root={self.world.root}\n")
        # As one of the system's authorities, which Let's Encrypt's is.
        with open(self.folder + "/etc/ssl/certs/ca-certificates.crt", "a") as file:
            file.write(self.world.trusted_root())
        if package:
            # Where the package keeps things.
            for name in ("jamjar.json", "default"):
                to = "etc/jamjar/jamjar.json" if name == "jamjar.json" else "etc/default/jamjar"
                self.write(to, open(f"{checkout}/packaging/{name}").read(), 0o640)
            for name in ("jamjar", "turn"):
                os.makedirs(f"{self.folder}/varlib/{name}")
            self.run(["mount", "--bind", self.folder + "/varlib", "/var/lib"])
        # The same folder is a checkout, and where scp put the file.
        self.checkout = self.folder + "/root"
        for path in ("docker/turnserver.conf", "turnserver.conf"):
            self.write("root/" + path, open(f"{checkout}/docker/turnserver.conf").read())
        for path, program in (("script/server", "server"), (".build/release/jamjar", "jamjar")):
            os.makedirs(os.path.dirname(f"{self.checkout}/{path}"), exist_ok=True)
            os.symlink(f"{self.folder}/bin/{program}", f"{self.checkout}/{path}")
        self.run(["mount", "--bind", self.folder + "/root", "/root"])

    def paste(self, text):
        """Pastes commands into the machine's shell; answers what they print, and ends everything if one fails."""
        if not self.shell:
            self.shell = subprocess.Popen(self.inside(["bash"]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                          stderr=open(self.folder + "/shell.log", "a"), env=self.environment(),
                                          start_new_session=True)
            self.shell.stdin.write("cd /root; failed=; trap 'failed=\"$BASH_COMMAND\"' ERR\n")
        self.write("pasted", text)
        self.shell.stdin.write(f". {self.folder}/pasted </dev/null; echo \"=== $failed\"\n")
        self.shell.stdin.flush()
        output = ""
        for line in self.shell.stdout:
            if line.startswith("=== "):
                if line.strip() != "===":
                    raise SystemExit(f"{self.name}: this command of the document failed: {line[4:]}{output}"
                                     + open(self.folder + "/shell.log").read()[-2000:])
                return output
            output += line
        raise SystemExit(f"{self.name}: its shell ended: {output}")

    # A way in by SSH

    def listen_for_ssh(self):
        system("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder + "/host_key")
        os.makedirs("/run/sshd", exist_ok=True)
        # No password, by which nobody comes in, and an account that is not locked.
        self.write("etc/shadow", "root:*:20000:0:99999:7:::\n", 0o600)
        self.write("sshd_config", f"HostKey {self.folder}/host_key\nAuthorizedKeysFile {self.folder}/authorized\n"
                   "StrictModes no\nPermitRootLogin yes\nUsePAM no\nPidFile none\n")
        self.spawn(["/usr/sbin/sshd", "-D", "-e", "-f", self.folder + "/sshd_config"], "sshd.log")

    def trust_ssh(self, other):
        """As one whom the server's owner let in, and who has said yes to its key."""
        system("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder + "/root/key")
        other.write("authorized", open(self.folder + "/root/key.pub").read())
        self.write("root/.ssh/config", "StrictHostKeyChecking accept-new\nIdentityFile /root/key\n", 0o600)
        os.chmod(self.folder + "/root/.ssh", 0o700)

    def close(self):
        """Ends everything that runs in this namespace."""
        self.holder.kill()
        self.holder.wait()


class World:
    def __init__(self, folder, binary, nets):
        self.folder, self.binary, self.nets = folder, binary, nets
        self.machines, self.root, self.count = [], folder + "/root.pem", 0
        self.internet = Machine(self, "internet")
        self.internet.ip("link add internet type bridge")
        self.internet.ip("link set internet up")
        self.begin_acme()

    def plug(self, machine, address, name="eth0"):
        """A cable from the machine to the internet."""
        self.count += 1
        plug = f"plug{self.count}"
        self.internet.ip(f"link add {plug} type veth peer name {name} netns {machine.first}")
        self.internet.ip(f"link set {plug} master internet up")
        machine.ip(f"address add {address}/32 dev {name}")
        machine.ip(f"link set {name} up")
        for net in self.nets:
            machine.ip(f"route add {net} dev {name} src {address}")

    def public(self, name, address, ports=None):
        """A machine with a public address; of `ports` alone if it has a firewall."""
        machine = Machine(self, name)
        self.plug(machine, address)
        if ports is not None:
            machine.rules("-P INPUT DROP", "-A INPUT -i lo -j ACCEPT", "-A INPUT -p icmp -j ACCEPT",
                          "-A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT",
                          *(f"-A INPUT -p {protocol} --dport {port} -j ACCEPT" for protocol, port in ports))
        return machine

    def home(self, name, address, kind, forward=()):
        """A machine at 192.168.1.20 behind a router with a public address.

        - Parameter kind: `usual`, a router that keeps ports and lets back in only whom somebody inside has asked;
          `symmetric`, the same with another port for every path; `no-udp`, one that permits TCP and DNS only.
        """
        router, machine = Machine(self, name + "-router"), Machine(self, name)
        self.plug(router, address, "wan")
        router.ip(f"link add lan type veth peer name eth0 netns {machine.first}")
        for words in ("address add 192.168.1.1/24 dev lan", "link set lan up"):
            router.ip(words)
        for words in ("address add 192.168.1.20/24 dev eth0", "link set eth0 up", "route add default via 192.168.1.1"):
            machine.ip(words)
        router.run(["sysctl", "-q", "-w", "net.ipv4.ip_forward=1"])
        random = " --random-fully" if kind == "symmetric" else ""
        router.rules("-P FORWARD DROP", "-P INPUT DROP", "-t nat -A POSTROUTING -o wan -j MASQUERADE" + random)
        if kind == "no-udp":
            router.rules("-A FORWARD -p udp ! --dport 53 -i lan -j DROP")
        router.rules("-A FORWARD -i lan -j ACCEPT", "-A FORWARD -m conntrack --ctstate ESTABLISHED,RELATED,DNAT -j ACCEPT")
        for protocol, port in forward:
            # Only what comes to the router from outside: most lead nothing of their own address back inside.
            router.rules(f"-t nat -A PREROUTING -i wan -p {protocol} --dport {port} -j DNAT --to-destination 192.168.1.20")
        return machine

    def begin_acme(self):
        """Pebble, and the DNS that it asks; the test server's own certificate is of an authority that it brings along."""
        self.acme = self.public("acme", ACME)
        key, certificate = self.folder + "/acme.key", self.folder + "/acme.pem"
        system("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
               certificate, "-days", "2", "-subj", "/CN=acme", "-addext", f"subjectAltName=IP:{ACME}")
        settings = {"listenAddress": "0.0.0.0:14000", "managementListenAddress": "0.0.0.0:15000", "certificate": certificate,
                    "privateKey": key, "httpPort": 80, "tlsPort": 443, "ocspResponderURL": "",
                    "externalAccountBindingRequired": False}
        self.acme.write("pebble.json", json.dumps({"pebble": settings}))
        shutil.copy(certificate, self.root)
        self.acme.spawn(["env", "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "pebble", "-config",
                         self.acme.folder + "/pebble.json", "-dnsserver", f"{ACME}:53"], "pebble.log")

    def name(self, name, address):
        """The name leads to an address, and no other name exists that matters."""
        self.acme.spawn(["pebble-challtestsrv", "-defaultIPv4", address, "-defaultIPv6", "", "-dns01", ":53", "-http01", "",
                         "-https01", "", "-tlsalpn01", "", "-management", "127.0.0.1:8055"], "dns.log")

    def trusted_root(self):
        """The root of the certificates that Pebble gives out."""
        for _ in range(50):
            pem = self.acme.run(["curl", "-sk", "https://127.0.0.1:15000/roots/0"], check=False)
            if "BEGIN" in pem:
                return pem
            time.sleep(0.2)
        raise SystemExit("pebble shows no root; see its log")

    def close(self):
        for machine in reversed(self.machines):
            machine.close()
