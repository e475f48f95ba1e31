/* What the outside calls, in this order: alloc, inspect, prepare, then hold and the encoders. */
#include "image.h"

#include <stdlib.h>
#include <string.h>

struct picture picture;
struct order order;
uint8_t *frame;
bool transparent;
static bool rendered;

/* There is no environment, and libjpeg asks it for a memory limit. */
char *getenv(const char *name) {
  (void)name;
  return NULL;
}

/* The linker sends every call of the three here (build.sh, --wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);

static size_t limit = SIZE_MAX;

static void *there(void *memory, size_t size) {
  bool over = __builtin_wasm_memory_size(0) * 65536ul > limit;
  if ((!memory && size) || over) fail(OUT_OF_MEMORY, "out of memory");
  return memory;
}

/* In bytes, of the whole memory. */
void EXPORT(limit_memory)(size_t bytes) { limit = bytes; }

void *__wrap_malloc(size_t size) { return there(__real_malloc(size), size); }
void *__wrap_calloc(size_t count, size_t size) {
  return there(__real_calloc(count, size), count && size);
}
void *__wrap_realloc(void *memory, size_t size) {
  return there(__real_realloc(memory, size), size);
}

void *EXPORT(alloc)(size_t size) { return malloc(size); }
void EXPORT(release)(void *memory) { free(memory); }

static bool starts(const char *magic, size_t at) {
  size_t length = strlen(magic);
  return picture.file.size >= at + length && !memcmp(picture.file.data + at, magic, length);
}

/* Reads the header only; the file's bytes stay in use until the last encoder is done. */
struct picture *EXPORT(inspect)(uint8_t *data, size_t size) {
  picture.file = (struct bytes){data, size};
  picture.channels = 3;
  if (starts("\xff\xd8\xff", 0)) {
    picture.format = JPEG;
    header_jpeg();
  } else if (starts("\x89PNG\r\n\x1a\n", 0)) {
    picture.format = PNG;
    header_png();
  } else if (starts("RIFF", 0) && starts("WEBP", 8)) {
    picture.format = WEBP;
    header_webp();
  } else if (starts("GIF87a", 0) || starts("GIF89a", 0)) {
    picture.format = GIF;
    header_gif();
  }
  picture.orientation = exif_orientation();
  transparent = picture.channels == 4;
  picture.told += picture.exif.size + picture.xmp.size + picture.icc.size;
  return &picture;
}

/* The size before orientation, and whether EXIF, XMP and profile go with the picture. */
void EXPORT(prepare)(uint32_t width, uint32_t height, bool keep_metadata) {
  order = (struct order){width, height, keep_metadata};
  /* Tells whether the profile stays, which a writer wants to know before the first row. */
  colour_start(keep_metadata);
  colour_end();
  fit_metadata();
}

uint32_t output_width(void) { return picture.orientation > 4 ? order.height : order.width; }
uint32_t output_height(void) { return picture.orientation > 4 ? order.width : order.height; }

struct placement place(uint32_t width, uint32_t height, uint32_t upright_stride) {
  ptrdiff_t right = width - 1, bottom = height - 1, row = upright_stride;
  switch (picture.orientation) {
    case 2: return (struct placement){right, -1, row};
    case 3: return (struct placement){bottom * row + right, -1, -row};
    case 4: return (struct placement){bottom * row, 1, -row};
    case 5: return (struct placement){0, row, 1};
    case 6: return (struct placement){bottom, row, -1};
    case 7: return (struct placement){right * row + bottom, -row, -1};
    case 8: return (struct placement){right * row, -row, 1};
    default: return (struct placement){0, 1, row};
  }
}

static struct source *open_source(void) {
  switch (picture.format) {
    case JPEG: return open_jpeg();
    case PNG: return open_png();
    case WEBP: return open_webp();
    default: return open_gif();
  }
}

/* Between the pipeline and a sink: notes whether the alpha channel is in use. */
struct watching {
  struct sink sink;
  struct sink *next;
  bool found;
};

static void watch(struct sink *self, const uint8_t *row, uint32_t y) {
  struct watching *watching = (struct watching *)self;
  for (uint32_t x = 0; !watching->found && x < order.width; x++) {
    watching->found = row[4 * x + 3] != 255;
  }
  watching->next->put(watching->next, row, y);
}

static void render_file(struct sink *sink) {
  struct watching watching = {{watch}, sink, false};
  struct sink *first = rendered || picture.channels == 3 ? sink : &watching.sink;
  colour_start(order.keep_metadata);
  struct source *source = open_source();
  if (order.width != picture.width || order.height != picture.height) {
    resize(source, first, order.width, order.height);
  } else {
    uint8_t *row = malloc((size_t)order.width * picture.channels);
    for (uint32_t y = 0; y < order.height; y++) {
      source->read(source, row);
      first->put(first, row, y);
    }
    free(row);
  }
  source->close(source);
  colour_end();
  if (!rendered) transparent = watching.found;
  rendered = true;
}

void render(struct sink *sink) {
  if (!frame) {
    render_file(sink);
    return;
  }
  size_t stride = (size_t)order.width * picture.channels;
  for (uint32_t y = 0; y < order.height; y++) sink->put(sink, frame + stride * y, y);
}

struct holding {
  struct sink sink;
  uint8_t *pixels;
  struct placement to;
};

static void hold_row(struct sink *self, const uint8_t *row, uint32_t y) {
  struct holding *h = (struct holding *)self;
  uint32_t channels = picture.channels;
  uint8_t *at = h->pixels + (h->to.origin + h->to.step_y * (ptrdiff_t)y) * channels;
  if (h->to.step_x == 1) {
    memcpy(at, row, (size_t)order.width * channels);
    return;
  }
  for (uint32_t x = 0; x < order.width; x++, at += h->to.step_x * (ptrdiff_t)channels) {
    for (uint32_t c = 0; c < channels; c++) at[c] = *row++;
  }
}

/* Decodes once for all encoders; without it each of them decodes again. */
void EXPORT(hold)(void) {
  uint8_t *pixels = malloc((size_t)order.width * order.height * picture.channels);
  struct holding holding = {
      {hold_row}, pixels, place(order.width, order.height, output_width())};
  render_file(&holding.sink);
  frame = pixels;
  /* From here on the picture is what the frame holds. */
  order = (struct order){output_width(), output_height(), order.keep_metadata};
  picture.orientation = 1;
}

/* murmur3's finaliser: every bit of a key changes the low bits, which choose the slot. */
static uint32_t mixed(uint32_t key) {
  key = (key ^ key >> 16) * 0x85ebca6bu;
  key = (key ^ key >> 13) * 0xc2b2ae35u;
  return key ^ key >> 16;
}

/*
 * In a table at most a quarter full, chance makes chains of about twenty slots. Colours chosen to
 * share a slot make a chain of thousands, which every further pixel would have to follow.
 */
#define LONGEST_CHAIN 64

/*
 * How many colours the held frame shows; stops at `most`. Photos reach thousands in a few rows.
 * Colours chosen to collide count as `most`.
 */
uint32_t EXPORT(colours)(uint32_t most) {
  uint32_t slots = 1, count = 0;
  while (slots < 4 * most) slots *= 2;
  /* Open addressing; the fifth byte of a key marks a slot as taken. */
  uint64_t *seen = calloc(slots, sizeof *seen);
  const uint8_t *pixel = frame, *end = frame + (size_t)order.width * order.height * picture.channels;
  for (; pixel < end && count < most; pixel += picture.channels) {
    uint64_t key = 1ull << 32 | pixel[0] | pixel[1] << 8 | pixel[2] << 16;
    if (picture.channels == 4) key |= (uint32_t)pixel[3] << 24;
    uint32_t slot = mixed((uint32_t)key) & (slots - 1), chain = 0;
    while (seen[slot] && seen[slot] != key && chain < LONGEST_CHAIN) {
      slot = (slot + 1) & (slots - 1);
      chain++;
    }
    if (chain == LONGEST_CHAIN) {
      count = most;
    } else if (!seen[slot]) {
      seen[slot] = key;
      count++;
    }
  }
  free(seen);
  return count;
}

/* Both are known after the first rendering; until then there may be some. */
bool EXPORT(is_transparent)(void) { return transparent; }
bool EXPORT(has_metadata)(void) { return !rendered || picture.told; }
