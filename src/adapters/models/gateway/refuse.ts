import type { ServerResponse } from 'node:http'
import type { Format, Trouble } from './formats/format.ts'

/**
 * Answers in the provider's place; does nothing if the agent is gone, or has received part of an
 * answer.
 */
export function refuse(
  response: ServerResponse,
  {
    format,
    trouble,
    retryAfterMs,
  }: { readonly format: Format; readonly trouble: Trouble; readonly retryAfterMs?: number },
): void {
  if (response.destroyed || response.headersSent) return void response.destroy()
  const { status, body } = format.error({ ...trouble, message: `Drydock: ${trouble.message}` })
  response.writeHead(status, {
    'content-type': 'application/json',
    // The libraries of OpenAI and Anthropic obey this header.
    ...(trouble.kind === 'stop' && { 'x-should-retry': 'false' }),
    ...(retryAfterMs !== undefined && {
      'retry-after': String(Math.ceil(retryAfterMs / 1_000)),
      'retry-after-ms': String(retryAfterMs),
    }),
  })
  response.end(JSON.stringify(body))
}
