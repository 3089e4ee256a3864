import Hummingbird

/// The web studio: pages and modules that are embedded in the program.
///
/// One page stands for all addresses of the studio; which of its views is shown is for base/main.js to tell.
struct StudioResource {
  private static let pages = ["/", "/rooms/:room", "/takes", "/takes/:take"]

  /// Folder and name below Sources/Server/Studio, and the contents; the manifest lists them too.
  private static let contents: [(path: String, bytes: [UInt8])] = [
    ("base/access.js", PackageResources.access_js),
    ("base/api.js", PackageResources.api_js),
    ("base/dom.js", PackageResources.dom_js),
    ("base/events.js", PackageResources.events_js),
    ("base/header.js", PackageResources.header_js),
    ("base/main.js", PackageResources.main_js),
    ("base/memory.js", PackageResources.memory_js),
    ("base/notices.js", PackageResources.notices_js),
    ("base/refusal.js", PackageResources.refusal_js),
    ("base/router.js", PackageResources.router_js),
    ("base/session.js", PackageResources.session_js),
    ("base/studio.css", PackageResources.studio_css),
    ("lobby/lobby.js", PackageResources.lobby_js),
    ("room/arrival.js", PackageResources.arrival_js), ("room/awake.js", PackageResources.awake_js),
    ("room/capture-worklet.js", PackageResources.capture_worklet_js),
    ("room/chat.js", PackageResources.chat_js),
    ("room/door.js", PackageResources.door_js),
    ("room/green-room.js", PackageResources.green_room_js),
    ("room/keys.js", PackageResources.keys_js),
    ("room/link.js", PackageResources.link_js),
    ("room/merge.js", PackageResources.merge_js),
    ("room/meter.js", PackageResources.meter_js),
    ("room/microphone-dialog.js", PackageResources.microphone_dialog_js),
    ("room/microphone.js", PackageResources.microphone_js),
    ("room/musicians.js", PackageResources.musicians_js),
    ("room/peer.js", PackageResources.peer_js),
    ("room/quality.js", PackageResources.quality_js),
    ("room/recent.js", PackageResources.recent_js),
    ("room/recorder.js", PackageResources.recorder_js),
    ("room/room.css", PackageResources.room_css),
    ("room/room.js", PackageResources.room_js),
    ("room/safety.js", PackageResources.safety_js),
    ("room/shared-text.js", PackageResources.shared_text_js),
    ("room/shared.js", PackageResources.shared_js),
    ("room/sheet.js", PackageResources.sheet_js),
    ("room/sound.js", PackageResources.sound_js),
    ("room/studio.js", PackageResources.studio_js),
    ("room/warnings.js", PackageResources.warnings_js),
    ("backup/backups.js", PackageResources.backups_js),
    ("backup/copy.js", PackageResources.copy_js),
    ("backup/line.js", PackageResources.line_js),
    ("backup/pcm.js", PackageResources.pcm_js),
    ("backup/ring.js", PackageResources.ring_js),
    ("backup/store-worker.js", PackageResources.store_worker_js),
    ("backup/upload.js", PackageResources.upload_js),
    ("takes/about-take.js", PackageResources.about_take_js),
    ("takes/certificate.js", PackageResources.certificate_js),
    ("takes/compare.js", PackageResources.compare_js),
    ("takes/deck-loader.js", PackageResources.deck_loader_js),
    ("takes/deck-worklet.js", PackageResources.deck_worklet_js),
    ("takes/deck.js", PackageResources.deck_js),
    ("takes/downloads.js", PackageResources.downloads_js),
    ("takes/export-dialog.js", PackageResources.export_dialog_js),
    ("takes/lane.js", PackageResources.lane_js),
    ("takes/list-filters.js", PackageResources.list_filters_js),
    ("takes/list-row.js", PackageResources.list_row_js),
    ("takes/list.js", PackageResources.list_js),
    ("takes/mixing.js", PackageResources.mixing_js),
    ("takes/outline.js", PackageResources.outline_js),
    ("takes/peaks.js", PackageResources.peaks_js),
    ("takes/player.js", PackageResources.player_js),
    ("takes/preview.js", PackageResources.preview_js),
    ("takes/rows.js", PackageResources.rows_js),
    ("takes/ruler.js", PackageResources.ruler_js),
    ("takes/score.js", PackageResources.score_js),
    ("takes/shortcuts.js", PackageResources.shortcuts_js),
    ("takes/strip.js", PackageResources.strip_js),
    ("takes/take-cues.js", PackageResources.take_cues_js),
    ("takes/take-player.js", PackageResources.take_player_js),
    ("takes/take-store.js", PackageResources.take_store_js),
    ("takes/take-words.js", PackageResources.take_words_js),
    ("takes/take.js", PackageResources.take_js),
    ("takes/takes.css", PackageResources.takes_css),
    ("takes/toast.js", PackageResources.toast_js),
    ("takes/transport.js", PackageResources.transport_js),
    ("takes/zoom.js", PackageResources.zoom_js),
  ]

  private static let types = [
    "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
  ]

  var resources: [Resource] {
    let page = EmbeddedFile(path: "/", type: "text/html; charset=utf-8", bytes: PackageResources.index_html)
    let files = Dictionary(
      StudioResource.contents.map { path, bytes in
        let ending = path.split(separator: ".").last.map(String.init) ?? ""
        let type = StudioResource.types[ending] ?? "application/octet-stream"
        return (path, EmbeddedFile(path: "/studio/\(path)", type: type, bytes: bytes))
      }, uniquingKeysWith: { first, _ in first })
    return StudioResource.pages.map { Resource($0).on(.get) { request, _ in page.answer(to: request) } } + [
      Resource("/studio/:folder/:file").on(.get) { request, context in
        let path = try "\(context.parameters.require("folder"))/\(context.parameters.require("file"))"
        guard let file = files[path] else { throw Problem.notFound("the studio has no file \(path)") }
        return file.answer(to: request)
      }
    ]
  }
}
