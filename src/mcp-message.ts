import { z } from 'zod';
import { ServiceError } from './errors.ts';
import { lightBodyBytes } from './workshop/workshop.ts';

/** What matters here of a JSON-RPC message that calls a tool. */
const toolCall = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({ arguments: z.looseObject({}).optional() }),
});

/** Stands for the arguments of a call in an outline. */
const placeOfArguments = z.object({ place_of_arguments: z.int() });

/**
 * A message, or a batch of them, without the arguments of its calls, which may be large. Throws 413
 * for one that is still too large for the front.
 */
export function outlineOf(message: unknown): string {
  const outlined = (each: unknown, place: number) => {
    const { success, data } = toolCall.safeParse(each);
    if (!success) return each;
    return { ...data, params: { ...data.params, arguments: { place_of_arguments: place } } };
  };
  const outline = JSON.stringify(
    Array.isArray(message) ? message.map(outlined) : outlined(message, 0),
  );
  if (outline.length <= lightBodyBytes) return outline;
  throw new ServiceError('payload_too_large', 'the message is too large beside its arguments');
}

/** Which message of a batch has the arguments that an outline left out. */
export const placeIn = (outlined: unknown): number =>
  placeOfArguments.parse(outlined).place_of_arguments;

/** The arguments of the call in a message, or in that message of a batch. */
export function argumentsIn(message: unknown, place: number): unknown {
  const { data } = toolCall.safeParse(Array.isArray(message) ? message[place] : message);
  return data?.params.arguments ?? {};
}
