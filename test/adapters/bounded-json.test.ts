import { expect, test } from 'vitest'
import { boundedJson } from '../../src/adapters/models/bounded-json.ts'
import { limits } from '../../src/domain/limits.ts'

test('the answer of a server about its models is read only up to a limit', async () => {
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1
      controller.enqueue(Buffer.alloc(1_048_576, ' '))
    },
  })
  await expect(boundedJson(new Response(endless))).rejects.toThrow(`over ${limits.modelListBytes} bytes`)
  expect(sent * 1_048_576).toBeLessThan(2 * limits.modelListBytes)
  expect(await boundedJson(new Response('{ "models": ["naïve"] }'))).toEqual({ models: ['naïve'] })
  await expect(boundedJson(new Response('<html>'))).rejects.toThrow(SyntaxError)
})
