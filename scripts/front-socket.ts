import type { Plugin } from 'miniflare';

const name = 'front-socket';

/**
 * A Miniflare plugin that adds a plain HTTP socket for the front. Miniflare's own sockets also accept the
 * properties of a request in a header (`MF-CF-Blob`), and RPC with the Worker by CONNECT.
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

/** Returns the binding that makes the plugin add a socket. The Worker does not get this binding. */
export const frontSocket = (address: string) => ({
  name: 'FRONT_SOCKET',
  type: name,
  plugin: { package: import.meta.filename, name },
  options: { address },
});
