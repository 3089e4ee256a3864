"""python-xirsys (PyPI) against the REST of version 2: every call that it has, and what it says of a wrong secret.

usage: xirsys_rest.py ADDRESS
"""

import sys

from python_xirsys import Connection
from python_xirsys.exceptions import XirSysAPIException
from python_xirsys.objects import Application, Domain, ICEServer, Room, SignalingServer


def connection(secret):
    made = Connection("band", secret)
    # Otherwise it goes to XirSys.
    made.url = sys.argv[1]
    return made


band, place = connection("a-secret-of-ours"), {"domain": "studio.example", "application": "default", "room": "garage"}
token = SignalingServer.generate_token(band, **place)
servers = SignalingServer.list_all(band)
ice = ICEServer.list_all(band, **place)
assert token and servers.address.startswith("ws") and [server.server_type for server in ice] == ["stun"], (token, servers, ice)

domain = Domain.create(band, "studio.example")
application = Application.create(band, domain, "default")
room = Room.create(band, **place)
# Nothing is made or removed: a room is there while somebody is in it.
listed = Domain.list_all(band), domain.applications, application.rooms
assert all(isinstance(names, list) for names in listed) and listed[2] == [], listed
for each in (room, application, domain):
    each.delete()

for call in (lambda wrong: SignalingServer.generate_token(wrong, **place), Domain.list_all):
    try:
        call(connection("another-secret"))
        sys.exit("a wrong secret is taken")
    except XirSysAPIException as refusal:
        assert "401" in str(refusal), refusal
print("python-xirsys finds what it expects")
