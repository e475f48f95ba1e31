import { z } from 'zod';
import { ServiceError } from './errors.ts';
import { lightBodyBytes } from './workshop/workshop.ts';

/** A JSON-RPC message that calls a tool. */
const toolCall = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({ arguments: z.looseObject({}).optional() }),
});

/** The placeholder of a call's arguments in an outline. */
const placeOfArguments = z.object({ place_of_arguments: z.int() });

/**
 * Returns the outline of a message or batch: the message without the arguments of its calls, which may be
 * large. Throws 413 when the outline is too large for the front.
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
  throw new ServiceError(
    'payload_too_large',
    'the message is too large even without its arguments',
  );
}

/** Returns the index of the message whose arguments a placeholder replaces. */
export const placeIn = (outlined: unknown): number =>
  placeOfArguments.parse(outlined).place_of_arguments;

/** Returns the arguments of the call in a message, or in the message at index `place` of a batch. */
export function argumentsIn(message: unknown, place: number): unknown {
  const { data } = toolCall.safeParse(Array.isArray(message) ? message[place] : message);
  return data?.params.arguments ?? {};
}
