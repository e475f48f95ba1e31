import { Container } from '@cloudflare/containers';

/** Runs `container/` on Cloudflare, where nothing but this Worker can reach it. */
export class DocumentConverter extends Container<Env> {
  override defaultPort = 8080;
  override sleepAfter = '10m';
  override enableInternet = false;
}
