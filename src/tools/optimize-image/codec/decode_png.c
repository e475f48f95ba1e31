#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "png_error.h"

struct png_source {
  struct source source;
  png_structp png;
  png_infop info;
  size_t at;
  uint8_t *interlaced; /* all rows, when the file is */
  uint32_t y;
};

/*
 * Past its last row libpng inflates what is left in IDAT only to throw it away, and 10 MB of file
 * become 10 GB. An encoder leaves the end of its stream there; the count is of all decodings.
 */
#define MOST_BEYOND 65536

static void count_beyond(png_structp png, size_t size) {
  static size_t beyond;
  const png_uint_32 idat = 0x49444154;
  const int passes = 7;
  if (png_get_io_chunk_type(png) != idat) return;
  bool past_rows = png_get_current_row_number(png) == picture.height ||
                   png_get_current_pass_number(png) == passes;
  if (!past_rows) return;
  beyond += size;
  if (beyond > MOST_BEYOND) fail(DAMAGED, "Too much image data");
}

static void read_bytes(png_structp png, png_bytep target, size_t size) {
  struct png_source *s = png_get_io_ptr(png);
  count_beyond(png, size);
  if (size > picture.file.size - s->at) fail(DAMAGED, "is cut off");
  memcpy(target, picture.file.data + s->at, size);
  s->at += size;
}

static uint32_t u32(const uint8_t *d) {
  return (uint32_t)d[0] << 24 | d[1] << 16 | d[2] << 8 | d[3];
}

/* What a decoder learns too late: EXIF may follow the pixels, and animation is no part of PNG 1.2. */
static void look_ahead(void) {
  uint8_t *d = picture.file.data;
  size_t at = 8, size = picture.file.size;
  while (at + 12 <= size) {
    size_t length = u32(d + at);
    if (length > size - at - 12) return;
    const char *type = (const char *)d + at + 4;
    if (!memcmp(type, "acTL", 4) && length >= 4 && u32(d + at + 8) > 1) {
      fail(UNSUPPORTED, "is animated; send a single picture");
    }
    if (!memcmp(type, "eXIf", 4)) picture.exif = (struct bytes){d + at + 8, length};
    at += 12 + length;
    if (!memcmp(type, "IEND", 4)) {
      if (at < size) fail(DAMAGED, "has foreign data after its end");
      return;
    }
  }
}

static void read_header(struct png_source *s) {
  s->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, png_failed_reading, png_warned);
  s->info = png_create_info_struct(s->png);
  png_set_read_fn(s->png, s, read_bytes);
  png_set_user_limits(s->png, 0x7fffffff, 0x7fffffff);
  png_set_option(s->png, PNG_SKIP_sRGB_CHECK_PROFILE, PNG_OPTION_ON);
  png_read_info(s->png, s->info);
}

void header_png(void) {
  look_ahead();
  struct png_source s = {0};
  read_header(&s);
  int depth, type, interlace;
  png_get_IHDR(s.png, s.info, &picture.width, &picture.height, &depth, &type, &interlace, NULL, NULL);
  bool clear = png_get_valid(s.png, s.info, PNG_INFO_tRNS);
  picture.channels = (type & PNG_COLOR_MASK_ALPHA) || clear ? 4 : 3;
  picture.grey = !(type & PNG_COLOR_MASK_COLOR);
  picture.deep = depth == 16;
  if (interlace != PNG_INTERLACE_NONE) {
    picture.buffered = picture.width * picture.height * picture.channels;
  }
  png_charp name;
  int compression;
  png_bytep icc;
  png_uint_32 size;
  if (png_get_iCCP(s.png, s.info, &name, &compression, &icc, &size)) {
    picture.icc = (struct bytes){icc, size};
  }
  png_textp texts;
  int count = png_get_text(s.png, s.info, &texts, NULL);
  for (int i = 0; i < count; i++) {
    if (strcmp(texts[i].key, "XML:com.adobe.xmp")) continue;
    size_t length = texts[i].itxt_length ? texts[i].itxt_length : texts[i].text_length;
    picture.xmp = (struct bytes){(uint8_t *)texts[i].text, length};
  }
  /* The blocks above belong to libpng's structures, which stay. */
}

static void read_row(struct source *self, uint8_t *row) {
  struct png_source *s = (struct png_source *)self;
  if (s->interlaced) {
    size_t stride = (size_t)picture.width * picture.channels;
    memcpy(row, s->interlaced + stride * s->y++, stride);
  } else {
    png_read_row(s->png, row, NULL);
  }
  colour_rgb(row, picture.width);
}

static void close_png(struct source *self) {
  struct png_source *s = (struct png_source *)self;
  png_read_end(s->png, NULL);
  png_destroy_read_struct(&s->png, &s->info, NULL);
  free(s->interlaced);
  free(s);
}

struct source *open_png(void) {
  struct png_source *s = malloc(sizeof *s);
  memset(s, 0, sizeof *s);
  s->source = (struct source){read_row, close_png};
  read_header(s);
  png_set_expand(s->png);
  png_set_scale_16(s->png);
  png_set_gray_to_rgb(s->png);
  int passes = png_set_interlace_handling(s->png);
  png_read_update_info(s->png, s->info);
  if (passes > 1) {
    size_t stride = (size_t)picture.width * picture.channels;
    s->interlaced = malloc(stride * picture.height);
    while (passes--) {
      for (uint32_t y = 0; y < picture.height; y++) {
        png_read_row(s->png, s->interlaced + stride * y, NULL);
      }
    }
  }
  return &s->source;
}
