"""A server of RTSP, GStreamer's own, with one stream: a tone of 700 Hz as Opus. Only who has the password may hear it.

usage: rtsp_server.py PORT PATH USER PASSWORD

Prints "listening" once it does.
"""

import sys
from ctypes import CDLL, c_char_p, c_int, c_uint, c_void_p

BOOLEAN, STRING = 5 << 2, 16 << 2  # GLib's fundamental types

libraries = [CDLL(name) for name in ("libglib-2.0.so.0", "libgstreamer-1.0.so.0", "libgstrtspserver-1.0.so.0")]


def call(name, *arguments):
    """Calls a function of GLib's family: pointers, texts and numbers."""
    function = next(getattr(library, name) for library in libraries if hasattr(library, name))
    function.restype = c_void_p
    plain = {str: lambda text: c_char_p(text.encode()), type(None): c_void_p}
    return c_void_p(function(*[plain.get(type(each), lambda same: same)(each) for each in arguments]))


def main(port, path, user, password):
    call("gst_init", None, None)
    server = call("gst_rtsp_server_new")
    call("gst_rtsp_server_set_address", server, "127.0.0.1")
    call("gst_rtsp_server_set_service", server, port)

    auth = call("gst_rtsp_auth_new")
    token = call("gst_rtsp_token_new", "media.factory.role", c_int(STRING), "player", None)
    call("gst_rtsp_auth_add_basic", auth, call("gst_rtsp_auth_make_basic", user, password), token)
    call("gst_rtsp_server_set_auth", server, auth)

    factory = call("gst_rtsp_media_factory_new")
    call(
        "gst_rtsp_media_factory_set_launch", factory,
        "( audiotestsrc is-live=true freq=700 volume=0.3 ! audio/x-raw,rate=48000,channels=2 ! opusenc "
        "! rtpopuspay name=pay0 pt=96 )")
    permissions = call("gst_rtsp_permissions_new")
    call(
        "gst_rtsp_permissions_add_role", permissions, "player", "media.factory.access", c_int(BOOLEAN), c_int(1),
        "media.factory.construct", c_int(BOOLEAN), c_int(1), None)
    call("gst_rtsp_media_factory_set_permissions", factory, permissions)
    call("gst_rtsp_mount_points_add_factory", call("gst_rtsp_server_get_mount_points", server), path, factory)

    if not call("gst_rtsp_server_attach", server, None).value:
        sys.exit(f"nothing can listen on port {port}")
    print("listening", flush=True)
    call("g_main_loop_run", call("g_main_loop_new", None, c_uint(0)))


main(*sys.argv[1:5])
