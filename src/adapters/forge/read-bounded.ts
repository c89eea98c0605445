import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'

/** The same answer, with a body that has arrived whole and is not too long. */
export async function readBounded(response: Response, name: string): Promise<Response> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > limits.forge.answerBytes)
      throw new DrydockError('forge_unreachable', `${name} sends an answer over ${limits.forge.answerBytes} bytes.`, {
        todo: 'Check that its URL in `forges` of your configuration is the URL of a forge.',
      })
    chunks.push(chunk)
  }
  const { status, statusText, headers } = response
  const hasBody = ![204, 205, 304].includes(status)
  const read = new Response(hasBody ? Buffer.concat(chunks) : null, { status, statusText, headers })
  // Octokit reads it; a response that was made has none of its own.
  Object.defineProperty(read, 'url', { value: response.url })
  return read
}
