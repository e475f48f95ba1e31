#include "image.h"

#include <stdlib.h>
#include <string.h>

#include <libimagequant.h>

#include "png_error.h"

struct png_sink {
  struct sink sink;
  png_structp png;
  png_infop info;
  uint8_t *row; /* of grey samples, when only those are written */
};

static struct bytes result;
static size_t capacity;

static void append(png_structp png, png_bytep data, size_t size) {
  (void)png;
  if (result.size + size > capacity) {
    capacity = (result.size + size) * 3 / 2;
    result.data = realloc(result.data, capacity);
  }
  memcpy(result.data + result.size, data, size);
  result.size += size;
}

static void flush(png_structp png) { (void)png; }

static void start(struct png_sink *s, int depth, int type, int level) {
  result = (struct bytes){0};
  capacity = 0;
  s->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, png_failed_writing, png_warned);
  s->info = png_create_info_struct(s->png);
  png_set_write_fn(s->png, NULL, append, flush);
  png_set_compression_level(s->png, level);
  png_set_IHDR(s->png, s->info, output_width(), output_height(), depth, type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!order.keep_metadata) return;
  struct bytes exif = picture.exif;
  if (exif.size) png_set_eXIf_1(s->png, s->info, (png_uint_32)exif.size, exif.data);
  if (colour_keeps_profile()) {
    png_set_iCCP(s->png, s->info, "icc", PNG_COMPRESSION_TYPE_BASE, picture.icc.data,
                 (png_uint_32)picture.icc.size);
  }
  if (picture.xmp.size) {
    char *text = malloc(picture.xmp.size + 1);
    memcpy(text, picture.xmp.data, picture.xmp.size);
    text[picture.xmp.size] = 0;
    png_text xmp = {.compression = PNG_ITXT_COMPRESSION_NONE,
                    .key = "XML:com.adobe.xmp",
                    .text = text,
                    .lang = "",
                    .lang_key = ""};
    png_set_text(s->png, s->info, &xmp, 1);
    free(text);
  }
}

static struct bytes *finish(struct png_sink *s) {
  png_write_end(s->png, s->info);
  png_destroy_write_struct(&s->png, &s->info);
  return &result;
}

static void write_row(struct sink *self, const uint8_t *row, uint32_t y) {
  (void)y;
  struct png_sink *s = (struct png_sink *)self;
  if (s->row) {
    for (uint32_t x = 0; x < order.width; x++) s->row[x] = row[x * picture.channels];
    row = s->row;
  }
  png_write_row(s->png, row);
}

/* Every pixel as it is. Without a held frame the picture must be upright. */
struct bytes *EXPORT(encode_png)(int level) {
  struct png_sink s = {.sink = {write_row}};
  int type = transparent    ? PNG_COLOR_TYPE_RGBA
             : picture.grey ? PNG_COLOR_TYPE_GRAY
                            : PNG_COLOR_TYPE_RGB;
  start(&s, 8, type, level);
  png_write_info(s.png, s.info);
  if (picture.channels == 4 && type == PNG_COLOR_TYPE_RGB) {
    png_set_filler(s.png, 0, PNG_FILLER_AFTER);
  }
  if (type == PNG_COLOR_TYPE_GRAY) s.row = malloc(order.width);
  render(&s.sink);
  free(s.row);
  return finish(&s);
}

static void rgba_row(liq_color out[], int y, int width, void *context) {
  (void)context;
  const uint8_t *row = frame + (size_t)y * width * picture.channels;
  if (picture.channels == 4) {
    memcpy(out, row, 4 * (size_t)width);
    return;
  }
  for (int x = 0; x < width; x++, row += 3) out[x] = (liq_color){row[0], row[1], row[2], 255};
}

static uint8_t *indexed;
static liq_palette palette;

/*
 * Reduces the held frame to at most 256 colours of the given quality, 0 to 100; false when that
 * cannot be done at `least`.
 */
bool EXPORT(quantise)(int least, int most) {
  free(indexed);
  indexed = NULL;
  liq_attr *attr = liq_attr_create();
  liq_set_quality(attr, least, most);
  int width = (int)order.width, height = (int)order.height;
  liq_image *image = liq_image_create_custom(attr, rgba_row, NULL, width, height, 0);
  /* Answers LIQ_OK and no result when the quality cannot be had. */
  liq_result *colours = NULL;
  liq_error error = liq_image_quantize(image, attr, &colours);
  if (!colours) error = LIQ_QUALITY_TOO_LOW;
  if (error == LIQ_OK) {
    liq_set_dithering_level(colours, 1);
    size_t size = (size_t)width * height;
    indexed = malloc(size);
    error = liq_write_remapped_image(colours, image, indexed, size);
    palette = *liq_get_palette(colours);
    liq_result_destroy(colours);
  }
  liq_image_destroy(image);
  liq_attr_destroy(attr);
  return error == LIQ_OK;
}

/* The palette's colours in the frame's place. */
void EXPORT(apply_palette)(void) {
  uint8_t *to = frame;
  for (size_t i = 0, size = (size_t)order.width * order.height; i < size; i++) {
    memcpy(to, &palette.entries[indexed[i]], picture.channels);
    to += picture.channels;
  }
}

/* What `quantise` made, as a PNG. */
struct bytes *EXPORT(encode_palette)(int level) {
  png_color colours[256];
  png_byte alpha[256];
  int count = (int)palette.count, clear = 0;
  for (int i = 0; i < count; i++) {
    liq_color c = palette.entries[i];
    colours[i] = (png_color){c.r, c.g, c.b};
    alpha[i] = c.a;
    if (c.a < 255) clear = i + 1;
  }
  int depth = count > 16 ? 8 : count > 4 ? 4 : count > 2 ? 2 : 1;
  struct png_sink s = {0};
  start(&s, depth, PNG_COLOR_TYPE_PALETTE, level);
  png_set_PLTE(s.png, s.info, colours, count);
  if (clear) png_set_tRNS(s.png, s.info, alpha, clear, NULL);
  png_set_filter(s.png, 0, PNG_FILTER_NONE);
  png_write_info(s.png, s.info);
  png_set_packing(s.png);
  for (uint32_t y = 0; y < order.height; y++) {
    png_write_row(s.png, indexed + (size_t)order.width * y);
  }
  return finish(&s);
}
