import { completionOf, ModelFault, type ChatModel } from './chat.ts';

/** The method of the binding that is used here, with its result for `returnRawResponse`. */
export interface Runner {
  run(model: string, inputs: object, options: object): Promise<Response>;
}

/** Returns a model of Workers AI. @param gateway name of an AI Gateway, which is told to log nothing */
export function workersAiModel(ai: Runner, model: string, gateway: string | undefined): ChatModel {
  return {
    name: `workers-ai:${model}`,
    async complete({ messages, maxTokens, bare, signal }) {
      const inputs = {
        messages,
        // The default is 256.
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
          // The error's message may quote the text.
          throw signal.aborted ? error : new ModelFault(`the binding threw ${error.name}`);
        });
      return completionOf(response);
    },
  };
}
