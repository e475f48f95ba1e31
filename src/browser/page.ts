import type { CDPSession } from '@cloudflare/puppeteer/internal/api/CDPSession.js';
import type { Connection } from './connection.ts';

/** A page of the browser, spoken to by the DevTools protocol. */
export interface Page {
  session: CDPSession;
  /** Of its main frame. */
  frameId: string;
  /** Ends it and all that it left in the browser. */
  close(): Promise<void>;
}

/** Opens an empty page in a context of its own: no cookies, cache or storage of anyone else. */
export async function newPage(connection: Connection): Promise<Page> {
  const { browserContextId } = await connection.send('Target.createBrowserContext', {
    // Whatever becomes of this Worker, the browser keeps nothing.
    disposeOnDetach: true,
  });
  const [{ targetId }] = await Promise.all([
    connection.send('Target.createTarget', { url: 'about:blank', browserContextId }),
    connection.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
  ]);
  closeOthers(connection, browserContextId, targetId);
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  const session = connection.session(sessionId)!;
  // What a crashed page was asked for would never be answered.
  session.on('Inspector.targetCrashed', () => connection.dispose());
  await session.send('Inspector.enable');
  return {
    session,
    // Chrome gives the main frame the name of its target.
    frameId: targetId,
    close: () => connection.send('Target.disposeBrowserContext', { browserContextId }),
  };
}

/** Closes every window that a page opens, should it find a way: nothing guards it. */
function closeOthers(connection: Connection, browserContextId: string, ownTarget: string): void {
  connection.on('Target.targetCreated', ({ targetInfo }) => {
    const { targetId, browserContextId: context } = targetInfo;
    if (context !== browserContextId || targetId === ownTarget) return;
    connection.send('Target.closeTarget', { targetId }).catch(() => {});
  });
  const filter = [{ type: 'page' }, { exclude: true }];
  connection.send('Target.setDiscoverTargets', { discover: true, filter }).catch(() => {});
}

/** Evaluates an expression in the page, and waits for it if it is a promise. Throws what it throws. */
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

/** What a document goes through on its way; the names are Chrome's. */
export type Stage = 'DOMContentLoaded' | 'load' | 'networkAlmostIdle' | 'networkIdle';

/** Follows the documents that a page shows one after the other. */
export interface Life {
  /** Names the document that it shows now. */
  readonly document: string;
  /** Resolves when a document, or another one that came after it, is shown and has reached a stage. */
  reached(stage: Stage, document?: string): Promise<void>;
}

/** Begins to follow a page. */
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
