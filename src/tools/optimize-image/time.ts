/**
 * What a picture will cost of processor time. A Worker's clock stands still while it computes, so
 * time is foretold: from the milliseconds that pictures from one colour to noise took on a core
 * shared with others.
 */
import type { Header } from './codec.ts';

/** For all work on one picture, added up as foretold here. A core of its own needs about 0.7 of it. */
export const mostTime = 7000;

/** Bytes a pixel of a sequential JPEG; the more, the more coefficients there are to encode. */
export type Detail = number;
/** That of noise, for what cannot be made a JPEG. */
export const mostDetail: Detail = 1;

interface Pace {
  perMegapixel: number;
  /** Of the file. */
  perMegabyte: number;
}

const decoding: Record<Header['format'], Pace> = {
  png: { perMegapixel: 10, perMegabyte: 5 },
  jpeg: { perMegapixel: 12, perMegabyte: 25 },
  webp: { perMegapixel: 15, perMegabyte: 40 },
  gif: { perMegapixel: 10, perMegabyte: 10 },
  unknown: { perMegapixel: 0, perMegabyte: 0 },
};
/** More a megapixel, each for its own step. */
const slower = { severalScans: 40, cmyk: 100, profile: 30, resizing: 25 };

/** Rows out of the file, in the size and the colours asked for. */
export function decodingTime(header: Header, fileSize: number, resized: boolean): number {
  const { perMegapixel, perMegabyte } = decoding[header.format];
  const steps =
    (header.format === 'jpeg' && header.buffered > 0 ? slower.severalScans : 0) +
    (header.cmyk ? slower.cmyk : 0) +
    (header.profile > 0 ? slower.profile : 0) +
    (resized ? slower.resizing : 0);
  const megapixels = (header.width * header.height) / 1e6;
  return megapixels * (perMegapixel + steps) + (fileSize / 1e6) * perMegabyte;
}

/** Milliseconds a megapixel from here on. Neither progression nor trellis quantisation. */
export const sequentialTime = 25;

/** @param coarse the share of the coefficients that a lower quality leaves, at most 1 */
export const progressiveTime = (detail: Detail, coarse: number): number =>
  Math.min(40 + 1000 * detail * Math.max(coarse, 0.1), 1600);

/** By libwebp's method; transparency goes through its lossless encoder. */
const webpTimes = [
  { method: 6, base: 60, slope: 600, transparent: 2000 },
  { method: 5, base: 60, slope: 550, transparent: 500 },
  { method: 4, base: 50, slope: 250, transparent: 400 },
  { method: 2, base: 30, slope: 130, transparent: 100 },
  { method: 0, base: 15, slope: 110, transparent: 60 },
];
/** Lean goes over the picture twice. */
const leanTime = 1.5;

/** Methods of at most that effort, the best first, with what each of them takes. */
export const webpMethods = (
  most: number,
  { detail, transparent, lean }: { detail: Detail; transparent: boolean; lean: boolean },
): { method: number; time: number }[] =>
  webpTimes
    .filter(({ method }) => method <= most)
    .map((t) => ({
      method: t.method,
      time:
        (t.base + t.slope * Math.sqrt(Math.min(detail, mostDetail))) * (lean ? leanTime : 1) +
        (transparent ? t.transparent : 0),
    }));

export const losslessWebpTime = (detail: Detail): number => 40 + 350 * Math.sqrt(detail);

/** A palette, remapped and packed. Soft gradients of many colours take the longest. */
export const paletteTime = (detail: Detail, drawing: boolean): number =>
  drawing ? 60 + 550 * Math.min(detail, mostDetail) : 550;
/** Until libimagequant finds that the quality cannot be had. */
export const noPaletteTime = (detail: Detail, drawing: boolean): number =>
  Math.min(paletteTime(detail, drawing), 180);

/** zlib's levels, with milliseconds a megabyte of pixels at worst. */
export const zlibTimes = [
  { level: 6, time: 250 },
  { level: 3, time: 75 },
];
/** Level 1 goes by how much there is to say. */
export const fastestZlib = {
  level: 1,
  time: (bytesOut: number, raw: number): number => 8 + 37 * Math.min(1, (3 * bytesOut) / raw),
};
/** Level 6 once level 1 has shown how much there is to say. */
export const zlibAgainTime = (bytesOut: number, raw: number): number => 20 + 600 * (bytesOut / raw);

/** oxipng, milliseconds a megabyte and a row: it packs every row for itself to choose a filter. */
export const oxipngTime = (raw: number, rows: number): number => (raw / 1e6) * 220 + rows * 0.04;
