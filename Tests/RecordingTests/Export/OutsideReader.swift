import Foundation

@testable import Recording

/// Programs of others that read what we wrote: Python's standard library, unzip, ffprobe.
enum OutsideReader {
  /// Runs `program` with `arguments`; returns what it printed.
  static func run(_ program: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let (output, complaint) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = complaint
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = complaint.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Complaint(
        program: program, words: String(decoding: words + data, as: UTF8.self),
        // A shell in between tells of the signal by a status.
        hasCrashed: process.terminationReason == .uncaughtSignal || process.terminationStatus > 128)
    }
    return data
  }

  /// The same for a program that now and then crashes whatever it reads: it has two more attempts then.
  static func runCrashing(_ program: String, _ arguments: [String]) throws -> Data {
    for _ in 1...2 {
      do { return try run(program, arguments) } catch let complaint as Complaint where complaint.hasCrashed {}
    }
    return try run(program, arguments)
  }

  /// Runs a Python program and decodes the JSON that it prints.
  static func python<Answer: Decodable>(_ program: String, _ arguments: String...) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: run("python3", ["-c", program] + arguments))
  }

  struct Complaint: Error {
    var program: String
    var words: String
    var hasCrashed: Bool
  }

  /// Tests every entry of a ZIP archive and says what is in it.
  static let zip = """
    import json, sys, zipfile
    archive = zipfile.ZipFile(sys.argv[1])
    entries = []
    for entry in archive.infolist():
        read = archive.read(entry) if entry.file_size < 1 << 20 else b""
        assert entry.compress_type == zipfile.ZIP_STORED and entry.flag_bits == 0x800
        entries.append(dict(name=entry.filename, size=entry.file_size, offset=entry.header_offset,
            time=list(entry.date_time), text=read.decode("utf-8", "replace")))
    print(json.dumps(entries))
    """

  struct ZIPEntry: Decodable {
    var name: String
    var size: Int64
    var offset: Int64
    var time: [Int]
    var text: String
  }

  /// Reads a project of Reaper by its grammar: blocks, lines of words, three kinds of quotation marks, no escapes.
  static let reaper = """
    import json, re, sys
    token = re.compile(r'"([^"]*)"|\\'([^\\']*)\\'|`([^`]*)`|([^\\s"\\'`]\\S*)')
    def words(line):
        found, place = [], 0
        while place < len(line):
            if line[place] == " ":
                place += 1
                continue
            match = token.match(line, place)
            assert match and (match.end() == len(line) or line[match.end()] == " "), repr(line)
            found.append(next(group for group in match.groups() if group is not None))
            place = match.end()
        return found
    text = open(sys.argv[1], "rb").read().decode("utf-8")
    assert text.endswith("\\n") and not any(ord(c) < 32 and c != "\\n" for c in text)
    root = dict(name="", arguments=[], lines=[], blocks=[])
    stack = [root]
    for line in text.split("\\n")[:-1]:
        line = line.lstrip(" ")
        if line == ">":
            stack.pop()
        elif line.startswith("<"):
            head = words(line[1:])
            block = dict(name=head[0], arguments=head[1:], lines=[], blocks=[])
            stack[-1]["blocks"].append(block)
            stack.append(block)
        elif line.startswith("|"):
            assert stack[-1]["name"] == "NOTES"
        else:
            found = words(line)
            assert re.fullmatch("[A-Z_0-9]+", found[0]), line
            stack[-1]["lines"].append(found)
    assert stack == [root] and len(root["blocks"]) == 1
    print(json.dumps(root["blocks"][0]))
    """

  /// A block of a Reaper project.
  struct Block: Decodable {
    var name: String
    var arguments: [String]
    var lines: [[String]]
    var blocks: [Block]

    func blocks(_ name: String) -> [Block] { blocks.filter { $0.name == name } }
    /// The words behind `key` in its first line.
    func words(_ key: String) -> [String] { Array((lines.first { $0.first == key } ?? []).dropFirst()) }
    func number(_ key: String, _ index: Int = 0) -> Double? {
      let words = words(key)
      return words.indices.contains(index) ? Double(words[index]) : nil
    }
  }

  /// Reads a DAWproject and holds its elements against a table made after the format's schemas: which may stand in which,
  /// in which order, with which attributes of which types (docs/decisions/0034-dawproject-without-its-schema.md).
  static let dawproject = """
    import json, re, sys, zipfile, xml.etree.ElementTree as tree
    named = "name color comment "
    rules = {
      "Project": ("Application Transport? Structure? Arrangement? Scenes?", "version", ""),
      "Application": ("", "name version", ""),
      "Transport": ("Tempo? TimeSignature?", "", ""),
      "Tempo": ("", "unit", named + "id max min value parameterID"),
      "TimeSignature": ("", "numerator denominator", named + "id parameterID"),
      "Structure": ("Track*", "", ""), "Scenes": ("", "", ""),
      "Track": ("Channel? Track*", "", named + "id contentType loaded"),
      "Channel": ("Devices? Mute? Pan? Sends? Volume?", "", named + "id audioChannels destination role solo"),
      "Mute": ("", "", named + "id value parameterID"),
      "Pan": ("", "unit", named + "id max min value parameterID"),
      "Volume": ("", "unit", named + "id max min value parameterID"),
      "Arrangement": ("Lanes? Markers? TempoAutomation? TimeSignatureAutomation?", "", named + "id"),
      "Lanes": ("Lanes* Clips*", "", named + "id timeUnit track"),
      "Clips": ("Clip*", "", named + "id timeUnit track"),
      "Clip": ("Audio?", "time", named + "duration contentTimeUnit playStart playStop fadeTimeUnit"),
      "Audio": ("File", "channels sampleRate duration", named + "id timeUnit track algorithm"),
      "File": ("", "path", "external"),
      "Markers": ("Marker+", "", named + "id timeUnit track"),
      "Marker": ("", "time", named),
      "TempoAutomation": ("Target RealPoint*", "", named + "id timeUnit track unit"),
      "TimeSignatureAutomation": ("Target TimeSignaturePoint*", "", named + "id timeUnit track unit"),
      "Target": ("", "", "parameter"),
      "RealPoint": ("", "time value", "interpolation"),
      "TimeSignaturePoint": ("", "time numerator denominator", ""),
    }
    # What the schema's types permit, by the attribute's name.
    words = dict(unit="linear normalized percent decibel hertz semitones seconds beats bpm", timeUnit="beats seconds",
        contentTimeUnit="beats seconds", fadeTimeUnit="beats seconds", role="regular master effect submix vca", interpolation="hold linear",
        contentType="audio automation notes video markers tracks", loaded="true false", solo="true false",
        external="true false")
    whole = "numerator denominator audioChannels channels sampleRate parameterID".split()
    numbers = "time duration playStart playStop".split()
    identifiers, references = set(), set()
    def check(element):
        model, required, allowed = rules[element.tag]
        required, allowed = required.split(), required.split() + allowed.split()
        assert set(required) <= set(element.attrib) <= set(allowed), (element.tag, element.attrib)
        for name, value in element.attrib.items():
            assert name not in words or value in words[name].split(), (element.tag, name, value)
            assert name not in whole or re.fullmatch("[1-9][0-9]{0,8}", value), (element.tag, name, value)
            assert name not in numbers or re.fullmatch("-?[0-9]+([.][0-9]+)?", value), (element.tag, name, value)
        assert element.tag != "Mute" or element.get("value") in (None, "true", "false"), element.attrib
        assert not (element.text or "").strip() and not (element.tail or "").strip(), element.tag
        if "id" in element.attrib:
            assert re.fullmatch("[A-Za-z_][A-Za-z0-9_.-]*", element.attrib["id"]), element.attrib
            assert element.attrib["id"] not in identifiers
            identifiers.add(element.attrib["id"])
        references.update(element.attrib[k] for k in ("destination", "track", "parameter") if k in element.attrib)
        names = [child.tag for child in element]
        for part in model.split():
            name, count = part.rstrip("?*+"), part[-1]
            found = 0
            while names and names[0] == name:
                names.pop(0)
                found += 1
            assert found == 1 if count.isalpha() else found <= 1 if count == "?" else found >= 1 or count == "*", part
        assert not names, (element.tag, names)
        for child in element: check(child)
    archive = zipfile.ZipFile(sys.argv[1])
    assert archive.testzip() is None
    project = tree.fromstring(archive.read("project.xml"))
    assert project.tag == "Project"
    check(project)
    assert references <= identifiers
    metadata = tree.fromstring(archive.read("metadata.xml"))
    order = "Title Artist Album OriginalArtist Composer Songwriter Producer Arranger Year Genre Copyright Website Comment"
    names = [child.tag for child in metadata]
    assert metadata.tag == "MetaData" and names == [name for name in order.split() if name in names]
    assert all(not child.attrib and not len(child) for child in metadata) and not metadata.attrib
    tracks = []
    for track in project.findall("Structure/Track"):
        channel = track.find("Channel")
        lanes = project.find("Arrangement/Lanes/Lanes[@track='%s']" % track.get("id"))
        clips = [] if lanes is None else [dict(time=float(c.get("time")), duration=float(c.get("duration")),
            playStart=float(c.get("playStart")), path=c.find("Audio/File").get("path"),
            channels=int(c.find("Audio").get("channels")), seconds=float(c.find("Audio").get("duration")))
            for c in lanes.findall("Clips/Clip")]
        assert channel.find("Volume").get("unit") == "linear" and channel.find("Pan").get("unit") == "normalized"
        tracks.append(dict(name=track.get("name"), role=channel.get("role"), solo=channel.get("solo") == "true",
            mute=channel.find("Mute").get("value") == "true", pan=float(channel.find("Pan").get("value")),
            volume=float(channel.find("Volume").get("value")), clips=clips))
    assert project.find("Arrangement/Lanes").get("timeUnit") == "seconds"
    print(json.dumps(dict(tracks=tracks, files=archive.namelist(), title=metadata.findtext("Title"),
        tempo=float(project.find("Transport/Tempo").get("value")),
        markers=[[m.get("time"), m.get("name")] for m in project.findall("Arrangement/Markers/Marker")],
        tempos=[[float(p.get("time")), float(p.get("value"))]
            for p in project.findall("Arrangement/TempoAutomation/RealPoint")],
        metres=[[float(p.get("time")), float(p.get("numerator")), float(p.get("denominator"))]
            for p in project.findall("Arrangement/TimeSignatureAutomation/TimeSignaturePoint")])))
    """

  struct Exchange: Decodable {
    struct Clip: Decodable {
      var time, duration, playStart, seconds: Double
      var path: String
      var channels: Int
    }
    struct Track: Decodable {
      var name, role: String
      var solo, mute: Bool
      var pan, volume: Double
      var clips: [Clip]
    }
    var tracks: [Track]
    var files: [String]
    var title: String
    var tempo: Double
    var markers: [[String]]
    var tempos: [[Double]]
    var metres: [[Double]]
  }
}
