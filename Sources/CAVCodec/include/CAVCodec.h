#pragma once
#include <stddef.h>
#include <stdint.h>

// Decoders and an encoder of libavcodec behind a few functions. The library is loaded when it is first needed and only
// by the process that converts, so the service itself neither links nor needs it. For one thread at a time.

enum jamjar_codec { jamjar_aac, jamjar_mp3, jamjar_flac, jamjar_ac3, jamjar_eac3 };

enum {
  jamjar_out_of_memory = -1,
  // The decoder refuses the bytes, or finds no sound in them.
  jamjar_undecodable = -2,
  // More than two channels whose loudspeakers are not told.
  jamjar_unknown_layout = -3,
};

// Loads the libraries: 0, or -1 if they are not installed.
int jamjar_codec_load(void);

// The major versions of libavcodec and libswresample that this was built with: their names end in them.
int jamjar_codec_version(void);
int jamjar_resampler_version(void);

typedef struct jamjar_decoder jamjar_decoder;

// A decoder whose sound is at 48 kHz, with one channel if the first frame has one, otherwise two. `configuration` is
// the AudioSpecificConfig of AAC or the STREAMINFO of FLAC. NULL if it is refused.
jamjar_decoder *jamjar_decoder_open(enum jamjar_codec codec, const uint8_t *configuration, size_t size);
void jamjar_decoder_close(jamjar_decoder *decoder);

// Each of these replaces the sound with what follows it: 0, or one of the codes above.

// One frame. If it is undecodable, silence of a frame's length follows.
int jamjar_decoder_decode(jamjar_decoder *decoder, const uint8_t *bytes, size_t size);
// Frames that never came: silence of their length, none before the first decoded frame.
int jamjar_decoder_lose(jamjar_decoder *decoder, int frames);
// The end: what the resampler still holds.
int jamjar_decoder_finish(jamjar_decoder *decoder);

// The sound: interleaved samples, and their number for each channel.
const float *jamjar_decoder_samples(const jamjar_decoder *decoder);
int jamjar_decoder_count(const jamjar_decoder *decoder);
// Channels of the sound; 0 before the first decoded frame.
int jamjar_decoder_channels(const jamjar_decoder *decoder);
// Channels of the last decoded frame, before they were mixed down.
int jamjar_decoder_own_channels(const jamjar_decoder *decoder);
// Samples of a frame, and their rate in Hz; 0 before the first decoded frame.
int jamjar_decoder_frame_length(const jamjar_decoder *decoder);
int jamjar_decoder_rate(const jamjar_decoder *decoder);

typedef struct jamjar_encoder jamjar_encoder;

// An encoder of AAC-LC at 48 kHz. NULL if it is refused.
jamjar_encoder *jamjar_encoder_open(int channels, int bits_per_second);
void jamjar_encoder_close(jamjar_encoder *encoder);
// Takes interleaved samples, at most 1,024 for each channel, and gives at most one frame: its size, 0 if none is ready,
// or one of the codes above.
int jamjar_encoder_encode(jamjar_encoder *encoder, const float *samples, int count);
const uint8_t *jamjar_encoder_frame(const jamjar_encoder *encoder);
