#include "image.h"

#include <stdlib.h>
#include <string.h>

#define WUFFS_IMPLEMENTATION
#define WUFFS_CONFIG__STATIC_FUNCTIONS
#define WUFFS_CONFIG__MODULES
#define WUFFS_CONFIG__MODULE__BASE
#define WUFFS_CONFIG__MODULE__GIF
#include "wuffs-v0.4.c"

struct gif_source {
  struct source source;
  uint8_t *pixels, *next;
};

static void check(wuffs_base__status status) {
  if (wuffs_base__status__is_ok(&status)) return;
  fail(DAMAGED, status.repr == wuffs_base__suspension__short_read
                    ? "is cut off"
                    : wuffs_base__status__message(&status));
}

static wuffs_base__io_buffer whole_file(void) {
  return wuffs_base__ptr_u8__reader(picture.file.data, picture.file.size, true);
}

static wuffs_gif__decoder *open_decoder(wuffs_base__io_buffer *file, wuffs_base__image_config *config) {
  wuffs_gif__decoder *decoder = malloc(sizeof *decoder);
  check(wuffs_gif__decoder__initialize(decoder, sizeof *decoder, WUFFS_VERSION, 0));
  check(wuffs_gif__decoder__decode_image_config(decoder, config, file));
  return decoder;
}

void header_gif(void) {
  wuffs_base__image_config config;
  wuffs_base__io_buffer file = whole_file();
  free(open_decoder(&file, &config));
  picture.width = wuffs_base__pixel_config__width(&config.pixcfg);
  picture.height = wuffs_base__pixel_config__height(&config.pixcfg);
  picture.channels = 4;
  picture.buffered = picture.width * picture.height * 4;
}

static void read_row(struct source *self, uint8_t *row) {
  struct gif_source *s = (struct gif_source *)self;
  memcpy(row, s->next, 4 * (size_t)picture.width);
  s->next += 4 * (size_t)picture.width;
}

static void close_gif(struct source *self) {
  struct gif_source *s = (struct gif_source *)self;
  free(s->pixels);
  free(s);
}

struct source *open_gif(void) {
  wuffs_base__image_config config;
  wuffs_base__io_buffer file = whole_file();
  wuffs_gif__decoder *decoder = open_decoder(&file, &config);
  wuffs_base__pixel_config__set(&config.pixcfg, WUFFS_BASE__PIXEL_FORMAT__RGBA_NONPREMUL,
                                WUFFS_BASE__PIXEL_SUBSAMPLING__NONE, picture.width, picture.height);
  size_t size = 4 * (size_t)picture.width * picture.height;
  uint8_t *pixels = malloc(size);
  memset(pixels, 0, size);
  wuffs_base__pixel_buffer target;
  check(wuffs_base__pixel_buffer__set_from_slice(&target, &config.pixcfg,
                                                 wuffs_base__make_slice_u8(pixels, size)));
  size_t work = wuffs_gif__decoder__workbuf_len(decoder).max_incl;
  uint8_t *workbuf = malloc(work + 1);
  check(wuffs_gif__decoder__decode_frame(decoder, &target, &file, WUFFS_BASE__PIXEL_BLEND__SRC,
                                         wuffs_base__make_slice_u8(workbuf, work), NULL));
  wuffs_base__frame_config another;
  wuffs_base__status next = wuffs_gif__decoder__decode_frame_config(decoder, &another, &file);
  if (wuffs_base__status__is_ok(&next)) fail(UNSUPPORTED, "is animated; send a single picture");
  if (next.repr != wuffs_base__note__end_of_data) check(next);
  if (file.meta.ri < picture.file.size) fail(DAMAGED, "has foreign data after its end");
  free(workbuf);
  free(decoder);
  struct gif_source *s = malloc(sizeof *s);
  *s = (struct gif_source){{read_row, close_gif}, pixels, pixels};
  return &s->source;
}
