"""The server of an app with the official SDK, whose session has an aiortc musician by WHIP and a page of OpenTok's wire.

usage: opentok_shared.py ADDRESS KEY SECRET SESSION FILE.wav

The page (OpenTokClientTests) is there, with the connection data "page", and publishes. Prints one JSON object a line; ends with an
exception at the first thing that is not as it has to be.
"""

import asyncio
import io
import sys
import zipfile

import aiohttp
from opentok import Client, OutputModes

from opentok_app import check, room_of, say, until, whip

address, KEY, SECRET, session, path = sys.argv[1:6]
sdk = Client(KEY, SECRET, api_url=address)


async def main():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as http:
        ada = await whip(http, address, room_of(session), "Ada", path)
        streams = await until("both", lambda: len(found := list(sdk.list_streams(session))) == 2 and found)
        page = next(stream for stream in streams if stream.name != "Ada")
        archive = await asyncio.to_thread(sdk.start_archive, session, output_mode=OutputModes.individual)
        await asyncio.to_thread(sdk.send_signal, session, {"type": "chat", "data": "count in"})
        say("playing")
        # What both play meanwhile is in the archive.
        await asyncio.sleep(4)
        await asyncio.to_thread(sdk.mute_stream, session, page.id)
        say("muted")
        headers = {"X-OPENTOK-AUTH": sdk._create_jwt_auth_header()}
        async with http.get(f"{address}/v2/project/{KEY}/session/{session}/connection", headers=headers) as reply:
            items = (await reply.json())["items"]
        check(len(items) == 2, f"{items}")
        await asyncio.sleep(1)
        for item in items:
            await asyncio.to_thread(sdk.force_disconnect, session, item["connectionId"])
        await asyncio.to_thread(sdk.stop_archive, archive.id)
        done = await until("available", lambda: (now := sdk.get_archive(archive.id)).status == "available" and now)
        async with http.get(done.url) as reply:
            with zipfile.ZipFile(io.BytesIO(await reply.read())) as opened:
                names = [name for name in opened.namelist() if name.endswith(".webm")]
        check(f"{page.id}.webm" in names and len(names) == 2, f"{names}")
        await asyncio.to_thread(sdk.delete_archive, archive.id)
        await ada.close()
        say("done")


asyncio.run(main())
