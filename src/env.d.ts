/** Bindings and settings of wrangler.toml, and secrets. */
interface Env {
  KEYS: KVNamespace;
  FILES: R2Bucket;
  ACCOUNTS: DurableObjectNamespace<import('./account/account.ts').Account>;
  REGISTRY: DurableObjectNamespace<import('./account/registry.ts').Registry>;
  CONVERTERS: DurableObjectNamespace<import('./converter/container.ts').DocumentConverter>;
  /** The workshop: another Worker, or locally a dispatcher. Tools that compute run in it. */
  WORKSHOP?: Fetcher;
  /** Largest number of concurrent calls of tools that compute or wait long, for one account in one isolate. */
  HEAVY_CALLS: string;
  /** Number of converter containers. */
  CONVERTER_INSTANCES: string;
  /** URL of a converter to use instead of the containers. */
  CONVERTER_URL?: string;
  /** Secret; the bearer token for the converter at CONVERTER_URL. */
  CONVERTER_SECRET?: string;
  /** Browser Rendering. */
  BROWSER: Fetcher;
  /** Largest number of browsers at one time. */
  BROWSER_INSTANCES: string;
  /** Hosts in private networks that pages may access: a comma-separated list, or `true` for all. */
  ALLOW_PRIVATE_HOSTS?: string;
  /** URL of a resolver that speaks DNS over HTTPS; empty for RESOLVER, or else Cloudflare's. */
  DOH_URL: string;
  /** Locally, a server that forwards DNS over HTTPS to the resolvers of this machine. */
  RESOLVER?: Fetcher;
  /** Workers AI. */
  AI?: import('./text-model/workers-ai.ts').Runner;
  /** URL of a text model with OpenAI's protocol; empty for Workers AI. */
  TEXT_MODEL_URL?: string;
  /** Name of the text model; empty for the offline engine. */
  TEXT_MODEL_NAME?: string;
  /** Secret; the API key for TEXT_MODEL_URL. */
  TEXT_MODEL_KEY?: string;
  /** Context window of the text model in tokens. */
  TEXT_MODEL_CONTEXT: string;
  /** Timeout of the text model in seconds. */
  TEXT_MODEL_SECONDS: string;
  /** Name of an AI Gateway for calls of Workers AI. */
  AI_GATEWAY?: string;
  /**
   * Proxies whose headers give the client's address: `cloudflare`, or comma-separated addresses and CIDR
   * ranges.
   */
  TRUSTED_PROXY?: string;
  /** Scheme and host of the service; empty for those of each request. */
  SERVICE_URL?: string;
  /** Contact for reports of vulnerabilities: a mailto:, https: or tel: URI (RFC 9116, 2.5.3). */
  SECURITY_CONTACT?: string;
  /** Calls a minute of one key. */
  RATE_LIMIT: string;
  /** Calls a minute of one address without a key. */
  FREE_RATE_LIMIT: string;
  /** Life of a link in seconds. */
  LINK_SECONDS: string;
  /** Scheme and host of links to results; empty for the origin of the service. */
  STORAGE_URL?: string;
  /** Secret; signs links. Without it no result can be stored. */
  LINK_SECRET?: string;
  /** Secret; the operator's. Without it `/admin` is off, and the dashboard accepts no secret. */
  ADMIN_SECRET?: string;
  /** Credits of a new account. */
  FREE_CREDITS: string;
  /** URL of Cloudflare Access in front of the dashboard: `https://<team>.cloudflareaccess.com`. */
  ACCESS_URL?: string;
  /** Audience tag of the Access application. */
  ACCESS_AUDIENCE?: string;
  /** Comma-separated email addresses of the operators, who see all accounts and grant credits. */
  OPERATORS?: string;
}

declare namespace Cloudflare {
  interface Env extends globalThis.Env {}
  interface GlobalProps {
    mainModule: typeof import('./worker.ts');
  }
}

declare module '*.css' {
  const text: string;
  export default text;
}

declare module '*.client.js' {
  const text: string;
  export default text;
}

/** The file's text, which pages load as a script. The Worker itself imports 'marked'. */
declare module '*/marked.esm.js' {
  const text: string;
  export default text;
}

declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

declare module '@wasm-fmt/gofmt/gofmt_binding.js' {
  /** Throws the formatter's message when the source has a syntax error. */
  export function format(program: WebAssembly.Exports, source: string): string;
}

declare module 'wasmagic/dist/libmagic-wrapper.js' {
  interface Module {
    HEAPU8: Uint8Array;
    FS: { chdir(path: string): void; unlink(path: string): void };
    _malloc(size: number): number;
    _free(pointer: number): void;
    ccall(name: string, returns: 'string', types: string[], values: unknown[]): string;
  }
  const start: (options: {
    instantiateWasm(
      imports: Record<string, Record<string, WebAssembly.ImportValue>>,
      receive: (instance: WebAssembly.Instance) => void,
    ): void;
  }) => Promise<Module>;
  export default start;
}
