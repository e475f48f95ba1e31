#pragma once
#include "image.h"

#include <png.h>

static inline void png_failed_reading(png_structp png, png_const_charp message) {
  (void)png;
  fail(DAMAGED, message);
}

static inline void png_failed_writing(png_structp png, png_const_charp message) {
  (void)png;
  fail(ENCODER, message);
}

static inline void png_warned(png_structp png, png_const_charp message) { (void)png, (void)message; }
