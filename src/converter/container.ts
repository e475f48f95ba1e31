import { Container } from '@cloudflare/containers';

/** Runs `container/` on Cloudflare. It serves this object only, by a secret that it is told when it starts. */
export class DocumentConverter extends Container<Env> {
  override defaultPort = 8080;
  override sleepAfter = '10m';
  override enableInternet = false;
  readonly #secret = keptSecret(this.ctx.storage);
  override envVars = { CONVERTER_SECRET: this.#secret };

  override fetch(request: Request): Promise<Response> {
    const authorized = new Request(request);
    authorized.headers.set('Authorization', `Bearer ${this.#secret}`);
    return super.fetch(authorized);
  }
}

/** The secret of an object: kept, because a container may run for longer than the object is in memory. */
function keptSecret({ kv }: DurableObjectStorage): string {
  const kept = kv.get<string>('converter_secret');
  if (kept) return kept;
  const secret = crypto.randomUUID();
  kv.put('converter_secret', secret);
  return secret;
}
