#include "library.h"
#include "CAVCodec.h"
#include <dlfcn.h>
#include <pthread.h>

#define JAMJAR_TEXT_OF(number) #number
#define JAMJAR_TEXT(number) JAMJAR_TEXT_OF(number)

struct jamjar_library jamjar_av;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;

int jamjar_codec_version(void) { return LIBAVCODEC_VERSION_MAJOR; }
int jamjar_resampler_version(void) { return LIBSWRESAMPLE_VERSION_MAJOR; }

static void load(void) {
  // The major version is the one of the headers, so the structures have their layout.
  void *codec = dlopen("libavcodec.so." JAMJAR_TEXT(LIBAVCODEC_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
  void *util = dlopen("libavutil.so." JAMJAR_TEXT(LIBAVUTIL_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
  void *resampler = dlopen("libswresample.so." JAMJAR_TEXT(LIBSWRESAMPLE_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
  if (!codec || !util || !resampler) return;
#define JAMJAR_FIND(library, name)                                              \
  jamjar_av.name = (__typeof__(jamjar_av.name))dlsym(library, #name);           \
  if (!jamjar_av.name) return;
#define JAMJAR_FROM_CODEC(name) JAMJAR_FIND(codec, name)
#define JAMJAR_FROM_UTIL(name) JAMJAR_FIND(util, name)
#define JAMJAR_FROM_RESAMPLER(name) JAMJAR_FIND(resampler, name)
  JAMJAR_AVCODEC(JAMJAR_FROM_CODEC)
  JAMJAR_AVUTIL(JAMJAR_FROM_UTIL)
  JAMJAR_SWRESAMPLE(JAMJAR_FROM_RESAMPLER)
  // Broken input is reported by our own counts, not on standard error.
  jamjar_av.av_log_set_level(AV_LOG_QUIET);
  is_loaded = 1;
}

int jamjar_codec_load(void) {
  pthread_once(&once, load);
  return is_loaded ? 0 : -1;
}
