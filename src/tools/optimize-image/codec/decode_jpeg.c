#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "jpeg_error.h"

/* Progressive files name their scans; a few bytes of each can keep a decoder busy for minutes. */
#define MOST_SCANS 100

struct jpeg_source {
  struct source source;
  struct jpeg_decompress_struct c;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  uint8_t *cmyk;
};

/* A decoder goes on in grey after damage that it only warns of; a picture half grey is no answer. */
static void on_warning(j_common_ptr c, int level) {
  if (level >= 0) return;
  int code = c->err->msg_code;
  if (code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR) {
    jpeg_failed(c, DAMAGED);
  }
}

static void on_progress(j_common_ptr c) {
  if (((j_decompress_ptr)c)->input_scan_number > MOST_SCANS) {
    fail(UNSUPPORTED, "has more than 100 scans");
  }
}

static void on_error(j_common_ptr c) {
  switch (c->err->msg_code) {
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_ARITH_NOTIMPL: jpeg_failed(c, UNSUPPORTED);
    default: jpeg_failed(c, DAMAGED);
  }
}

static void read_header(struct jpeg_source *s, bool metadata) {
  s->c.err = jpeg_std_error(&s->errors);
  s->errors.error_exit = on_error;
  s->errors.emit_message = on_warning;
  s->progress.progress_monitor = on_progress;
  jpeg_create_decompress(&s->c);
  s->c.progress = &s->progress;
  jpeg_mem_src(&s->c, picture.file.data, picture.file.size);
  if (metadata) {
    jpeg_save_markers(&s->c, JPEG_COM, 0xffff);
    for (int app = 1; app < 16; app++) {
      /* Adobe's own says how colours are stored. */
      if (app != 14) jpeg_save_markers(&s->c, JPEG_APP0 + app, 0xffff);
    }
  }
  jpeg_read_header(&s->c, TRUE);
}

static struct bytes copy(const uint8_t *data, size_t size) {
  uint8_t *memory = malloc(size);
  memcpy(memory, data, size);
  return (struct bytes){memory, size};
}

static void keep_if(struct bytes *block, jpeg_saved_marker_ptr m, const char *name, size_t length) {
  if (!block->size && m->data_length > length && !memcmp(m->data, name, length)) {
    *block = copy(m->data + length, m->data_length - length);
  }
}

void header_jpeg(void) {
  struct jpeg_source s = {0};
  read_header(&s, true);
  picture.width = s.c.image_width;
  picture.height = s.c.image_height;
  picture.grey = s.c.jpeg_color_space == JCS_GRAYSCALE;
  picture.cmyk = s.c.num_components == 4;
  picture.deep = s.c.data_precision > 8;
  if (jpeg_has_multiple_scans(&s.c)) {
    for (int i = 0; i < s.c.num_components; i++) {
      jpeg_component_info *c = s.c.comp_info + i;
      picture.buffered += (uint64_t)picture.width * picture.height * sizeof(JCOEF) *
                          c->h_samp_factor * c->v_samp_factor /
                          (s.c.max_h_samp_factor * s.c.max_v_samp_factor);
    }
  }
  for (jpeg_saved_marker_ptr m = s.c.marker_list; m; m = m->next) {
    picture.told += m->original_length;
    if (m->marker != JPEG_APP0 + 1) continue;
    keep_if(&picture.exif, m, "Exif\0", 6);
    keep_if(&picture.xmp, m, "http://ns.adobe.com/xap/1.0/", 29);
  }
  JOCTET *icc;
  unsigned int size;
  if (jpeg_read_icc_profile(&s.c, &icc, &size)) picture.icc = (struct bytes){icc, size};
  jpeg_destroy_decompress(&s.c);
}

static void read_row(struct source *self, uint8_t *row) {
  struct jpeg_source *s = (struct jpeg_source *)self;
  uint8_t *target = s->cmyk ? s->cmyk : row;
  jpeg_read_scanlines(&s->c, &target, 1);
  if (s->cmyk) {
    /* Without Adobe's mark 0 is no ink. */
    if (!s->c.saw_Adobe_marker) {
      for (uint32_t i = 0; i < 4 * picture.width; i++) s->cmyk[i] = ~s->cmyk[i];
    }
    colour_cmyk(s->cmyk, row, picture.width);
  } else {
    colour_rgb(row, picture.width);
  }
}

/*
 * What follows the end of the picture. Cameras and phones append zeros, further JPEGs (CIPA DC-007
 * multi-picture format, gain maps; old cameras previews without a head, so that only the end tells),
 * a motion photo's MP4, or Samsung's own block. Anything else was put there by someone else.
 */
static bool from_a_camera(const uint8_t *data, size_t size) {
  if (size > 8 && !memcmp(data + 4, "ftyp", 4)) return true;
  while (size && !*data) data++, size--;
  if (size < 4) return size == 0;
  const uint8_t *end = data + size;
  return !memcmp(data, "\xff\xd8\xff", 3) || !memcmp(end - 2, "\xff\xd9", 2) ||
         !memcmp(end - 4, "SEFT", 4);
}

static void close_jpeg(struct source *self) {
  struct jpeg_source *s = (struct jpeg_source *)self;
  jpeg_finish_decompress(&s->c);
  size_t rest = s->c.src->bytes_in_buffer;
  if (!from_a_camera(s->c.src->next_input_byte, rest)) fail(DAMAGED, "has foreign data after its end");
  picture.told += rest;
  jpeg_destroy_decompress(&s->c);
  free(s->cmyk);
  free(s);
}

struct source *open_jpeg(void) {
  struct jpeg_source *s = malloc(sizeof *s);
  memset(s, 0, sizeof *s);
  s->source = (struct source){read_row, close_jpeg};
  read_header(s, false);
  s->c.out_color_space = picture.cmyk ? JCS_CMYK : JCS_RGB;
  if (picture.cmyk) s->cmyk = malloc(4 * (size_t)picture.width);
  jpeg_start_decompress(&s->c);
  return &s->source;
}
