#include "CAVCodec.h"
#include "library.h"
#include <stdlib.h>

enum { encoder_rate = 48000, frame_length = 1024 };

struct jamjar_encoder {
  AVCodecContext *context;
  AVPacket *packet;
  AVFrame *frame;
  // Samples of the next frame that are there.
  int filled;
  int64_t position;
};

jamjar_encoder *jamjar_encoder_open(int channels, int bits_per_second) {
  if (jamjar_codec_load() != 0 || channels < 1 || channels > 2) return NULL;
  const AVCodec *found = jamjar_av.avcodec_find_encoder(AV_CODEC_ID_AAC);
  jamjar_encoder *encoder = calloc(1, sizeof *encoder);
  if (!found || !encoder) goto failed;
  encoder->context = jamjar_av.avcodec_alloc_context3(found);
  encoder->packet = jamjar_av.av_packet_alloc();
  encoder->frame = jamjar_av.av_frame_alloc();
  if (!encoder->context || !encoder->packet || !encoder->frame) goto failed;
  AVCodecContext *context = encoder->context;
  context->sample_rate = encoder_rate;
  context->sample_fmt = AV_SAMPLE_FMT_FLTP;
  context->bit_rate = bits_per_second;
  context->time_base = (AVRational){1, encoder_rate};
  context->thread_count = 1;
  jamjar_av.av_channel_layout_default(&context->ch_layout, channels);
  if (jamjar_av.avcodec_open2(context, found, NULL) < 0 || context->frame_size != frame_length) goto failed;
  return encoder;
failed:
  jamjar_encoder_close(encoder);
  return NULL;
}

void jamjar_encoder_close(jamjar_encoder *encoder) {
  if (!encoder) return;
  if (encoder->context) jamjar_av.avcodec_free_context(&encoder->context);
  if (encoder->packet) jamjar_av.av_packet_free(&encoder->packet);
  if (encoder->frame) jamjar_av.av_frame_free(&encoder->frame);
  free(encoder);
}

// An empty frame to fill; the encoder may still hold the former one.
static int prepare(jamjar_encoder *encoder) {
  AVFrame *frame = encoder->frame;
  jamjar_av.av_frame_unref(frame);
  frame->nb_samples = frame_length;
  frame->format = AV_SAMPLE_FMT_FLTP;
  frame->sample_rate = encoder_rate;
  frame->pts = encoder->position;
  if (jamjar_av.av_channel_layout_copy(&frame->ch_layout, &encoder->context->ch_layout) < 0) return jamjar_out_of_memory;
  return jamjar_av.av_frame_get_buffer(frame, 0) < 0 ? jamjar_out_of_memory : 0;
}

int jamjar_encoder_encode(jamjar_encoder *encoder, const float *samples, int count) {
  jamjar_av.av_packet_unref(encoder->packet);
  if (count < 0 || count > frame_length) return jamjar_undecodable;
  int channels = encoder->context->ch_layout.nb_channels;
  for (int sample = 0; sample < count; sample++) {
    if (encoder->filled == 0 && prepare(encoder) != 0) return jamjar_out_of_memory;
    for (int channel = 0; channel < channels; channel++)
      ((float *)encoder->frame->extended_data[channel])[encoder->filled] = samples[sample * channels + channel];
    if (++encoder->filled < frame_length) continue;
    encoder->filled = 0;
    encoder->position += frame_length;
    if (jamjar_av.avcodec_send_frame(encoder->context, encoder->frame) < 0) return jamjar_undecodable;
  }
  int code = jamjar_av.avcodec_receive_packet(encoder->context, encoder->packet);
  if (code == AVERROR(EAGAIN)) return 0;
  return code < 0 ? jamjar_undecodable : encoder->packet->size;
}

const uint8_t *jamjar_encoder_frame(const jamjar_encoder *encoder) { return encoder->packet->data; }
