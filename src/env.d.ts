/** Bindings and settings of wrangler.toml, and secrets set beside it. */
interface Env {
  KEYS: KVNamespace;
  FILES: R2Bucket;
  ACCOUNTS: DurableObjectNamespace<import('./account/account.ts').Account>;
  REGISTRY: DurableObjectNamespace<import('./account/registry.ts').Registry>;
  CONVERTERS: DurableObjectNamespace<import('./converter/container.ts').DocumentConverter>;
  /** Another Worker, or a dispatcher on one's own machine, that runs the tools which compute. */
  WORKSHOP?: Fetcher;
  /** Calls of tools that compute or wait long that one account may have under way. */
  HEAVY_CALLS: string;
  /** How many converters may run at one time. */
  CONVERTER_INSTANCES: string;
  /** A converter that runs somewhere else than in CONVERTERS. */
  CONVERTER_URL?: string;
  /** Secret; what that converter asks for. */
  CONVERTER_SECRET?: string;
  /** Browser Rendering. */
  BROWSER: Fetcher;
  /** How many browsers may run at one time. */
  BROWSER_INSTANCES: string;
  /** `true`, or hosts separated by commas: what pages may be opened that are not on the public Internet. */
  ALLOW_PRIVATE_HOSTS?: string;
  /** A resolver that speaks DNS over HTTPS. */
  DOH_URL: string;
  /** Workers AI. */
  AI?: import('./text-model/workers-ai.ts').Runner;
  /** Where a model is that speaks OpenAI's protocol; Workers AI when empty. */
  TEXT_MODEL_URL?: string;
  /** Which model; the offline engine when empty. */
  TEXT_MODEL_NAME?: string;
  /** Secret; what that place asks for. */
  TEXT_MODEL_KEY?: string;
  /** Tokens that the model can hold. */
  TEXT_MODEL_CONTEXT: string;
  /** Seconds for one answer of the model. */
  TEXT_MODEL_SECONDS: string;
  /** AI Gateway that Workers AI is called through, if any. */
  AI_GATEWAY?: string;
  /** Who says where a caller is: `cloudflare`, or addresses and CIDR ranges of proxies, with commas. */
  TRUSTED_PROXY?: string;
  /** The service's own scheme and host; those of the request when empty. */
  SERVICE_URL?: string;
  /** To whom vulnerabilities are reported: a mailto:, https: or tel: URI (RFC 9116, 2.5.3). */
  SECURITY_CONTACT?: string;
  RATE_LIMIT: string;
  FREE_RATE_LIMIT: string;
  /** Life of a link in seconds. */
  LINK_SECONDS: string;
  /** Where links lead; the service's own origin when empty. */
  STORAGE_URL?: string;
  /** Secret; signs links. Without it nothing can be stored. */
  LINK_SECRET?: string;
  /** Secret; without it the operator's routes are off, and nobody signs in with a secret. */
  ADMIN_SECRET?: string;
  /** Credits of a new account. */
  FREE_CREDITS: string;
  /** Cloudflare Access, which lets people into the dashboard: `https://<team>.cloudflareaccess.com`. */
  ACCESS_URL?: string;
  /** Its application's audience tag. */
  ACCESS_AUDIENCE?: string;
  /** Email addresses, with commas, of those who see all accounts and grant credits. */
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

/** As what pages load; what the Worker runs is 'marked'. */
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
