import { Container } from '@cloudflare/containers';

/**
 * Runs the converter of `container/` on Cloudflare. The container serves only requests with this object's
 * secret.
 */
export class DocumentConverter extends Container<Env> {
  override defaultPort = 8080;
  override sleepAfter = '10m';
  override enableInternet = false;
  readonly #secret = storedSecret(this.ctx.storage);
  override envVars = { CONVERTER_SECRET: this.#secret };

  override fetch(request: Request): Promise<Response> {
    const authorized = new Request(request);
    authorized.headers.set('Authorization', `Bearer ${this.#secret}`);
    return super.fetch(authorized);
  }
}

/**
 * Returns the object's secret. It is stored, because a container may outlive the object's instance in memory.
 */
function storedSecret({ kv }: DurableObjectStorage): string {
  const stored = kv.get<string>('converter_secret');
  if (stored) return stored;
  const secret = crypto.randomUUID();
  kv.put('converter_secret', secret);
  return secret;
}
