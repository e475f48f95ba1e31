#include "image.h"

#include <stdlib.h>
#include <string.h>

#include <webp/encode.h>
#include <webp/mux.h>

/* The picture in the encoder's own planes: 1.5 bytes a pixel, 2.5 with transparency. */
struct yuv {
  struct strips strips;
  WebPPicture picture;
  struct placement luma, chroma;
};

static void import(WebPPicture *p, uint32_t width, uint32_t height, const uint8_t *pixels) {
  p->width = (int)width;
  p->height = (int)height;
  int stride = (int)(width * picture.channels);
  if (!(picture.channels == 4 ? WebPPictureImportRGBA : WebPPictureImportRGB)(p, pixels, stride)) {
    fail(ENCODER, "WebP cannot hold the picture");
  }
}

static void to_yuv(struct strips *self, uint32_t y, uint32_t rows) {
  struct yuv *p = (struct yuv *)self;
  WebPPicture strip;
  WebPPictureInit(&strip);
  import(&strip, order.width, rows, p->strips.rows);
  uint32_t half = (order.width + 1) / 2;
  put_plane(p->picture.y, p->luma, strip.y, strip.y_stride, order.width, y, rows);
  put_plane(p->picture.u, p->chroma, strip.u, strip.uv_stride, half, y / 2, (rows + 1) / 2);
  put_plane(p->picture.v, p->chroma, strip.v, strip.uv_stride, half, y / 2, (rows + 1) / 2);
  /* A strip without a transparent pixel has no alpha plane; the whole one starts opaque. */
  if (strip.a) put_plane(p->picture.a, p->luma, strip.a, strip.a_stride, order.width, y, rows);
  WebPPictureFree(&strip);
}

static void render_yuv(struct yuv *p) {
  WebPPicture *target = &p->picture;
  if (picture.channels == 4) target->colorspace = WEBP_YUV420A;
  if (!WebPPictureAlloc(target)) fail(ENCODER, "WebP cannot hold the picture");
  if (target->a) memset(target->a, 255, (size_t)target->a_stride * target->height);
  p->luma = place(order.width, order.height, (uint32_t)target->y_stride);
  p->chroma = place((order.width + 1) / 2, (order.height + 1) / 2, (uint32_t)target->uv_stride);
  strips_open(&p->strips, to_yuv);
  render(&p->strips.sink);
  if (!transparent) target->colorspace = WEBP_YUV420;
}

static void set_block(WebPMux *mux, const char *name, struct bytes block) {
  WebPData data = {block.data, block.size};
  if (block.size && WebPMuxSetChunk(mux, name, &data, 0) != WEBP_MUX_OK) {
    fail(ENCODER, "metadata could not be written");
  }
}

static void add_metadata(struct bytes *file) {
  WebPData data = {file->data, file->size}, whole = {0};
  WebPMux *mux = WebPMuxCreate(&data, 0);
  if (!mux) fail(ENCODER, "metadata could not be written");
  set_block(mux, "EXIF", picture.exif);
  set_block(mux, "XMP ", picture.xmp);
  if (colour_keeps_profile()) set_block(mux, "ICCP", picture.icc);
  if (WebPMuxAssemble(mux, &whole) != WEBP_MUX_OK) fail(ENCODER, "metadata could not be written");
  WebPMuxDelete(mux);
  free(file->data);
  *file = (struct bytes){(uint8_t *)whole.bytes, whole.size};
}

static struct bytes *encode(WebPPicture *p, WebPConfig *config) {
  static struct bytes result;
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  p->writer = WebPMemoryWrite;
  p->custom_ptr = &writer;
  if (!WebPEncode(config, p)) fail(ENCODER, "WebP cannot hold the picture");
  WebPPictureFree(p);
  result = (struct bytes){writer.mem, writer.size};
  if (order.keep_metadata && picture.told) add_metadata(&result);
  return &result;
}

static void start(WebPPicture *p) {
  WebPPictureInit(p);
  p->width = (int)output_width();
  p->height = (int)output_height();
}

/*
 * `method` is libwebp's, 0 to 6: more work for fewer bytes. `lean` keeps no tokens, which are as
 * many as the picture is restless, and takes twice the time.
 */
struct bytes *EXPORT(encode_webp)(int quality, int method, bool lean) {
  struct yuv p = {0};
  start(&p.picture);
  render_yuv(&p);
  WebPConfig config;
  WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, (float)quality);
  config.method = method;
  config.low_memory = lean;
  return encode(&p.picture, &config);
}

/* Needs the held frame, and about 20 bytes a pixel. */
struct bytes *EXPORT(encode_webp_lossless)(int method) {
  WebPPicture p;
  start(&p);
  p.use_argb = 1;
  import(&p, order.width, order.height, frame);
  WebPConfig config;
  WebPConfigInit(&config);
  WebPConfigLosslessPreset(&config, method);
  return encode(&p, &config);
}
