#include "image.h"

#include <stdlib.h>
#include <string.h>

static void gather(struct sink *self, const uint8_t *row, uint32_t y) {
  struct strips *s = (struct strips *)self;
  size_t stride = (size_t)order.width * picture.channels;
  memcpy(s->rows + stride * s->count++, row, stride);
  if (s->count < STRIP && y + 1 < order.height) return;
  s->flush(s, y + 1 - s->count, s->count);
  s->count = 0;
  if (y + 1 == order.height) free(s->rows);
}

void strips_open(struct strips *s, void (*flush)(struct strips *, uint32_t, uint32_t)) {
  uint8_t *rows = malloc((size_t)order.width * picture.channels * STRIP);
  s->sink = (struct sink){gather};
  s->flush = flush;
  s->rows = rows;
  s->count = 0;
}

void put_plane(uint8_t *plane, struct placement to, const uint8_t *part, size_t part_stride,
               uint32_t width, uint32_t y, uint32_t rows) {
  for (; rows--; y++, part += part_stride) {
    uint8_t *at = plane + to.origin + to.step_y * (ptrdiff_t)y;
    if (to.step_x == 1) {
      memcpy(at, part, width);
    } else {
      for (uint32_t x = 0; x < width; x++, at += to.step_x) *at = part[x];
    }
  }
}
