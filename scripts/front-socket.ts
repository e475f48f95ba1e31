import type { Plugin } from 'miniflare';

const name = 'front-socket';

/**
 * An extension of Miniflare's that lets the front listen at an address, and at nothing but HTTP. The
 * sockets that Miniflare itself offers take more: properties of a request from a header (`MF-CF-Blob`),
 * and RPC with the Worker by CONNECT.
 */
export const plugins: Record<string, Plugin> = {
  [name]: {
    getBindings() {},
    getNodeBindings: async () => ({}),
    getServices({ options: { config } }) {
      const addresses = Object.values(config.env ?? {}).flatMap((binding) =>
        binding.type === `unsafe:${name}` ? [addressIn(binding)] : [],
      );
      const service = { name: `core:user:${config.name}` };
      const sockets = addresses.map((address) => ({ name, address, service, http: {} }));
      return { services: [], extensions: [], sockets };
    },
  },
};

const addressIn = (binding: object): string =>
  (binding as { dev: { options: { address: string } } }).dev.options.address;

/** The binding that asks for such a socket. The Worker sees nothing of it. */
export const frontSocket = (address: string) => ({
  name: 'FRONT_SOCKET',
  type: name,
  plugin: { package: import.meta.filename, name },
  options: { address },
});
