import { limits } from '../../domain/limits.ts'

/**
 * The JSON of a response of at most `limits.modelListBytes`. Rejects if it is larger or not JSON.
 */
export async function boundedJson({ body }: { readonly body: AsyncIterable<Uint8Array> | null }): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > limits.modelListBytes) throw new Error(`an answer of over ${limits.modelListBytes} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
