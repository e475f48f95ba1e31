/*
 * CMYK without a profile. No formula says what its inks look like; the table holds what libvips
 * makes of them by its own default profile (scripts/sample-cmyk.ts), 9 steps of each ink, cyan
 * slowest, as RGB triples. Between the steps it is off by 0.8 levels on average (naive
 * multiplication: by 13.5).
 */
#pragma once
#include <stdint.h>

#define STEPS 9

static const uint8_t inks[STEPS * STEPS * STEPS * STEPS * 3] = {
#embed "cmyk.bin"
};

/* Inverted samples, 255 for no ink; linear in all four inks. */
static void cmyk_to_rgb(const uint8_t *cmyk, uint8_t *rgb) {
  uint32_t corner = 0, part[4];
  for (int ink = 0; ink < 4; ink++) {
    uint32_t at = (255 - cmyk[ink]) * (STEPS - 1), step = at / 255;
    if (step == STEPS - 1) step--;
    part[ink] = at - step * 255;
    corner = corner * STEPS + step;
  }
  float sum[3] = {0};
  for (int i = 0; i < 16; i++) {
    static const uint32_t strides[4] = {STEPS * STEPS * STEPS, STEPS * STEPS, STEPS, 1};
    uint32_t at = corner;
    float weight = 1;
    for (int ink = 0; ink < 4; ink++) {
      bool upper = i >> ink & 1;
      if (upper) at += strides[ink];
      weight *= (float)(upper ? part[ink] : 255 - part[ink]) / 255;
    }
    if (weight == 0) continue;
    for (int c = 0; c < 3; c++) sum[c] += weight * inks[3 * at + c];
  }
  for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)(sum[c] + 0.5f);
}
