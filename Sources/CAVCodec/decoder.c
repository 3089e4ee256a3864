#include "CAVCodec.h"
#include "library.h"
#include <stdlib.h>
#include <string.h>

// The most samples of a frame (FLAC), and the lowest rate (AAC), in Hz: together they bound the sound of a frame.
enum { rate_out = 48000, longest_frame = 65535, lowest_rate = 7350, most_lost = 1000 };

struct jamjar_decoder {
  AVCodecContext *context;
  AVPacket *packet;
  AVFrame *frame;
  SwrContext *resampler;
  // What the resampler was made for.
  AVChannelLayout layout;
  enum AVSampleFormat format;
  int rate, frame_length, channels, own_channels;
  float *samples;
  int count, room;
};

static const enum AVCodecID identifiers[] = {
  [jamjar_aac] = AV_CODEC_ID_AAC, [jamjar_mp3] = AV_CODEC_ID_MP3, [jamjar_flac] = AV_CODEC_ID_FLAC,
  [jamjar_ac3] = AV_CODEC_ID_AC3, [jamjar_eac3] = AV_CODEC_ID_EAC3,
};

jamjar_decoder *jamjar_decoder_open(enum jamjar_codec codec, const uint8_t *configuration, size_t size) {
  if (jamjar_codec_load() != 0 || codec > jamjar_eac3 || size > 65536) return NULL;
  const AVCodec *found = jamjar_av.avcodec_find_decoder(identifiers[codec]);
  jamjar_decoder *decoder = calloc(1, sizeof *decoder);
  if (!found || !decoder) goto failed;
  decoder->context = jamjar_av.avcodec_alloc_context3(found);
  decoder->packet = jamjar_av.av_packet_alloc();
  decoder->frame = jamjar_av.av_frame_alloc();
  if (!decoder->context || !decoder->packet || !decoder->frame) goto failed;
  // Threads would delay each frame by others.
  decoder->context->thread_count = 1;
  // Frames that carry a checksum are refused rather than concealed in silence. AAC carries none.
  if (codec != jamjar_aac) decoder->context->err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE;
  if (size > 0) {
    decoder->context->extradata = jamjar_av.av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!decoder->context->extradata) goto failed;
    memcpy(decoder->context->extradata, configuration, size);
    decoder->context->extradata_size = (int)size;
  }
  if (jamjar_av.avcodec_open2(decoder->context, found, NULL) < 0) goto failed;
  return decoder;
failed:
  jamjar_decoder_close(decoder);
  return NULL;
}

void jamjar_decoder_close(jamjar_decoder *decoder) {
  if (!decoder) return;
  if (decoder->context) jamjar_av.avcodec_free_context(&decoder->context);
  if (decoder->packet) jamjar_av.av_packet_free(&decoder->packet);
  if (decoder->frame) jamjar_av.av_frame_free(&decoder->frame);
  if (decoder->resampler) jamjar_av.swr_free(&decoder->resampler);
  if (decoder->rate) jamjar_av.av_channel_layout_uninit(&decoder->layout);
  free(decoder->samples);
  free(decoder);
}

// Resamples `count` samples of each channel behind the sound; with NULL, what the resampler still holds.
static int append(jamjar_decoder *decoder, const uint8_t **planes, int count) {
  int most = jamjar_av.swr_get_out_samples(decoder->resampler, count);
  if (most < 0) return jamjar_out_of_memory;
  if (most > decoder->room - decoder->count) {
    int room = decoder->count + most;
    float *larger = realloc(decoder->samples, sizeof(float) * (size_t)decoder->channels * (size_t)room);
    if (!larger) return jamjar_out_of_memory;
    decoder->samples = larger;
    decoder->room = room;
  }
  if (most == 0) return 0;
  uint8_t *end = (uint8_t *)(decoder->samples + (size_t)decoder->count * (size_t)decoder->channels);
  int made = jamjar_av.swr_convert(decoder->resampler, &end, decoder->room - decoder->count, planes, count);
  if (made < 0) return jamjar_out_of_memory;
  decoder->count += made;
  return 0;
}

// Silence through the resampler, so that its filter and the count of samples go on.
static int append_silence(jamjar_decoder *decoder, int count) {
  AVFrame *frame = decoder->frame;
  frame->nb_samples = count;
  frame->format = decoder->format;
  if (jamjar_av.av_channel_layout_copy(&frame->ch_layout, &decoder->layout) < 0) return jamjar_out_of_memory;
  int code = jamjar_out_of_memory;
  if (jamjar_av.av_frame_get_buffer(frame, 0) >= 0) {
    for (int plane = 0; plane < AV_NUM_DATA_POINTERS && frame->buf[plane]; plane++)
      memset(frame->buf[plane]->data, decoder->format == AV_SAMPLE_FMT_U8 || decoder->format == AV_SAMPLE_FMT_U8P ? 128 : 0,
             frame->buf[plane]->size);
    for (int plane = 0; plane < frame->nb_extended_buf; plane++)
      memset(frame->extended_buf[plane]->data, 0, frame->extended_buf[plane]->size);
    code = append(decoder, (const uint8_t **)frame->extended_data, count);
  }
  jamjar_av.av_frame_unref(frame);
  return code;
}

// The gains of a loudspeaker in the left and the right channel (ITU-R BS.775-3, table 2: the centre and the surround
// channels by -3 dB; LFE is left out). -1 if the loudspeaker is unknown.
static int gains(uint64_t loudspeaker, double *left, double *right) {
  const double less = 0.70710678118654752;
  *left = *right = 0;
  switch (loudspeaker) {
  case AV_CH_FRONT_LEFT: case AV_CH_FRONT_LEFT_OF_CENTER: *left = 1; return 0;
  case AV_CH_FRONT_RIGHT: case AV_CH_FRONT_RIGHT_OF_CENTER: *right = 1; return 0;
  case AV_CH_BACK_LEFT: case AV_CH_SIDE_LEFT: *left = less; return 0;
  case AV_CH_BACK_RIGHT: case AV_CH_SIDE_RIGHT: *right = less; return 0;
  case AV_CH_FRONT_CENTER: *left = *right = less; return 0;
  case AV_CH_BACK_CENTER: *left = *right = less * less; return 0;
  case AV_CH_LOW_FREQUENCY: case AV_CH_LOW_FREQUENCY_2: return 0;
  default: return -1;
  }
}

// The gain of each channel of `layout` (columns) in each of ours (rows).
static int mix(const AVChannelLayout *layout, int channels, double matrix[2 * 64]) {
  int own = layout->nb_channels;
  if (own < 1 || own > 64) return jamjar_unknown_layout;
  uint64_t rest = layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0;
  for (int channel = 0; channel < own; channel++) {
    double left = channel == 0, right = channel == own - 1;
    if (own > 2) {
      if (!rest || gains(rest & -rest, &left, &right) != 0) return jamjar_unknown_layout;
      rest &= rest - 1;
    }
    // A stream that began with one channel stays one: the mean, in which a sound in the middle keeps its level.
    matrix[channel] = channels == 1 ? (own == 1 ? 1 : (left + right) / 2) : left;
    if (channels == 2) matrix[own + channel] = right;
  }
  return 0;
}

// Makes the resampler fit the decoded frame, and ends the former one.
static int adapt(jamjar_decoder *decoder) {
  const AVFrame *frame = decoder->frame;
  if (decoder->resampler && decoder->rate == frame->sample_rate && decoder->format == frame->format &&
      jamjar_av.av_channel_layout_compare(&decoder->layout, &frame->ch_layout) == 0)
    return 0;
  if (frame->sample_rate < lowest_rate) return jamjar_undecodable;
  int own = frame->ch_layout.nb_channels;
  int channels = decoder->channels ? decoder->channels : own == 1 ? 1 : 2;
  double matrix[2 * 64];
  int code = mix(&frame->ch_layout, channels, matrix);
  if (code != 0) return code;
  if (decoder->resampler) {
    append(decoder, NULL, 0);
    jamjar_av.swr_free(&decoder->resampler);
  }
  AVChannelLayout out, in;
  memset(&out, 0, sizeof out);
  memset(&in, 0, sizeof in);
  jamjar_av.av_channel_layout_default(&out, channels);
  // The matrix says what the channels are; names that the resampler does not know do not matter.
  jamjar_av.av_channel_layout_default(&in, own);
  decoder->channels = channels;
  decoder->resampler = NULL;
  code = jamjar_av.swr_alloc_set_opts2(&decoder->resampler, &out, AV_SAMPLE_FMT_FLT, rate_out, &in, frame->format,
                                       frame->sample_rate, 0, NULL);
  if (code < 0 || jamjar_av.swr_set_matrix(decoder->resampler, matrix, own) < 0 ||
      jamjar_av.swr_init(decoder->resampler) < 0 ||
      jamjar_av.av_channel_layout_copy(&decoder->layout, &frame->ch_layout) < 0) {
    if (decoder->resampler) jamjar_av.swr_free(&decoder->resampler);
    return jamjar_out_of_memory;
  }
  decoder->rate = frame->sample_rate;
  decoder->format = frame->format;
  return 0;
}

int jamjar_decoder_decode(jamjar_decoder *decoder, const uint8_t *bytes, size_t size) {
  decoder->count = 0;
  if (size > (1 << 20) || jamjar_av.av_new_packet(decoder->packet, (int)size) < 0) return jamjar_out_of_memory;
  if (size > 0) memcpy(decoder->packet->data, bytes, size);
  int sent = size > 0 ? jamjar_av.avcodec_send_packet(decoder->context, decoder->packet) : -1;
  jamjar_av.av_packet_unref(decoder->packet);
  int frames = 0, code = 0;
  while (sent >= 0 && code == 0 && jamjar_av.avcodec_receive_frame(decoder->context, decoder->frame) >= 0) {
    AVFrame *frame = decoder->frame;
    if (frame->nb_samples > 0 && frame->nb_samples <= longest_frame) {
      code = adapt(decoder);
      if (code == 0) {
        code = append(decoder, (const uint8_t **)frame->extended_data, frame->nb_samples);
        decoder->own_channels = frame->ch_layout.nb_channels;
        decoder->frame_length = frame->nb_samples;
        frames++;
      }
    }
    jamjar_av.av_frame_unref(frame);
  }
  if (code != 0) return code;
  if (frames > 0) return 0;
  code = jamjar_decoder_lose(decoder, 1);
  return code != 0 ? code : jamjar_undecodable;
}

int jamjar_decoder_lose(jamjar_decoder *decoder, int frames) {
  decoder->count = 0;
  if (!decoder->resampler) return 0;
  int code = 0;
  for (int frame = 0; frame < frames && frame < most_lost && code == 0; frame++)
    code = append_silence(decoder, decoder->frame_length);
  return code;
}

int jamjar_decoder_finish(jamjar_decoder *decoder) {
  decoder->count = 0;
  return decoder->resampler ? append(decoder, NULL, 0) : 0;
}

const float *jamjar_decoder_samples(const jamjar_decoder *decoder) { return decoder->samples; }
int jamjar_decoder_count(const jamjar_decoder *decoder) { return decoder->count; }
int jamjar_decoder_channels(const jamjar_decoder *decoder) { return decoder->channels; }
int jamjar_decoder_own_channels(const jamjar_decoder *decoder) { return decoder->own_channels; }
int jamjar_decoder_frame_length(const jamjar_decoder *decoder) { return decoder->frame_length; }
int jamjar_decoder_rate(const jamjar_decoder *decoder) { return decoder->rate; }
