import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What a page answers: HTML, or whatever it does itself. */
export type Content = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A web site for tests. @param host of this machine; all of 127.0.0.0/8 is, on Linux */
export async function startSite(pages: Record<string, Content>, host = '127.0.0.1') {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url!);
    const content = pages[request.url!.split('?')[0]!];
    if (typeof content === 'function') return content(request, response);
    response.writeHead(content === undefined ? 404 : 200, { 'Content-Type': 'text/html' });
    response.end(content);
  });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  server.listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as { port: number }).port}`,
    pages,
    /** Paths that were asked for. */
    seen,
    /** Connections ever made to it, with or without a request. */
    connections: () => connections,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
