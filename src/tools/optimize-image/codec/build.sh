#!/usr/bin/env bash
# Builds ../codec.wasm out of its libraries, each at the commit named below.
#
# Needs the toolchain that the Dockerfile beside it names: another version gives other bytes.
# MIRROR may hold bare clones in place of GitHub. Writes checksums.sha256, which a test compares.
#
# Usage: build.sh WORK_FOLDER
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mkdir -p "$1" && cd "$1" && pwd)
# What the program begins with, and the most that any picture may take; ../codec.ts makes the memory.
initial=$((4 * 1024 * 1024))
most=$((88 * 1024 * 1024))

fetch() { # REPOSITORY COMMIT [FILES_WANTED...]
  local name=${1##*/} from=https://github.com/$1 commit=$2
  [ -z "${MIRROR:-}" ] || from=$MIRROR/${1/\//+}/repo
  if [ ! -d "$work/$name/.git" ]; then
    git init --quiet "$work/$name"
    git -C "$work/$name" fetch --quiet --depth 1 "$from" "$commit"
  fi
  shift 2
  git -C "$work/$name" checkout --quiet --force "$commit" -- "${@:-.}"
}
fetch mozilla/mozjpeg 08265790774cd0714832c9e675522acbe5581437
fetch webmproject/libwebp 4fa21912338357f89e4fd51cf2368325b59e9bd9      # 1.6.0
fetch pnggroup/libpng 3061454d980de7d53608f594194cfac722721d2a          # 1.6.58
fetch madler/zlib 51b7f2abdade71cd9bb0e7a373ef2610ec6f9daf              # 1.3.1
fetch mm2/Little-CMS 21c582a594fe5279f90c0b93437c398f93bf62b0           # 2.19.1
fetch lovell/libimagequant 4e82d9492db228a7a2057c442f7a6eb40508a0eb     # 2.4.1, the BSD-licensed line
fetch nothings/stb 31c1ad37456438565541f4919958214b6e762fb4 stb_image_resize2.h
fetch google/wuffs-mirror-release-c 031b5d5420833c3279748085866469a0d4d56e08 release/c/wuffs-v0.4.c
# Only its headers that spell SSE in WebAssembly's own vectors.
fetch emscripten-core/emscripten a04d0beef36bfa7661cee4b8dff7d3909303dabc \
  system/include/compat/{x,e,p,t,s}mmintrin.h
cd "$work"

git -C mozjpeg apply "$here/mozjpeg.patch"

target="--target=wasm32-wasi -I/usr/include/wasm32-wasi -O3 -DNDEBUG -msimd128 -mbulk-memory"
sse="-Iemscripten/system/include/compat -D__SSE__ -D__SSE2__ -D__SSE3__ -D__SSSE3__ -D__SSE4_1__"

compile() { # FOLDER FLAGS SOURCES...: objects into out/FOLDER
  local to=out/$1 flags=$2
  shift 2
  mkdir -p "$to"
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c \
    'clang-19 '"$target $flags"' -c "$1" -o "'"$to"'/$(echo "$1" | tr / _).o"' _ {}
}

rm -rf out && mkdir out
cmake -Wno-dev -S mozjpeg -B out/mozjpeg -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=wasm32 \
  -DCMAKE_C_COMPILER=clang-19 -DCMAKE_AR=/usr/bin/llvm-ar-19 -DCMAKE_RANLIB=/usr/bin/llvm-ranlib-19 \
  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_C_FLAGS="$target" -DCMAKE_BUILD_TYPE=Release \
  -DWITH_SIMD=0 -DWITH_TURBOJPEG=0 -DPNG_SUPPORTED=0 >out/mozjpeg.log
make -C out/mozjpeg -j "$(nproc)" jpeg >>out/mozjpeg.log

# libwebp takes its vectors from the compiler's flags when it believes in Emscripten.
compile libwebp "-w -Ilibwebp $sse -DEMSCRIPTEN" \
  libwebp/src/{dec,demux,enc,mux,utils}/*.c libwebp/sharpyuv/*.c \
  $(ls libwebp/src/dsp/*.c | grep -Ev '_(neon|msa|mips.*|avx2)\.c$')

compile zlib "-w -DZ_SOLO" zlib/{adler32,crc32,deflate,inffast,inflate,inftrees,trees,zutil}.c

# No setjmp: a failure leaves the program for good.
sed -E 's/^#define PNG_(SETJMP|STDIO|CONSOLE_IO|SIMPLIFIED_READ|SIMPLIFIED_WRITE)[A-Z_]*_SUPPORTED//' \
  libpng/scripts/pnglibconf.h.prebuilt >libpng/pnglibconf.h
compile libpng "-w -Izlib -DZ_SOLO" $(ls libpng/png*.c | grep -v pngtest)

compile lcms "-w -ILittle-CMS/include -DCMS_NO_PTHREADS -DCMS_NO_REGISTER_KEYWORD" \
  $(ls Little-CMS/src/*.c | grep -Ev 'cms(cgats|ps2|cam02)\.c$')

compile imagequant "-w $sse -DUSE_SSE=1 -D__EMSCRIPTEN__" libimagequant/*.c

compile codec "-std=gnu11 -Wall -Wextra -Werror -Imozjpeg -Iout/mozjpeg -isystem libwebp/src -isystem libpng -isystem zlib \
  -isystem Little-CMS/include -isystem libimagequant -isystem stb -isystem wuffs-mirror-release-c/release/c \
  -Wno-unused-function -Wno-c23-extensions" "$here"/*.c

clang-19 --target=wasm32-wasi -mexec-model=reactor -L/usr/lib/wasm32-wasi -fuse-ld=lld \
  -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=1048576 -Wl,--import-memory,--initial-memory=$initial,--max-memory=$most \
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
  -o out/codec.wasm $(find out -name '*.o' -not -path 'out/mozjpeg/*') out/mozjpeg/libjpeg.a -lm
wasm-opt -O3 --enable-simd --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int \
  out/codec.wasm -o "$here/../codec.wasm"

cd "$here"
LC_ALL=C sha256sum ./*.c ./*.h ./*.patch cmyk.bin build.sh Dockerfile ../codec.wasm >checksums.sha256
