/* EXIF, which is a TIFF file of its own (EXIF 2.32, 4.5 and 4.6), and XMP, an XML text. */
#include "image.h"

#include <stdlib.h>
#include <string.h>

enum tag { ORIENTATION = 0x0112, THUMBNAIL = 0x0201, EXIF_IFD = 0x8769, WIDTH = 0xa002, HEIGHT = 0xa003 };
enum type { SHORT = 3, LONG = 4 };

static uint32_t read_number(size_t at, int bytes) {
  const uint8_t *d = picture.exif.data;
  bool little = d[0] == 'I';
  uint32_t value = 0;
  if (at > picture.exif.size || picture.exif.size - at < (size_t)bytes) return 0;
  for (int i = 0; i < bytes; i++) value = value << 8 | d[at + (little ? bytes - 1 - i : i)];
  return value;
}

/* Where the entry of a tag begins in the directory at `ifd`, or 0; its value lies 8 bytes on. */
static size_t find(size_t ifd, enum tag tag) {
  uint32_t entries = ifd ? read_number(ifd, 2) : 0;
  for (size_t at = ifd + 2; entries-- && at + 12 <= picture.exif.size; at += 12) {
    if (read_number(at, 2) == tag) return at;
  }
  return 0;
}

static uint32_t value_of(size_t entry) {
  return read_number(entry + 8, read_number(entry + 2, 2) == SHORT ? 2 : 4);
}

static void set(size_t entry, uint32_t value) {
  uint32_t type = entry ? read_number(entry + 2, 2) : 0;
  if (type != SHORT && type != LONG) return;
  int bytes = type == SHORT ? 2 : 4;
  bool little = picture.exif.data[0] == 'I';
  for (int i = 0; i < bytes; i++) {
    picture.exif.data[entry + 8 + (little ? i : bytes - 1 - i)] = (uint8_t)(value >> 8 * i);
  }
}

uint32_t exif_orientation(void) {
  if (picture.exif.size < 14) return 1;
  size_t entry = find(read_number(4, 4), ORIENTATION);
  uint32_t value = entry ? value_of(entry) : 1;
  return value >= 1 && value <= 8 ? value : 1;
}

/* The thumbnail shows the old picture, on its side if that was, and is most of many an EXIF block. */
static void drop_thumbnail(size_t ifd0) {
  size_t link = ifd0 + 2 + 12 * (size_t)read_number(ifd0, 2);
  size_t ifd1 = read_number(link, 4), entry = find(ifd1, THUMBNAIL);
  if (!entry) return;
  memset(picture.exif.data + link, 0, 4);
  /* Last in the block, as cameras write it, it can go; elsewhere others are found by offsets. */
  size_t at = value_of(entry), size = read_number(find(ifd1, THUMBNAIL + 1) + 8, 4);
  if (at > ifd1 && at < picture.exif.size && picture.exif.size - at <= size + 3) picture.exif.size = at;
}

/* Writers leave kilobytes of blanks before the end, to edit in place (XMP 1, 7.3.2). */
static void trim_xmp(void) {
  static const char end[] = "<?xpacket end";
  uint8_t *data = picture.xmp.data;
  size_t length = sizeof end - 1, at = picture.xmp.size;
  while (at > 0 && (picture.xmp.size - at < length || memcmp(data + at, end, length))) at--;
  if (at == 0) return;
  size_t from = at;
  while (from > 0 && strchr(" \t\r\n", data[from - 1])) from--;
  if (from == at) return;
  memmove(data + from + 1, data + at, picture.xmp.size - at);
  data[from] = '\n';
  picture.xmp.size -= at - from - 1;
}

/* A copy to write into: the file's own bytes are still to be decoded. */
static void own(struct bytes *block) {
  uint8_t *copy = malloc(block->size);
  memcpy(copy, block->data, block->size);
  block->data = copy;
}

void fit_metadata(void) {
  own(&picture.exif);
  own(&picture.xmp);
  if (picture.exif.size >= 14) {
    size_t ifd0 = read_number(4, 4), exif = find(ifd0, EXIF_IFD);
    drop_thumbnail(ifd0);
    set(find(ifd0, ORIENTATION), 1);
    exif = exif ? value_of(exif) : 0;
    set(find(exif, WIDTH), output_width());
    set(find(exif, HEIGHT), output_height());
  }
  trim_xmp();
}
