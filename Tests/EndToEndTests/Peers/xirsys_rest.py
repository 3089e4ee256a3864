"""The calls of python-xirsys (PyPI, version 0.1.1) as it makes them: requests with a form as the body of any method.

usage: xirsys_rest.py ADDRESS

Its own address is a constant, so its requests are written out here.
"""

import json
import sys
import urllib.parse
import urllib.request

address = sys.argv[1]


def call(method, path, **fields):
    fields = {"ident": "band", "secret": "a-secret-of-ours", **{k: str(v) for k, v in fields.items()}}
    request = urllib.request.Request(address + path, data=urllib.parse.urlencode(fields).encode(), method=method)
    request.add_header("Content-Type", "application/x-www-form-urlencoded")
    with urllib.request.urlopen(request) as reply:
        envelope = json.load(reply)
    if envelope["s"] != 200:
        sys.exit(f"{method} {path}: {envelope}")
    return envelope["d"]


place = {"domain": "studio.example", "application": "default", "room": "garage"}
token = call("POST", "/signal/token", secure=True, **place)["token"]
servers = call("POST", "/signal/list")["value"]
ice = call("POST", "/ice", secure=True, timeout=30, **place)["iceServers"]
call("POST", "/domain", domain="studio.example")
call("POST", "/application", domain="studio.example", application="default")
call("POST", "/room", **place)
names = [call("GET", "/domain"), call("GET", "/application", domain="studio.example")]
rooms = call("GET", "/room", domain="studio.example", application="default")
call("DELETE", "/room", **place)
if not (token and servers.startswith("ws") and isinstance(ice, list) and all(isinstance(n, list) for n in names)):
    sys.exit(f"unexpected: {token} {servers} {ice} {names}")
if rooms != []:
    sys.exit(f"rooms without anybody: {rooms}")
print("python-xirsys finds what it expects")
