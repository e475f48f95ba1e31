/**
 * The picture formats that the service writes. A further format is a row here, and an encoder in
 * tools/optimize-image/optimise.ts (Worker) or container/src/picture.ts (sharp).
 */
export const pictureFormats = {
  png: { type: 'image/png', extension: 'png', maxSidePixels: Infinity },
  jpeg: { type: 'image/jpeg', extension: 'jpg', maxSidePixels: 65_500 },
  webp: { type: 'image/webp', extension: 'webp', maxSidePixels: 16_383 },
} as const;

export type PictureFormat = keyof typeof pictureFormats;
export type PictureType = (typeof pictureFormats)[PictureFormat]['type'];

export const pictureFormatNames = Object.keys(pictureFormats) as PictureFormat[];
export const isPictureFormat = (name: string): name is PictureFormat =>
  Object.hasOwn(pictureFormats, name);
export const pictureTypes: readonly PictureType[] = Object.values(pictureFormats).map(
  ({ type }) => type,
);
