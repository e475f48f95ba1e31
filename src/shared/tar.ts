import { createTarPacker } from 'modern-tar';

/** Packs files as a tar stream, in their order. The stream fails if packing fails. */
export function packTar(files: { name: string; bytes: Uint8Array }[]): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  void (async () => {
    for (const { name, bytes } of files) {
      const writer = controller.add({ name, size: bytes.length, type: 'file' }).getWriter();
      await writer.write(bytes);
      await writer.close();
    }
    controller.finalize();
  })().catch((error: unknown) => controller.error(error));
  return readable;
}
