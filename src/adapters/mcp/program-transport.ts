import { setTimeout as delay } from 'node:timers/promises'
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { limits } from '../../domain/limits.ts'
import type { RunningProgram } from '../../ports/sandbox-program.ts'
import { linesIn } from '../../processes/lines-in.ts'
import { quoted, ServerBroke } from './server-broke.ts'

/** A way to a server that says why it ended, and counts what comes for one call. */
export interface BoundTransport extends Transport {
  /** What came so far counts no more. */
  newCall(): void
  /** Why it ended; null while it has not, or when it was closed. */
  cause(): Promise<Error | null>
}

/**
 * Messages to and from a server in its sandbox, one a line. It ends when the server writes too
 * much, or what is not the protocol. A line that does not begin like a message is left out, up to a
 * number: it is the print of some library.
 */
export function programTransport(program: RunningProgram): BoundTransport {
  const { stdin, stdout } = program
  let broke: Error | null = null
  let closing: Promise<void> | undefined
  let bytes = 0
  let stray = 0

  function onBytes(count: number): void {
    bytes += count
    if (bytes > limits.mcp.callBytes)
      throw new ServerBroke(`wrote more than ${limits.mcp.callBytes} bytes for one call`)
  }

  async function read(): Promise<void> {
    try {
      for await (const line of linesIn(stdout, { onBytes })) take(line)
    } catch (error) {
      // A stream that was destroyed has nothing to say.
      if (error instanceof ServerBroke) broke = error
    }
    void close()
    transport.onclose?.()
  }

  function take(line: string): void {
    if (line.trim() === '') return
    if (!/^\s*\{/.test(line)) {
      stray += 1
      if (stray > limits.mcp.strayLines) throw new ServerBroke(`writes what is no message: ${quoted(line)}`)
      return
    }
    transport.onmessage?.(parsed(line))
  }

  function close(): Promise<void> {
    closing ??= (async () => {
      stdin.end()
      if (broke === null) await Promise.race([program.ended, delay(limits.mcp.closeSec * 1_000, null, { ref: false })])
      await program.close()
    })()
    return closing
  }

  const transport: BoundTransport = {
    async start() {
      void read()
    },
    async send(message) {
      // That it reads no more is noticed by its silence or its end.
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    close,
    newCall() {
      bytes = 0
      stray = 0
    },
    async cause() {
      if (broke !== null) return broke
      const end = await Promise.race([program.ended, delay(limits.mcp.closeSec * 1_000, null, { ref: false })])
      if (end === null) return null
      if (end.spaceTaken !== null) return new ServerBroke(`was ended: ${end.spaceTaken}`)
      const how = end.exitCode === null ? 'was killed' : `ended with exit code ${end.exitCode}`
      const words = quoted(program.lastWords())
      return new ServerBroke(words === '' ? how : `${how}. Its last words: ${words}`)
    },
  }
  return transport
}

function parsed(line: string): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(JSON.parse(line))
  } catch {
    throw new ServerBroke(`wrote what is not the protocol: ${quoted(line)}`)
  }
}
