import Foundation

@testable import Recording

/// ffprobe, sox, mediainfo and mutagen, all asked by one Python process (script/bootstrap --test installs them).
enum ForeignReaders {
  /// What a reader finds in a file.
  struct Reading: Decodable {
    struct Chapter: Decodable, Equatable {
      /// In seconds.
      var start: Double
      var title: String
    }

    /// The reason why it cannot read the file.
    var refusal: String?
    var rate: Int?
    var seconds: Double?
    /// By lower-case names.
    var tags: [String: String]?
    var chapters: [Chapter]?
  }

  /// What each reader finds in each of the files.
  static func read(_ paths: [String]) throws -> [[String: Reading]] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let python = root.appendingPathComponent(".venv/bin/python3").path
    guard FileManager.default.isExecutableFile(atPath: python) else {
      throw OutsideReader.Complaint(
        program: python, words: "it is missing; script/bootstrap --test makes it", hasCrashed: false)
    }
    return try JSONDecoder().decode(
      [[String: Reading]].self, from: try OutsideReader.run(python, ["-c", program] + paths))
  }

  private static let program = """
    import json, mutagen, subprocess, sys

    def run(*command):
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")

    def ffprobe(path):
        done = run("ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", "-show_chapters", path)
        if done.returncode or done.stderr:
            return dict(refusal=done.stderr or "exit")
        found = json.loads(done.stdout)
        tags = {**found["streams"][0].get("tags", {}), **found["format"].get("tags", {})}
        return dict(rate=int(found["streams"][0]["sample_rate"]), seconds=float(found["format"]["duration"]),
            tags={name.lower(): value for name, value in tags.items()},
            chapters=[dict(start=float(each["start_time"]), title=each.get("tags", {}).get("title", ""))
                for each in found["chapters"]])

    def sox(path):
        # Debian's sox reads no Opus.
        if path.endswith(".opus"):
            return {}
        done = run("soxi", path)
        if done.returncode:
            return dict(refusal=done.stderr)
        return dict(rate=int(run("soxi", "-r", path).stdout), seconds=float(run("soxi", "-D", path).stdout))

    def mediainfo(path):
        done = run("mediainfo", "--Output=JSON", path)
        tracks = json.loads(done.stdout)["media"]["track"] if not done.returncode else []
        if len(tracks) != 2:
            return dict(refusal=f"{len(tracks)} streams")
        tags = {name.lower(): value for name, value in tracks[0].items() if isinstance(value, str)}
        # It takes the texts of a WAV file's LIST for Latin-1, which nothing in the file can tell it.
        if path.endswith(".wav"):
            tags.pop("title", None)
        return dict(rate=int(tracks[1]["SamplingRate"]), seconds=float(tracks[0]["Duration"]), tags=tags)

    def tags(path):
        try:
            found = mutagen.File(path)
        except mutagen.MutagenError as error:
            return dict(refusal=str(error))
        if found is None:
            return dict(refusal="no format")
        frames = dict(TIT2="title", TALB="album", TPE1="artist", TDRC="date", COMM="comment")
        values = {}
        for name, value in (found.tags or {}).items():
            text = getattr(value, "text", value)
            values[frames.get(name.split(":")[0], name.lower())] = str(text[0])
        return dict(rate=getattr(found.info, "sample_rate", 48000), seconds=found.info.length, tags=values)

    readers = dict(ffprobe=ffprobe, sox=sox, mediainfo=mediainfo, mutagen=tags)
    print(json.dumps([{name: read(path) for name, read in readers.items()} for path in sys.argv[1:]]))
    """
}
