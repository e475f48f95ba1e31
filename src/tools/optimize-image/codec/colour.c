/* Colours to sRGB by the picture's own ICC profile, CMYK always, RGB when the profile goes. */
#include "image.h"

#include <lcms2.h>
#include <string.h>

#include "cmyk.h"

static cmsHTRANSFORM transform;
static bool from_grey, keeps;

static bool is_srgb(cmsHPROFILE profile) {
  char name[64] = "";
  cmsGetProfileInfoASCII(profile, cmsInfoDescription, "en", "US", name, sizeof name);
  return strstr(name, "sRGB") && !strstr(name, "inear");
}

bool colour_keeps_profile(void) { return keeps; }

void colour_start(bool keep_profile) {
  keeps = false;
  cmsHPROFILE profile =
      picture.icc.size ? cmsOpenProfileFromMem(picture.icc.data, picture.icc.size) : NULL;
  if (!profile) return; /* none, or broken: read as sRGB, as browsers do */
  cmsColorSpaceSignature space = cmsGetColorSpace(profile);
  from_grey = space == cmsSigGrayData;
  bool rgb = space == cmsSigRgbData && !picture.cmyk;
  bool fits = rgb || (from_grey && picture.grey) || (space == cmsSigCmykData && picture.cmyk);
  /* A picture written in grey can have no profile of RGB, nor one in RGB one of grey. */
  keeps = keep_profile && rgb && !picture.grey;
  bool convert = fits && !keeps && !(rgb && is_srgb(profile));
  if (convert) {
    cmsHPROFILE srgb = cmsCreate_sRGBProfile();
    bool alpha = picture.channels == 4;
    cmsUInt32Number out = alpha ? TYPE_RGBA_8 : TYPE_RGB_8;
    cmsUInt32Number in = picture.cmyk ? TYPE_CMYK_8_REV
                         : from_grey  ? (alpha ? TYPE_GRAYA_8 : TYPE_GRAY_8)
                                                 : out;
    transform = cmsCreateTransform(profile, in, srgb, out, INTENT_PERCEPTUAL,
                                   alpha ? cmsFLAGS_COPY_ALPHA : 0);
    cmsCloseProfile(srgb);
  }
  cmsCloseProfile(profile);
}

void colour_rgb(uint8_t *row, uint32_t width) {
  if (!transform) return;
  if (!from_grey) {
    cmsDoTransform(transform, row, row, width);
    return;
  }
  /* The grey samples to the end of the row, so that writing in place never overtakes reading. */
  uint32_t channels = picture.channels, samples = channels - 2;
  uint8_t *grey = row + (size_t)width * (channels - samples);
  for (uint32_t x = width; x--;) {
    if (samples == 2) grey[2 * x + 1] = row[4 * x + 3];
    grey[samples * x] = row[channels * x];
  }
  cmsDoTransform(transform, grey, row, width);
}

/* Inked samples are inverted, 255 for no ink, as Adobe writes them and libjpeg hands them on. */
void colour_cmyk(const uint8_t *cmyk, uint8_t *rgb, uint32_t width) {
  if (transform) {
    cmsDoTransform(transform, cmyk, rgb, width);
    return;
  }
  for (uint32_t x = 0; x < width; x++, cmyk += 4, rgb += 3) cmyk_to_rgb(cmyk, rgb);
}

void colour_end(void) {
  if (transform) cmsDeleteTransform(transform);
  transform = NULL;
}
