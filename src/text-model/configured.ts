import { ServiceError } from '../errors.ts';
import type { TextEngine } from './engine.ts';
import { offlineEngine } from './offline/engine.ts';
import { openAiModel } from './openai.ts';
import { promptedEngine } from './prompted.ts';
import { workersAiModel } from './workers-ai.ts';

type Bindings = Pick<
  Env,
  | 'AI'
  | 'AI_GATEWAY'
  | 'TEXT_MODEL_URL'
  | 'TEXT_MODEL_NAME'
  | 'TEXT_MODEL_KEY'
  | 'TEXT_MODEL_CONTEXT'
  | 'TEXT_MODEL_SECONDS'
>;

/**
 * Returns the configured text engine: the offline engine if TEXT_MODEL_NAME is empty, else the model of that
 * name at TEXT_MODEL_URL, or on Workers AI if TEXT_MODEL_URL is empty. There is no fallback to another engine.
 *
 * @param signal aborted when the client has left
 */
export function textEngineOf(env: Bindings, signal?: AbortSignal): TextEngine {
  const model = env.TEXT_MODEL_NAME;
  if (!model) return offlineEngine;
  return promptedEngine(
    env.TEXT_MODEL_URL
      ? openAiModel({ url: env.TEXT_MODEL_URL, model, key: env.TEXT_MODEL_KEY })
      : workersAiModel(bound(env.AI), model, env.AI_GATEWAY),
    {
      context: Number(env.TEXT_MODEL_CONTEXT),
      timeoutMs: Number(env.TEXT_MODEL_SECONDS) * 1000,
      ...(signal && { signal }),
    },
  );
}

function bound(ai: Bindings['AI']) {
  if (ai) return ai;
  const message =
    'TEXT_MODEL_NAME names a model of Workers AI, which is not bound here: deploy with npm run deploy';
  throw new ServiceError('unavailable', message);
}
