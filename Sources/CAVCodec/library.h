#pragma once
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

// The functions of libavcodec, libavutil and libswresample that we call, found at run time.
#define JAMJAR_AVCODEC(use)                                                                                   \
  use(avcodec_find_decoder) use(avcodec_find_encoder) use(avcodec_alloc_context3) use(avcodec_free_context)   \
  use(avcodec_open2) use(avcodec_send_packet) use(avcodec_receive_frame) use(avcodec_send_frame)              \
  use(avcodec_receive_packet) use(av_packet_alloc) use(av_packet_free) use(av_packet_unref) use(av_new_packet)
#define JAMJAR_AVUTIL(use)                                                                                    \
  use(av_frame_alloc) use(av_frame_free) use(av_frame_unref) use(av_frame_get_buffer) \
  use(av_log_set_level) use(av_mallocz) use(av_channel_layout_default) use(av_channel_layout_copy)            \
  use(av_channel_layout_compare) use(av_channel_layout_uninit)
#define JAMJAR_SWRESAMPLE(use)                                                                                \
  use(swr_alloc_set_opts2) use(swr_init) use(swr_free) use(swr_convert) use(swr_set_matrix) use(swr_get_out_samples)

#define JAMJAR_MEMBER(name) __typeof__(&name) name;
struct jamjar_library {
  JAMJAR_AVCODEC(JAMJAR_MEMBER)
  JAMJAR_AVUTIL(JAMJAR_MEMBER)
  JAMJAR_SWRESAMPLE(JAMJAR_MEMBER)
};
#undef JAMJAR_MEMBER

// Set by jamjar_codec_load, which comes before all else.
extern struct jamjar_library jamjar_av;
