/* Lanczos 3 in linear light, colours weighted by alpha, a window of rows at a time. */
#include "image.h"

#include <math.h>
#include <stdlib.h>

#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_STATIC
#define STBIR_MALLOC(size, user_data) ((void)(user_data), malloc(size))
#define STBIR_FREE(memory, user_data) ((void)(user_data), free(memory))
#include "stb_image_resize2.h"

struct resizing {
  struct source *source;
  struct sink *sink;
  uint8_t *row;
  int next;
};

/* Asks for rows in order, the first and the last ones repeatedly. */
static const void *input(void *unused, const void *also, int pixels, int x, int y, void *context) {
  (void)unused, (void)also, (void)pixels;
  struct resizing *r = context;
  for (; r->next <= y; r->next++) r->source->read(r->source, r->row);
  if (y != r->next - 1) fail(ENCODER, "rows were asked for out of order");
  return r->row + (size_t)x * picture.channels;
}

static void output(const void *row, int pixels, int y, void *context) {
  (void)pixels;
  struct resizing *r = context;
  r->sink->put(r->sink, row, (uint32_t)y);
}

static float sinc(float x) { return x == 0 ? 1 : sinf((float)M_PI * x) / ((float)M_PI * x); }

static float lanczos3(float x, float scale, void *context) {
  (void)scale, (void)context;
  return fabsf(x) < 3 ? sinc(x) * sinc(x / 3) : 0;
}

static float support(float scale, void *context) {
  (void)scale, (void)context;
  return 3;
}

void resize(struct source *source, struct sink *sink, uint32_t width, uint32_t height) {
  uint8_t *row = malloc((size_t)picture.width * picture.channels);
  struct resizing resizing = {source, sink, row, 0};
  STBIR_RESIZE r;
  /* The pointers stand for themselves: rows come and go by the callbacks. */
  stbir_resize_init(&r, row, (int)picture.width, (int)picture.height, 0, row, (int)width,
                    (int)height, 0, picture.channels == 4 ? STBIR_RGBA : STBIR_RGB,
                    STBIR_TYPE_UINT8_SRGB);
  stbir_set_pixel_callbacks(&r, input, output);
  stbir_set_user_data(&r, &resizing);
  stbir_set_filter_callbacks(&r, lanczos3, support, lanczos3, support);
  if (!stbir_resize_extended(&r)) fail(ENCODER, "the picture could not be resized");
  /* The filter may not need the very last rows, but the decoder must still see them. */
  for (; resizing.next < (int)picture.height; resizing.next++) source->read(source, row);
  free(row);
}
