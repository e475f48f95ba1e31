import { z } from 'zod';
import { ServiceError, statusOf, type ErrorCode } from '../errors.ts';

const refusalShape = z.object({
  code: z.enum(Object.keys(statusOf) as ErrorCode[]),
  message: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  retryAfter: z.number().optional(),
});

/** Returns the JSON of an error, which the workshop and the converter send to the front. */
export const refusal = ({
  code,
  message,
  errors,
  retryAfter,
}: ServiceError): z.infer<typeof refusalShape> => ({
  code,
  message,
  ...(errors && { errors }),
  ...(retryAfter !== undefined && { retryAfter }),
});

/** Returns the error whose JSON a response has; undefined if the body is something else. */
export async function refusalIn(response: Response): Promise<ServiceError | undefined> {
  const { data } = refusalShape.safeParse(await response.json().catch(() => undefined));
  if (!data) return undefined;
  return new ServiceError(data.code, data.message, {
    ...(data.errors && { errors: data.errors }),
    ...(data.retryAfter !== undefined && { retryAfter: data.retryAfter }),
  });
}
