#pragma once
#include "image.h"

#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

/* Ends the picture with libjpeg's own words. */
_Noreturn static inline void jpeg_failed(j_common_ptr c, enum failure failure) {
  char message[JMSG_LENGTH_MAX];
  c->err->format_message(c, message);
  fail(c->err->msg_code == JERR_OUT_OF_MEMORY ? OUT_OF_MEMORY : failure, message);
}
