import { completionOf, ModelFault, type ChatModel } from './chat.ts';

/** The binding's one method that we use, as it answers with `returnRawResponse`. */
export interface Runner {
  run(model: string, inputs: object, options: object): Promise<Response>;
}

/** A model of Workers AI. @param gateway AI Gateway to go through, which is told to log nothing */
export function workersAiModel(ai: Runner, model: string, gateway: string | undefined): ChatModel {
  return {
    name: `workers-ai:${model}`,
    async complete({ messages, maxTokens, bare, signal }) {
      const inputs = {
        messages,
        // Without it they stop at 256.
        max_tokens: maxTokens,
        ...(!bare && { temperature: 0.2, chat_template_kwargs: { enable_thinking: false } }),
      };
      const response = await ai
        .run(model, inputs, {
          returnRawResponse: true,
          signal,
          ...(gateway && { gateway: { id: gateway, collectLog: false, skipCache: true } }),
        })
        .catch((error: Error) => {
          // What it says may quote the text.
          throw signal.aborted ? error : new ModelFault(`the binding threw ${error.name}`);
        });
      return completionOf(response);
    },
  };
}
