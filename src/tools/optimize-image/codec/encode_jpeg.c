#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "jpeg_error.h"

/*
 * The picture as the encoder takes it: luma, and chroma at half the size each way, padded to whole
 * blocks. It is 1.5 bytes a pixel, and by the time it is full the decoder's memory is free again.
 */
struct ycc {
  struct strips strips;
  uint32_t width, height; /* of luma, padded */
  uint8_t *planes[3];
  struct placement luma, chroma;
  uint8_t *parts[3]; /* one strip, before it is turned upright */
};

static const uint8_t *opaque(struct ycc *p, uint32_t rows) {
  size_t pixels = (size_t)rows * order.width;
  if (picture.channels == 3) return p->strips.rows;
  /* On white, and packed to three bytes a pixel in place. */
  uint8_t *rgb = p->strips.rows;
  for (const uint8_t *rgba = rgb; pixels--; rgba += 4, rgb += 3) {
    unsigned alpha = rgba[3], white = 255 * (255 - alpha) + 127;
    for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)((rgba[c] * alpha + white) / 255);
  }
  return p->strips.rows;
}

/* ITU-T T.871, 7, in 16-bit fixed point. */
#define FIX(x) ((int)((x) * 65536 + 0.5))

static void luma_row(const uint8_t *rgb, uint8_t *y, uint32_t width) {
  for (uint32_t x = 0; x < width; x++, rgb += 3) {
    y[x] = (uint8_t)((FIX(0.299) * rgb[0] + FIX(0.587) * rgb[1] + FIX(0.114) * rgb[2] + 32768) >> 16);
  }
}

static int cb_of(const uint8_t *rgb) {
  return (-FIX(0.168735892) * rgb[0] - FIX(0.331264108) * rgb[1] + FIX(0.5) * rgb[2] + (128 << 16) +
          32767) >> 16;
}

static int cr_of(const uint8_t *rgb) {
  return (FIX(0.5) * rgb[0] - FIX(0.418687589) * rgb[1] - FIX(0.081312411) * rgb[2] + (128 << 16) +
          32767) >> 16;
}

/* Rounded as libjpeg does, whose own conversion is passed by: up and down in turn. */
static void chroma_row(const uint8_t *a, const uint8_t *b, uint8_t *cb, uint8_t *cr, uint32_t width) {
  int bias = 1;
  for (uint32_t x = 0; x < width; x += 2, a += 6, b += 6, bias ^= 3) {
    int right = x + 1 < width ? 3 : 0;
    *cb++ = (uint8_t)((cb_of(a) + cb_of(a + right) + cb_of(b) + cb_of(b + right) + bias) >> 2);
    *cr++ = (uint8_t)((cr_of(a) + cr_of(a + right) + cr_of(b) + cr_of(b + right) + bias) >> 2);
  }
}

static void to_ycc(struct strips *self, uint32_t y, uint32_t rows) {
  struct ycc *p = (struct ycc *)self;
  uint32_t width = order.width, half = (width + 1) / 2;
  const uint8_t *rgb = opaque(p, rows);
  size_t stride = 3 * (size_t)width;
  for (uint32_t i = 0; i < rows; i++) luma_row(rgb + stride * i, p->parts[0] + width * i, width);
  put_plane(p->planes[0], p->luma, p->parts[0], width, width, y, rows);
  if (picture.grey) return;
  for (uint32_t i = 0; i < rows; i += 2) {
    const uint8_t *a = rgb + stride * i, *b = i + 1 < rows ? a + stride : a;
    chroma_row(a, b, p->parts[1] + half * (i / 2), p->parts[2] + half * (i / 2), width);
  }
  for (int c = 1; c < 3; c++) {
    put_plane(p->planes[c], p->chroma, p->parts[c], half, half, y / 2, (rows + 1) / 2);
  }
}

/* Repeats the last column and row into the padding, so that it costs next to nothing. */
static void pad(uint8_t *plane, uint32_t stride, uint32_t rows, uint32_t width, uint32_t height) {
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = plane + (size_t)stride * y;
    memset(row + width, row[width - 1], stride - width);
  }
  for (uint32_t y = height; y < rows; y++) {
    memcpy(plane + (size_t)stride * y, plane + (size_t)stride * (height - 1), stride);
  }
}

static void render_ycc(struct ycc *p) {
  uint32_t width = output_width(), height = output_height();
  uint32_t half_width = (order.width + 1) / 2, half_height = (order.height + 1) / 2;
  p->width = (width + 15) & ~15u;
  p->height = (height + 15) & ~15u;
  int count = picture.grey ? 1 : 3;
  for (int c = 0; c < count; c++) {
    size_t size = (size_t)p->width * p->height;
    p->planes[c] = malloc(c ? size / 4 : size);
    p->parts[c] = malloc((size_t)STRIP * (c ? half_width : order.width));
  }
  p->luma = place(order.width, order.height, p->width);
  p->chroma = place(half_width, half_height, p->width / 2);
  strips_open(&p->strips, to_ycc);
  render(&p->strips.sink);
  pad(p->planes[0], p->width, p->height, width, height);
  for (int c = 1; c < count; c++) {
    pad(p->planes[c], p->width / 2, p->height / 2, (width + 1) / 2, (height + 1) / 2);
  }
  for (int c = 0; c < count; c++) free(p->parts[c]);
}

static void on_error(j_common_ptr c) { jpeg_failed(c, ENCODER); }
static void on_warning(j_common_ptr c, int level) { (void)c, (void)level; }

static void write_block(j_compress_ptr c, const char *name, size_t length, struct bytes block) {
  if (!block.size || block.size + length > 65533) return; /* T.81, B.1.1.4: no longer segment */
  jpeg_write_m_header(c, JPEG_APP0 + 1, (unsigned)(block.size + length));
  for (size_t i = 0; i < length; i++) jpeg_write_m_byte(c, name[i]);
  for (size_t i = 0; i < block.size; i++) jpeg_write_m_byte(c, block.data[i]);
}

/* A sequential file needs no memory for the coefficients of the whole picture, and is larger. */
static void set_up(j_compress_ptr c, int quality, bool sequential) {
  c->image_width = output_width();
  c->image_height = output_height();
  c->input_components = picture.grey ? 1 : 3;
  c->in_color_space = picture.grey ? JCS_GRAYSCALE : JCS_YCbCr;
  jpeg_set_defaults(c);
  jpeg_set_quality(c, quality, TRUE);
  jpeg_c_set_bool_param(c, JBOOLEAN_OVERSHOOT_DERINGING, TRUE);
  jpeg_c_set_bool_param(c, JBOOLEAN_OPTIMIZE_SCANS, !sequential);
  jpeg_c_set_bool_param(c, JBOOLEAN_TRELLIS_QUANT, !sequential);
  c->optimize_coding = !sequential;
  if (sequential) {
    c->scan_info = NULL;
    c->num_scans = 0;
  } else {
    jpeg_simple_progression(c);
  }
  c->write_JFIF_header = order.keep_metadata;
  c->raw_data_in = TRUE;
}

struct bytes *EXPORT(encode_jpeg)(int quality, bool sequential) {
  static struct bytes result;
  struct ycc p = {0};
  render_ycc(&p);
  struct jpeg_compress_struct c = {0};
  struct jpeg_error_mgr errors;
  c.err = jpeg_std_error(&errors);
  errors.error_exit = on_error;
  errors.emit_message = on_warning;
  jpeg_create_compress(&c);
  unsigned long size = 0;
  result.data = NULL;
  jpeg_mem_dest(&c, &result.data, &size);
  set_up(&c, quality, sequential);
  jpeg_start_compress(&c, TRUE);
  if (order.keep_metadata) {
    write_block(&c, "Exif\0", 6, picture.exif);
    write_block(&c, "http://ns.adobe.com/xap/1.0/", 29, picture.xmp);
    if (colour_keeps_profile()) {
      jpeg_write_icc_profile(&c, picture.icc.data, (unsigned)picture.icc.size);
    }
  }
  uint32_t block = picture.grey ? 8 : 16;
  while (c.next_scanline < c.image_height) {
    JSAMPROW rows[3][16];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    for (uint32_t i = 0; i < block; i++) {
      rows[0][i] = p.planes[0] + (size_t)p.width * (c.next_scanline + i);
      for (int k = 1; k < c.num_components; k++) {
        rows[k][i / 2] = p.planes[k] + (size_t)p.width / 2 * (c.next_scanline / 2 + i / 2);
      }
    }
    jpeg_write_raw_data(&c, planes, block);
  }
  for (int k = 0; k < c.num_components; k++) free(p.planes[k]);
  jpeg_finish_compress(&c);
  jpeg_destroy_compress(&c);
  result.size = size;
  return &result;
}
