"""Archives by OpenTok's official Python SDK, of musicians who come by WHIP.

usage: opentok_archives.py ADDRESS KEY SECRET FOLDER all|record|recovered|uploaded [SESSION ARCHIVE|REQUESTS]

all: everything from the start to the deletion; record: starts an archive and plays until it is ended;
recovered: looks at that archive after the service was killed; uploaded: an archive goes to a store whose requests are the
lines of that file. Prints one JSON object a line, the last {"event": "done"}.
"""

import asyncio
import base64
import hashlib
import io
import json
import subprocess
import sys
import time
import urllib.parse
import wave
import zipfile

import numpy
import requests
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer
from opentok import Client, MediaModes, OutputModes
from opentok.exceptions import ArchiveError, NotFoundError, RequestError

from opentok_app import room_of


def say(event, **members):
    print(json.dumps({"event": event, **members}), flush=True)


def check(condition, *words):
    if not condition:
        say("wrong", what=" ".join(str(word) for word in words))
        sys.exit(1)


def noise(path, seed, seconds=60):
    """Noise in bursts of random lengths, so that it correlates at one lag only."""
    generator = numpy.random.default_rng(seed)
    samples = generator.normal(0, 0.12, 48_000 * seconds)
    levels = numpy.repeat(generator.uniform(0.1, 1, 10 * seconds), 4_800)
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 48_000, 0, "NONE", ""))
        file.writeframes((numpy.clip(samples * levels, -1, 1) * 32_767).astype("<i2").tobytes())


class Musician:
    """One who sends by WHIP."""

    def __init__(self, address, room, name, path):
        self.url = f"{address}/whip/{room}?name={name}"
        self.base = address
        self.path = path

    async def come(self):
        self.connection = RTCPeerConnection()
        self.connection.addTransceiver(MediaPlayer(self.path).audio, direction="sendonly")
        connected = asyncio.Event()

        @self.connection.on("connectionstatechange")
        def changed():
            if self.connection.connectionState == "connected":
                connected.set()

        await self.connection.setLocalDescription(await self.connection.createOffer())
        answer = await asyncio.to_thread(
            requests.post, self.url, data=self.connection.localDescription.sdp,
            headers={"Content-Type": "application/sdp"}, timeout=60)
        check(answer.status_code == 201, "WHIP", answer.status_code, answer.text)
        self.location = urllib.parse.urljoin(self.url, answer.headers["Location"])
        await self.connection.setRemoteDescription(RTCSessionDescription(answer.text, "answer"))
        await asyncio.wait_for(connected.wait(), 60)

    async def go(self):
        await asyncio.to_thread(requests.delete, self.location, timeout=60)
        await self.connection.close()


async def until(what, body, seconds=60):
    """Asks until the answer is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = await asyncio.to_thread(body)
        if value:
            return value
        await asyncio.sleep(0.1)
    check(False, what, "did not come")


def refused(kind, body):
    try:
        body()
    except kind:
        return True
    except Exception as error:  # any other is the finding
        say("other", error=repr(error), expected=kind.__name__)
    return False


def decoded(path, extra=()):
    """The samples of a sound file, by ffmpeg."""
    command = ["ffmpeg", "-v", "error", "-i", path, *extra, "-ac", "1", "-ar", "48000", "-f", "f32le", "-"]
    return numpy.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, dtype="<f4")


def lag(one, other, most=960):
    """By how many samples `one` is late against `other`, by their correlation."""
    size = 1 << 18
    product = numpy.fft.irfft(numpy.fft.rfft(one, size) * numpy.conj(numpy.fft.rfft(other, size)), size)
    near = numpy.concatenate([product[-most:], product[: most + 1]])
    return int(numpy.argmax(near)) - most


def compare_streams(archive, manifest, tracks, folder):
    """The recipe of docs/opentok-archives.md for every stream, against the FLAC track of the same musician."""
    worst = 0
    for file in manifest["files"]:
        path = f"{folder}/{file['filename']}"
        facts = json.loads(
            subprocess.run(
                ["ffprobe", "-v", "error", "-show_streams", "-of", "json", path], check=True, capture_output=True
            ).stdout)["streams"]
        check([fact["codec_name"] for fact in facts] == ["opus"], "ffprobe", facts)
        track = next(item for item in tracks if item["participant"] == file["participant"])
        flac = f"{folder}/{file['streamId']}.flac"
        with open(flac, "wb") as output:
            output.write(requests.get(track["url"], timeout=60).content)
        lossless = decoded(flac)[track["firstSampleOfTake"]:]
        recipe = f"aresample=async=1000:min_comp=0.0001:min_hard_comp=0.005,adelay={file['startTimeOffset']}:all=1"
        sound = decoded(path, ["-af", recipe])
        # Two seconds in the middle of the stream.
        middle = (file["startSample"] + file["stopSample"]) // 2 - 48_000 - track["startSample"]
        found = lag(sound[middle + track["startSample"]:][:96_000], lossless[middle:][:96_000])
        worst = max(worst, abs(found))
    return worst


async def everything(client, address, folder):
    session = client.create_session(media_mode=MediaModes.routed).session_id
    relayed = client.create_session(media_mode=MediaModes.relayed).session_id
    check(refused(NotFoundError, lambda: client.start_archive(session)), "nobody is connected")
    check(refused(NotFoundError, lambda: client.start_archive(session[:-4] + "AAAA")), "no such session")
    check(refused(ArchiveError, lambda: client.start_archive(relayed)), "a relayed session")
    for seed, name in [(1, "ada"), (2, "bob")]:
        noise(f"{folder}/{name}.wav", seed)
    ada = Musician(address, room_of(session), "ada", f"{folder}/ada.wav")
    bob = Musician(address, room_of(session), "bob", f"{folder}/bob.wav")
    await ada.come()
    await bob.come()
    await until("two streams", lambda: client.list_streams(session).count == 2)

    streams = await asyncio.to_thread(
        client.start_archive, session, name="take 1", output_mode=OutputModes.individual, has_video=False)
    check(streams.status == "started" and streams.output_mode == OutputModes.individual, streams.status)
    check(refused(ArchiveError, lambda: client.start_archive(session)), "a second archive without a tag")
    mix = await asyncio.to_thread(client.start_archive, session, name="mix", multi_archive_tag="mix")
    await asyncio.sleep(5)
    listed = await asyncio.to_thread(client.list_archives, 0, 10, session)
    check(listed.count == 2 and [item.name for item in listed] == ["mix", "take 1"], listed.count)
    # Away, and here again: a stream of its own.
    await bob.go()
    await until("one stream", lambda: client.list_streams(session).count == 1)
    bob = Musician(address, room_of(session), "bob", f"{folder}/bob.wav")
    await bob.come()
    await until("two streams again", lambda: client.list_streams(session).count == 2)
    await asyncio.sleep(5)
    check(refused(RequestError, lambda: client.delete_archive(streams.id)), "deleted while it records")
    stopped = await asyncio.to_thread(client.stop_archive, streams.id)
    check(stopped.status in ("stopped", "available"), stopped.status)
    stopped = await asyncio.to_thread(client.stop_archive, mix.id)
    check(refused(Exception, lambda: client.stop_archive(mix.id)), "stopped twice")
    for archive in (streams, mix):
        await until("available", lambda: client.get_archive(archive.id).status == "available", 90)
    await ada.go()
    await bob.go()

    key, secret = client.api_key, client.api_secret
    headers = client.get_json_headers()
    objects = [
        requests.get(f"{address}/v2/project/{key}/archive/{archive.id}", headers=headers, timeout=60).json()
        for archive in (streams, mix)
    ]
    for entry in objects:
        body = requests.get(entry["url"], timeout=60)
        check(body.status_code == 200 and len(body.content) == entry["size"], body.status_code)
        digest = base64.b64encode(hashlib.sha256(body.content).digest()).decode()
        check(digest == entry["sha256sum"], "sha256sum")
        part = requests.get(entry["url"], headers={"Range": "bytes=10-19"}, timeout=60)
        check(part.status_code == 206 and part.content == body.content[10:20], "Range")
        check(requests.get(entry["url"][:-3] + "AAA", timeout=60).status_code == 404, "a wrong signature")
        with open(f"{folder}/{entry['id']}", "wb") as output:
            output.write(body.content)
    facts = json.loads(
        subprocess.run(
            ["ffprobe", "-v", "error", "-show_format", "-show_streams", "-of", "json", f"{folder}/{mix.id}"],
            check=True, capture_output=True).stdout)
    duration = float(facts["format"]["duration"])
    check(abs(duration - objects[1]["duration"]) <= 0.51, "duration", duration, objects[1]["duration"])
    with zipfile.ZipFile(f"{folder}/{streams.id}") as archive:
        check(archive.testzip() is None, "the ZIP is damaged")
        archive.extractall(folder)
        manifest = json.loads(archive.read(f"{streams.id}.json"))
    check(len(manifest["files"]) == 3, "files", len(manifest["files"]))
    names = sorted(file["participantName"] for file in manifest["files"])
    check(names == ["ada", "bob", "bob"], names)
    url = f"{address}/v2/project/{key}/archive/{streams.id}/tracks"
    tracks = requests.get(url, headers=client.get_json_headers(), timeout=60).json()["items"]
    # A take for every stretch between two stops: that with most of the archive.
    longest = max(tracks, key=lambda item: item["stopSample"] - item["startSample"])["take"]
    worst = compare_streams(streams, manifest, [item for item in tracks if item["take"] == longest], folder)
    check(worst < 48, "alignment", worst)
    say("aligned", worstSamples=worst, codec=facts["streams"][0]["codec_name"], seconds=duration)

    await asyncio.to_thread(client.delete_archive, mix.id)
    check(refused(NotFoundError, lambda: client.get_archive(mix.id)), "a deleted archive")
    check(requests.get(objects[1]["url"], timeout=60).status_code == 404, "the file of a deleted archive")
    check(client.list_archives(session_id=session).count == 1, "the list after the deletion")
    other = requests.get(
        f"{address}/v2/project/{key}/archive", headers={**headers, "X-OPENTOK-AUTH": "nonsense"}, timeout=60)
    check(other.status_code == 403, "nonsense as a token", other.status_code)
    check(secret not in other.text, "the secret is told")


async def begin(client, address, folder):
    """One musician, who is archived: the session, the musician and the archive."""
    session = client.create_session(media_mode=MediaModes.routed).session_id
    noise(f"{folder}/ada.wav", 1)
    ada = Musician(address, room_of(session), "ada", f"{folder}/ada.wav")
    await ada.come()
    await until("a stream", lambda: client.list_streams(session).count == 1)
    archive = await asyncio.to_thread(client.start_archive, session, output_mode=OutputModes.individual)
    return session, ada, archive


async def record(client, address, folder):
    session, _ada, archive = await begin(client, address, folder)
    await asyncio.sleep(4)
    say("recording", session=session, archive=archive.id)
    await asyncio.sleep(60)


async def recovered(client, address, folder, session, archive):
    found = await until(
        "available", lambda: (entry := client.get_archive(archive)).status == "available" and entry, 60)
    entry = requests.get(
        f"{address}/v2/project/{client.api_key}/archive/{archive}", headers=client.get_json_headers(), timeout=60).json()
    check(entry["reason"] == "system failure", entry["reason"])
    content = requests.get(found.url, timeout=60).content
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        manifest = json.loads(opened.read(f"{archive}.json"))
    check(len(manifest["files"]) == 1, "files", len(manifest["files"]))
    check(manifest["files"][0]["stopTimeOffset"] > 3_500, "what was recorded", manifest["files"][0])
    check(client.list_archives(session_id=session).count == 1, "the list")


async def uploaded(client, address, folder, asked):
    _session, ada, archive = await begin(client, address, folder)
    await asyncio.sleep(2)
    await asyncio.to_thread(client.stop_archive, archive.id)
    found = await until(
        "uploaded", lambda: (entry := client.get_archive(archive.id)).status == "uploaded" and entry, 60)
    check(found.url is None, "an address of an uploaded archive", found.url)
    check(found.size > 1_000, "its size", found.size)

    def requests_of(method):
        with open(asked, encoding="utf-8") as lines:
            return [line for line in lines if line.startswith(method) and archive.id in line]

    check(len(requests_of("PUT")) == 1, "PUT", requests_of("PUT"))
    check(f"/band/opentok/{key}/{archive.id}/archive.zip" in requests_of("PUT")[0], requests_of("PUT"))
    await asyncio.to_thread(client.delete_archive, archive.id)
    await until("DELETE", lambda: requests_of("DELETE"), 30)
    await ada.go()


address, key, secret, folder, what = sys.argv[1:6]
sdk = Client(key, secret, api_url=address)
tasks = {"all": everything, "record": record, "recovered": recovered, "uploaded": uploaded}
asyncio.run(tasks[what](sdk, address, folder, *sys.argv[6:]))
say("done")
