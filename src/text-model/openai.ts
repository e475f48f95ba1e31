import { completionOf, ModelFault, type ChatModel } from './chat.ts';

type Settings = { url: string; model: string; key: string | undefined };

/**
 * Returns a model of an endpoint with OpenAI's chat completions. @param url such as `http://localhost:11434/v1`
 */
export function openAiModel({ url, model, key }: Settings): ChatModel {
  const endpoint = `${url.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`;
  return {
    name: `openai:${model}`,
    async complete({ messages, maxTokens, bare, signal }) {
      const settings = bare ? {} : { max_tokens: maxTokens, temperature: 0.2 };
      const request = {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(key && { Authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, messages, stream: false, ...settings }),
        // A redirect would send the text and the key to another server.
        redirect: 'manual' as const,
        signal,
      };
      const response = await fetch(endpoint, request).catch((error: Error) => {
        throw signal.aborted ? error : new ModelFault('no connection');
      });
      return completionOf(response);
    },
  };
}
