import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { z } from 'zod'
import { parsedJson } from '../../../domain/json.ts'
import { lineSplitter } from '../../../domain/line-splitter.ts'
import type { Setup, StarterMessage } from './inside/starter-protocol.ts'

const mostLineChars = 4_096

const said: z.ZodType<StarterMessage> = z.discriminatedUnion('is', [
  z.object({ is: z.literal('open') }),
  z.object({ is: z.literal('ready'), name: z.string(), ms: z.number() }),
  z.object({ is: z.literal('failed'), name: z.string(), why: z.string() }),
  z.object({ is: z.literal('begun') }),
  z.object({ is: z.literal('ended'), name: z.string(), exitCode: z.int() }),
])

export interface ServiceChannel {
  /** Resolves when all lines have been read. Call it once the sandbox is gone. */
  heard(): Promise<void>
  close(): void
}

/**
 * Listens for the program that starts the services. It connects first, since no other process runs
 * in the sandbox yet; later connections are refused. An invalid line closes the connection. Rejects
 * if it cannot listen.
 */
export async function openServiceChannel(
  path: string,
  { setup, onSaid }: { readonly setup: Setup; readonly onSaid: (line: StarterMessage) => void },
): Promise<ServiceChannel> {
  let open: Socket | null = null
  const server = createServer((socket) => {
    if (open !== null) {
      socket.destroy()
      return
    }
    open = socket
    // Also removes the socket's file.
    server.close()
    socket.on('error', () => socket.destroy())
    const onOverflow = () => socket.destroy()
    socket.setEncoding('utf8').on('data', lineSplitter({ maxChars: mostLineChars, onLine: take, onOverflow }))
    socket.write(`${JSON.stringify(setup)}\n`)
  })

  function take(text: string): void {
    const line = said.safeParse(parsedJson(text)).data
    if (line === undefined) open?.destroy()
    else if (open?.destroyed === false) onSaid(line)
  }

  server.listen(path)
  await once(server, 'listening')
  return {
    async heard() {
      if (open !== null && !open.closed) await once(open, 'close')
    },
    close() {
      open?.destroy()
      if (server.listening) server.close()
    },
  }
}
