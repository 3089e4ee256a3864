"""The noise that pairs of musicians play (`pairs.py`), and where it lies in their files."""
import struct, subprocess

import numpy

RATE = 48_000
PERIOD = 10
# A track bends by up to 0.2 thousandths: in a longer window the upper end of the noise would be smeared.
WINDOW = RATE // 5
SEARCH = RATE * 150 // 1000
# Below this correlation two stretches are not of one sound; by chance it is 0.1 at most.
LIKENESS = 0.3


def noise(seed):
    """Ten seconds that go round without a seam, 100 Hz to 8 kHz, -20 dBFS."""
    count = PERIOD * RATE
    spectrum = numpy.zeros(count // 2 + 1, complex)
    band = slice(100 * PERIOD, 8000 * PERIOD)
    spectrum[band] = numpy.exp(2j * numpy.pi * numpy.random.default_rng(seed).random(band.stop - band.start))
    sound = numpy.fft.irfft(spectrum)
    return numpy.round(sound * (0.1 / sound.std()) * 32768).clip(-32768, 32767).astype("<i2")


def decoded(path):
    raw = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", path, "-f", "f32le", "-ac", "1", "-"], check=True,
                         stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(raw, "<f4")


def lag(window, around):
    """Where `window` lies in `around`, which is longer by twice the search, in samples from its middle; None where it
    is not in it."""
    size = 1 << (len(around) + len(window)).bit_length()
    products = numpy.fft.irfft(numpy.fft.rfft(around, size) * numpy.fft.rfft(window, size).conj(), size)
    energy = numpy.concatenate(([0], numpy.cumsum(around.astype(float) ** 2)))
    count = len(around) - len(window) + 1
    scale = numpy.sqrt((energy[len(window):] - energy[:count]) * numpy.sum(window.astype(float) ** 2)) + 1e-9
    likeness = products[:count] / scale
    best = int(numpy.argmax(likeness))
    if not 0 < best < count - 1 or likeness[best] < LIKENESS:
        return None
    # The tip between the samples: the noise ends at 8 kHz, so that a parabola is right to some thousandths of a ms.
    left, middle, right = likeness[best - 1:best + 2]
    return best + (left - right) / (2 * (left - 2 * middle + right)) - (len(around) - len(window)) / 2


def distances(first, second):
    """By how many ms `second` lies later than `first`, by place in samples: every second of both."""
    found = {}
    for start in range(SEARCH, min(len(first), len(second)) - WINDOW - SEARCH, RATE):
        window = first[start:start + WINDOW]
        if numpy.sqrt(numpy.mean(window ** 2)) > 0.01:
            found[start] = lag(window, second[start - SEARCH:start + WINDOW + SEARCH])
    return {place: None if samples is None else samples * 1e3 / RATE for place, samples in found.items()}


def journal_zero(data):
    """Sample 0 of all tracks in nanoseconds of CLOCK_BOOTTIME, by a journal's bytes (docs/journal.md)."""
    end = 16 + 16 + 4
    end += 2 + struct.unpack_from("<H", data, end)[0] + 16
    if data[end]:
        end += 16 + 2 + struct.unpack_from("<H", data, end + 17)[0]
    return struct.unpack_from("<q", data, end + 1 + 8)[0]


def standstills(data):
    """By how many ms each musician's sound came later at the end than at the beginning, by its RTP times: where the
    paths do not change, the sender stood still for so long."""
    place, names, lowest = 16 + struct.unpack_from("<I", data, 12)[0] + 4, {}, {}
    while place + 24 <= len(data):
        length, kind, _, track, _, time = struct.unpack_from("<IBBHIq", data, place + 4)
        body = data[place + 24:place + 24 + length]
        if kind == 1:
            names[track] = body[34:34 + struct.unpack_from("<H", body, 32)[0]].decode()
        if kind == 3 and len(body) == length:
            stamp, seconds = struct.unpack_from(">I", body, 4)[0], lowest.setdefault(track, {})
            first = seconds.setdefault("first", (time, stamp))
            # To half a range of 32 bits on either side.
            elapsed = (stamp - first[1] + (1 << 31)) % (1 << 32) - (1 << 31)
            late = (time - first[0]) / 1e6 - elapsed * 1e3 / RATE
            second = (time - first[0]) // 1_000_000_000
            seconds[second] = min(late, seconds.get(second, late))
        place += 24 + length
    found = {}
    for track, seconds in lowest.items():
        del seconds["first"]
        levels = [seconds[second] for second in sorted(seconds)][:-1]
        found[names[track]] = round(min(levels[-3:]) - min(levels[:3]), 1)
    return found


def true_errors(sound, music, shift):
    """By how many ms a track lies later than it was captured; its sample 0 is sample `shift` of the noise."""
    places = numpy.arange(len(sound)) + shift
    whole = int(numpy.floor(places[0]))
    truth = numpy.take(music, numpy.arange(whole, whole + len(sound)), mode="wrap").astype("f4") / 32768
    offset = (shift - whole) * 1e3 / RATE
    return {place: None if late is None else late + offset for place, late in distances(truth, sound).items()}
