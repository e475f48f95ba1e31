import type { CDPSession } from '@cloudflare/puppeteer/internal/api/CDPSession.js';
import type { Connection } from './connection.ts';

/** A page of the browser, controlled by the DevTools protocol. */
export interface Page {
  session: CDPSession;
  /** The id of the main frame. */
  frameId: string;
  /** Closes the page and its browser context, with cookies, cache and storage. */
  close(): Promise<void>;
}

/** Opens an empty page in a new browser context, which shares no cookies, cache or storage. */
export async function newPage(connection: Connection): Promise<Page> {
  const { browserContextId } = await connection.send('Target.createBrowserContext', {
    // The browser disposes of the context also when this Worker ends without closing it.
    disposeOnDetach: true,
  });
  const [{ targetId }] = await Promise.all([
    connection.send('Target.createTarget', { url: 'about:blank', browserContextId }),
    connection.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
  ]);
  closeOthers(connection, browserContextId, targetId);
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  const session = connection.session(sessionId)!;
  // Commands to a crashed page are never answered, so the connection is closed to make them fail.
  session.on('Inspector.targetCrashed', () => connection.dispose());
  await session.send('Inspector.enable');
  return {
    session,
    // In Chrome the main frame has the id of its target.
    frameId: targetId,
    close: () => connection.send('Target.disposeBrowserContext', { browserContextId }),
  };
}

/** Closes every window that a page manages to open, because the guard does not cover other windows. */
function closeOthers(connection: Connection, browserContextId: string, ownTarget: string): void {
  connection.on('Target.targetCreated', ({ targetInfo }) => {
    const { targetId, browserContextId: context } = targetInfo;
    if (context !== browserContextId || targetId === ownTarget) return;
    connection.send('Target.closeTarget', { targetId }).catch(() => {});
  });
  const filter = [{ type: 'page' }, { exclude: true }];
  connection.send('Target.setDiscoverTargets', { discover: true, filter }).catch(() => {});
}

/** Evaluates an expression in the page and awaits its promise. Throws the exception of the expression. */
export async function evaluate<T>({ session }: Page, expression: string): Promise<T> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails)
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}

/** Lifecycle events of a document, by their Chrome names. */
export type Stage = 'DOMContentLoaded' | 'load' | 'networkAlmostIdle' | 'networkIdle';

/** The lifecycle of the documents that a page shows one after the other. */
export interface Life {
  /** The loader id of the current document. */
  readonly document: string;
  /** Resolves when the document, or one that replaced it, has reached a stage. */
  reached(stage: Stage, document?: string): Promise<void>;
}

/** Subscribes to the lifecycle events of a page. */
export async function followLife({ session, frameId }: Page): Promise<Life> {
  let current = { document: '', stages: new Set<string>() };
  const shown = new Set<string>();
  const waiting: (() => void)[] = [];
  session.on('Page.lifecycleEvent', (event) => {
    if (event.frameId !== frameId) return;
    if (event.name === 'init') current = { document: event.loaderId, stages: new Set() };
    current.stages.add(event.name);
    shown.add(current.document);
    for (const wake of waiting.splice(0)) wake();
  });
  await session.send('Page.enable');
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true });
  return {
    get document() {
      return current.document;
    },
    async reached(stage, document = current.document) {
      while (!shown.has(document) || !current.stages.has(stage)) {
        await new Promise<void>((wake) => waiting.push(wake));
      }
    },
  };
}
