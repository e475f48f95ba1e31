/** Bindings and settings of wrangler.toml, and secrets set beside it. */
interface Env {
  KEYS: KVNamespace;
  FILES: R2Bucket;
  ACCOUNTS: DurableObjectNamespace<import('./account/account.ts').Account>;
  RATE_LIMIT: string;
  FREE_RATE_LIMIT: string;
  /** Secret; without it the operator's routes are off. */
  ADMIN_SECRET?: string;
}

declare namespace Cloudflare {
  interface Env extends globalThis.Env {}
}

declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

declare module '@wasm-fmt/gofmt/gofmt_binding.js' {
  /** Throws the formatter's message when the source has a syntax error. */
  export function format(program: WebAssembly.Exports, source: string): string;
}
