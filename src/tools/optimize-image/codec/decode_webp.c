#include "image.h"

#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

/* libwebp has no rows to give before the picture is whole. */
struct webp_source {
  struct source source;
  uint8_t *pixels, *next;
};

static struct bytes chunk(const WebPDemuxer *demuxer, const char *name) {
  WebPChunkIterator found;
  if (!WebPDemuxGetChunk(demuxer, name, 1, &found)) return (struct bytes){0};
  return (struct bytes){(uint8_t *)found.chunk.bytes, found.chunk.size};
}

void header_webp(void) {
  uint8_t *d = picture.file.data;
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(d, picture.file.size, &features) != VP8_STATUS_OK) {
    fail(DAMAGED, "is not a WebP picture");
  }
  if (features.has_animation) fail(UNSUPPORTED, "is animated; send a single picture");
  size_t riff = 8 + ((size_t)d[4] | d[5] << 8 | d[6] << 16 | (size_t)d[7] << 24);
  if (picture.file.size < riff) fail(DAMAGED, "is cut off");
  if (picture.file.size > riff + (riff & 1)) fail(DAMAGED, "has foreign data after its end");
  picture.width = (uint32_t)features.width;
  picture.height = (uint32_t)features.height;
  picture.channels = features.has_alpha ? 4 : 3;
  picture.buffered = picture.width * picture.height * (picture.channels + (features.format == 2 ? 4 : 0));
  WebPData data = {d, picture.file.size};
  WebPDemuxer *demuxer = WebPDemux(&data);
  if (!demuxer) fail(DAMAGED, "is not a WebP picture");
  picture.exif = chunk(demuxer, "EXIF");
  /* Some writers put the marker of a JPEG's segment before the TIFF block. */
  if (picture.exif.size > 6 && !memcmp(picture.exif.data, "Exif\0", 6)) {
    picture.exif.data += 6;
    picture.exif.size -= 6;
  }
  picture.xmp = chunk(demuxer, "XMP ");
  picture.icc = chunk(demuxer, "ICCP");
}

static void read_row(struct source *self, uint8_t *row) {
  struct webp_source *s = (struct webp_source *)self;
  size_t stride = (size_t)picture.width * picture.channels;
  memcpy(row, s->next, stride);
  s->next += stride;
  colour_rgb(row, picture.width);
}

static void close_webp(struct source *self) {
  struct webp_source *s = (struct webp_source *)self;
  free(s->pixels);
  free(s);
}

struct source *open_webp(void) {
  size_t stride = (size_t)picture.width * picture.channels, size = stride * picture.height;
  uint8_t *pixels = malloc(size);
  uint8_t *done = (picture.channels == 4 ? WebPDecodeRGBAInto : WebPDecodeRGBInto)(
      picture.file.data, picture.file.size, pixels, size, (int)stride);
  if (!done) fail(DAMAGED, "is damaged or cut off");
  struct webp_source *s = malloc(sizeof *s);
  *s = (struct webp_source){{read_row, close_webp}, pixels, pixels};
  return &s->source;
}
