/*
 * One picture, from the bytes of a file to the bytes of another, within a fixed amount of memory.
 *
 * Rows flow: a source decodes them one by one, colour and resize change them, a sink keeps them in
 * the form that an encoder wants. No stage holds more of the picture than it must, which is what
 * lets 12 megapixels through a 128 MB isolate.
 *
 * An instance serves one picture and is then thrown away, so the picture is global, and nothing
 * needs to be freed for the sake of a next one; only what would stand in an encoder's way is.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum failure { DAMAGED = 1, UNSUPPORTED = 2, OUT_OF_MEMORY = 3, ENCODER = 4 };

/* A function that the outside may call. */
#define EXPORT(name) __attribute__((export_name(#name))) name

/* Imported; throws on the other side, so nothing after it runs and no library needs setjmp. */
__attribute__((import_module("env"), import_name("fail"))) _Noreturn void
fail(enum failure failure, const char *message);

/*
 * malloc, calloc and realloc never answer NULL, here as in every library: running out of memory
 * calls `fail`. libwebp was seen to write an empty picture when its own checks were left to it.
 */

struct bytes {
  uint8_t *data;
  size_t size;
};

enum format { PNG = 1, JPEG, WEBP, GIF };

/* What a file's header says. The first part is read from outside as 32-bit numbers, in this order. */
struct picture {
  uint32_t format;
  uint32_t width, height; /* as stored, before orientation */
  uint32_t orientation;   /* EXIF, 1 to 8 */
  uint32_t channels;      /* 3 or 4 per pixel of the rows a source gives: RGB or RGBA */
  uint32_t grey;          /* R = G = B throughout */
  uint32_t cmyk;          /* stored as CMYK; the rows are RGB all the same */
  uint32_t deep;          /* 16 bits a sample */
  uint32_t buffered;      /* bytes that decoding keeps until the last row */
  struct bytes file, exif, xmp, icc;
  size_t told; /* bytes of all that only tells about the picture, what follows its end included */
};

extern struct picture picture;

struct source {
  void (*read)(struct source *, uint8_t *row);
  /* Ends decoding; fails when the file goes on after its picture or was cut off. */
  void (*close)(struct source *);
};

/* `header_*` fills in `picture`; `open_*` starts decoding. */
void header_jpeg(void);
void header_png(void);
void header_webp(void);
void header_gif(void);
struct source *open_jpeg(void);
struct source *open_png(void);
struct source *open_webp(void);
struct source *open_gif(void);

/* colour.c: to sRGB, unless the profile goes with the picture. */
void colour_start(bool keep_profile);
bool colour_keeps_profile(void);
void colour_rgb(uint8_t *row, uint32_t width);
void colour_cmyk(const uint8_t *cmyk, uint8_t *rgb, uint32_t width);
void colour_end(void);

/* Where finished rows go, in order; `row` may be used up until `put` returns. */
struct sink {
  void (*put)(struct sink *, const uint8_t *row, uint32_t y);
};

/* resize.c: sends `height` rows of `width` pixels to the sink, read from the source. */
void resize(struct source *, struct sink *, uint32_t width, uint32_t height);

/* What is asked of the picture, set before any row flows. Sizes are those before orientation. */
struct order {
  uint32_t width, height;
  bool keep_metadata;
};
extern struct order order;

/* After orientation. */
uint32_t output_width(void);
uint32_t output_height(void);

/* Where the pixel (x, y) of an unrotated w × h plane goes, as an offset in the upright one. */
struct placement {
  ptrdiff_t origin, step_x, step_y;
};
struct placement place(uint32_t w, uint32_t h, uint32_t upright_stride);

/* codec.c: every row of the picture into the sink, from the held frame or from the file. */
void render(struct sink *);
/* The whole picture as rows of RGB or RGBA, upright, once `hold` was called. */
extern uint8_t *frame;
/* Whether some pixel is not opaque; until the first rendering is over, any may be. */
extern bool transparent;

/* planes.c: a sink that gathers rows by an even number, for what halves the height of colours. */
struct strips {
  struct sink sink;
  void (*flush)(struct strips *, uint32_t y, uint32_t rows);
  uint8_t *rows;
  uint32_t count;
};
#define STRIP 16
void strips_open(struct strips *, void (*flush)(struct strips *, uint32_t y, uint32_t rows));
/* Copies part of a plane to where it belongs upright. */
void put_plane(uint8_t *plane, struct placement to, const uint8_t *part, size_t part_stride,
               uint32_t width, uint32_t y, uint32_t rows);

/* metadata.c */
uint32_t exif_orientation(void);
/* EXIF and XMP as they go with the new picture; once, before the first is written. */
void fit_metadata(void);
