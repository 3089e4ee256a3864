"""S3 by moto, for the tests of the object store: s3.py FOLDER.

Requests need the keys that it writes to FOLDER/keys, and moto checks their signatures. While there is a file
FOLDER/down-TOKEN, requests with TOKEN in their address are answered 503. FOLDER/requests has a line for each request that
was let in. It ends with its standard input, and removes the folder.
"""
import logging
import os
import shutil
import sys
import threading
from urllib.parse import unquote

os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "0"
from moto.iam.models import iam_backends  # noqa: E402
from moto.s3.models import s3_backends  # noqa: E402
from moto.server import DomainDispatcherApplication, create_backend_app  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

folder = sys.argv[1]
logging.getLogger("werkzeug").setLevel(logging.ERROR)
ACCOUNT = "123456789012"


def prepare():
    iam = iam_backends[ACCOUNT]["aws"]
    iam.create_user("us-east-1", "jamjar")
    key = iam.create_access_key("jamjar")
    allowed = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'
    iam.put_user_policy("jamjar", "all", allowed)
    s3_backends[ACCOUNT]["aws"].create_bucket("band", "us-east-1")
    put("keys", f"aws_access_key_id = {key.access_key_id}\naws_secret_access_key = {key.secret_access_key}\n")
    os.chmod(os.path.join(folder, "keys"), 0o600)


def put(name, text):
    path = os.path.join(folder, name)
    with open(path + ".part", "w") as file:
        file.write(text)
    os.rename(path + ".part", path)


moto = DomainDispatcherApplication(create_backend_app)
lock = threading.Lock()


def gate(environ, start_response):
    place = environ["PATH_INFO"] + "?" + unquote(environ.get("QUERY_STRING", ""))
    if any(name[5:] in place for name in os.listdir(folder) if name.startswith("down-")):
        # What is not read would be taken for the next request.
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response("503 Slow Down", [("Content-Type", "application/xml")])
        return [b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"]
    with lock, open(os.path.join(folder, "requests"), "a", encoding="utf-8") as file:
        file.write(f"{environ['REQUEST_METHOD']} {place}\n")
    return moto(environ, start_response)


def end_with_parent():
    while sys.stdin.buffer.read(4096):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
prepare()
server = make_server("127.0.0.1", 0, gate, threaded=True)
put("port", str(server.port))
server.serve_forever()
