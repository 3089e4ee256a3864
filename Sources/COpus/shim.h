#pragma once
#include <opus.h>

// opus_encoder_ctl and opus_decoder_ctl are variadic, which Swift cannot call; each request that we use gets a name.

static inline int copus_encoder_set_bitrate(OpusEncoder *encoder, opus_int32 bits_per_second) {
  return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}
static inline int copus_encoder_set_complexity(OpusEncoder *encoder, opus_int32 complexity) {
  return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}
static inline int copus_encoder_set_inband_fec(OpusEncoder *encoder, opus_int32 on) {
  return opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(on));
}
static inline int copus_encoder_set_packet_loss(OpusEncoder *encoder, opus_int32 percent) {
  return opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(percent));
}
static inline int copus_encoder_set_dtx(OpusEncoder *encoder, opus_int32 on) {
  return opus_encoder_ctl(encoder, OPUS_SET_DTX(on));
}
static inline int copus_encoder_set_vbr(OpusEncoder *encoder, opus_int32 on) {
  return opus_encoder_ctl(encoder, OPUS_SET_VBR(on));
}
static inline int copus_encoder_set_voice(OpusEncoder *encoder) {
  return opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
}
static inline int copus_encoder_force_channels(OpusEncoder *encoder, opus_int32 channels) {
  return opus_encoder_ctl(encoder, OPUS_SET_FORCE_CHANNELS(channels));
}
static inline int copus_encoder_lookahead(OpusEncoder *encoder, opus_int32 *samples) {
  return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(samples));
}
static inline int copus_decoder_reset(OpusDecoder *decoder) { return opus_decoder_ctl(decoder, OPUS_RESET_STATE); }
